import type { Law } from '../laws/law.js'

/** Runs every law of a list under mocha, each in a world of its own that is closed afterwards. */
export const describeLaws = <World>(
  title: string,
  laws: ReadonlyArray<Law<World>>,
  open: () => Promise<World & Partial<AsyncDisposable>>,
): void => {
  describe(title, () => {
    for (const { name, check } of laws) {
      it(name, async () => {
        const world = await open()
        try {
          await check(world)
        } finally {
          await world[Symbol.asyncDispose]?.()
        }
      })
    }
  })
}
