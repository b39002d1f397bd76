import { test } from 'node:test'
import { windowClockLaws } from 'postern/laws'
import { openWorld } from './world.js'

for (const { name, check } of windowClockLaws) void test(name, () => check(openWorld()))
