import { install, type Installed } from './install.js'

let installing: Promise<Installed> | undefined

/** The installed package; installed once for all the tests that ask, and removed after the last of them. */
export const installed = (): Promise<Installed> => (installing ??= install())

after(async () => {
  await (await installing)?.dispose()
})
