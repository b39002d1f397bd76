import { workspaceIdOf } from 'postern'
import type { WindowClockFixture } from 'postern/laws'
import { uuidv7 } from 'uuidv7'
import { makeStoreWindowClock, type Store } from './store-window-clock.js'

export const openFixture = (): WindowClockFixture => ({
  windowClock: makeStoreWindowClock(makeMapStore()),
  openWorkspace: async () => ({ workspace: workspaceIdOf(uuidv7()) }),
})

const makeMapStore = (): Store => {
  const values = new Map<string, string>()
  return {
    get: async (key) => values.get(key),
    update: async (key, change) => void values.set(key, change(values.get(key))),
  }
}
