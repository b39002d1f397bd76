import { windowClockLaws } from 'postern/laws'
import { describe, test } from 'vitest'
import { openWorld } from './world.js'

describe('the window clock over a store', () => {
  for (const { name, check } of windowClockLaws) test(name, () => check(openWorld()))
})
