import type { Law } from '../laws/law.js'

/** Creates a mocha test for every law of a list; each runs in a new fixture, which is closed afterwards. */
export const describeLaws = <Fixture>(
  title: string,
  laws: ReadonlyArray<Law<Fixture>>,
  open: () => Promise<Fixture & Partial<AsyncDisposable>>,
): void => {
  describe(title, () => {
    for (const { name, check } of laws) {
      it(name, async () => {
        const fixture = await open()
        try {
          await check(fixture)
        } finally {
          await fixture[Symbol.asyncDispose]?.()
        }
      })
    }
  })
}
