import { windowClockLaws } from 'postern/laws'
import { describe, test } from 'vitest'
import { openFixture } from './fixture.js'

describe('the window clock over a store', () => {
  for (const { name, check } of windowClockLaws) test(name, () => check(openFixture()))
})
