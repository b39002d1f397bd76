import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isOfRun, sharedFolder, testRun } from './test-run.js'

/** How long a process waits for a file that another one creates, in milliseconds. Then it creates its own. */
const WAIT_MS = 30_000

/** Creates the folder of the run. A process that runs test files by itself removes its own folder when it exits. */
const runFolder = (): string => {
  const folder = sharedFolder(testRun())
  if (existsSync(folder)) return folder
  mkdirSync(folder, { recursive: true })
  if (!isOfRun()) process.once('exit', () => { rmSync(folder, { recursive: true, force: true }) })
  return folder
}

/** Removes the files that the processes of a run share. */
export const removeRunFolder = (run: string): Promise<void> => rm(sharedFolder(run), { recursive: true, force: true })

/** The path of a file in the folder of the run. The first process that asks for it creates it at another path; the others wait. */
export const sharedFile = async (name: string, make: (path: string) => Promise<void>): Promise<string> => {
  const path = join(runFolder(), name)
  const lock = `${path}.lock`
  for (const lastTry = Date.now() + WAIT_MS; !existsSync(path); await delay(20)) {
    // The process that holds the lock creates the file. It keeps the lock afterwards, so that no other process creates the file again. A process that was killed
    // while it created the file also keeps the lock, so the others create their own after a while.
    if (!(await isMade(lock)) && Date.now() < lastTry) continue
    const unfinished = `${path}.${randomBytes(4).toString('hex')}`
    try {
      await make(unfinished)
      await rename(unfinished, path)
    } catch (error) {
      await rm(lock, { recursive: true, force: true })
      throw error
    }
  }
  return path
}

/** Creates a folder; `false` if it exists. */
const isMade = (folder: string): Promise<boolean> =>
  mkdir(folder).then(() => true, (error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  })
