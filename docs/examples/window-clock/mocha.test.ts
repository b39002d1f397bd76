import { windowClockLaws } from 'postern/laws'
import { openWorld } from './world.js'

describe('the window clock over a store', () => {
  for (const { name, check } of windowClockLaws) it(name, () => check(openWorld()))
})
