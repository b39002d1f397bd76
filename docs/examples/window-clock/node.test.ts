import { test } from 'node:test'
import { windowClockLaws } from 'postern/laws'
import { openFixture } from './fixture.js'

for (const { name, check } of windowClockLaws) void test(name, () => check(openFixture()))
