import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { testRun, scratchPrefix } from './test-run.js'

/** A temporary folder of a test. */
export type Scratch = { readonly path: (name: string) => string; readonly remove: () => Promise<void> }

/** Makes an empty temporary folder; the caller must remove it. */
export const makeScratch = async (): Promise<Scratch> => {
  const folder = await mkdtemp(scratchPrefix(testRun()))
  return { path: (name) => join(folder, name), remove: () => rm(folder, { recursive: true, force: true }) }
}
