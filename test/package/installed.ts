import { install, type Installed } from './install.js'

let installing: Promise<Installed> | undefined

/** The installed package. It is installed once for all suites of `packed.slow.test.ts`, and removed after the last one. */
export const installed = (): Promise<Installed> => (installing ??= install())

before(async function () {
  // npm packs, compiles and installs.
  this.timeout(180_000)
  await installed()
})

after(async () => {
  await (await installing)?.dispose()
})
