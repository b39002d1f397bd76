import { windowClockLaws } from 'postern/laws'
import { openFixture } from './fixture.js'

describe('the window clock over a store', () => {
  for (const { name, check } of windowClockLaws) it(name, () => check(openFixture()))
})
