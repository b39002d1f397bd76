import { test } from 'node:test'
import { v7 as uuid } from 'uuid'
import { workspaceIdOf } from '../../core/index.js'
import { windowClockLaws, type WindowClockWorld } from '../../test/laws/index.js'
import { makeStoreWindowClock, type Store } from './store-window-clock.js'

const openWorld = (): WindowClockWorld => ({
  windowClock: makeStoreWindowClock(makeMapStore()),
  openWorkspace: async () => ({ workspace: workspaceIdOf(uuid()) }),
})

const makeMapStore = (): Store => {
  const values = new Map<string, string>()
  return {
    get: async (key) => values.get(key),
    update: async (key, change) => void values.set(key, change(values.get(key))),
  }
}

for (const { name, check } of windowClockLaws) void test(name, () => check(openWorld()))
