import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { RUN_VARIABLE, scratchPrefix } from './test-run.js'

/** How many of each kind of timers, sockets, files and processes keep this process alive. */
type Resources = ReadonlyMap<string, number>

const resourcesNow = (): Resources => {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

/** Resources that need some time to close are waited for; those left running stay longer than this. */
const PATIENCE_MS = 5_000
const PAUSE_MS = 10

/** Records the resources that keep this process alive; the returned function resolves with further ones, after waiting a little for them to close. */
export const watchResources = (): ((patienceMs?: number) => Promise<ReadonlyArray<string>>) => {
  const before = resourcesNow()
  const added = (): ReadonlyArray<string> =>
    Array.from(resourcesNow(), ([kind, count]) => [kind, count - (before.get(kind) ?? 0)] as const)
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => `${count} × ${kind}`)
  return async (patienceMs = PATIENCE_MS) => {
    const end = performance.now() + patienceMs
    while (added().length > 0 && performance.now() < end) await delay(PAUSE_MS)
    return added()
  }
}

/** The temporary folders of a run that still exist. */
export const foldersLeft = async (run: string): Promise<ReadonlyArray<string>> => {
  const prefix = scratchPrefix(run)
  const names = await readdir(dirname(prefix))
  return names.filter((name) => name.startsWith(basename(prefix))).map((name) => join(dirname(prefix), name))
}

/** The processes of a run that have not ended, each with its command line; empty if the system has no `/proc`. */
export const processesLeft = async (run: string): Promise<ReadonlyArray<string>> => {
  const ids = await readdir('/proc').catch(() => [])
  const marked = await Promise.all(
    ids.filter((id) => /^\d+$/.test(id)).map(async (id) => ((await isOfRun(id, run)) ? [`${id} ${await commandOf(id)}`] : [])),
  )
  return marked.flat()
}

/** Reads a file of Linux about a process; empty if the process has ended or runs as another user. */
const read = (id: string, file: string): Promise<string> => readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '')

const isOfRun = async (id: string, run: string): Promise<boolean> =>
  (await read(id, 'environ')).split('\0').includes(`${RUN_VARIABLE}=${run}`)

const commandOf = async (id: string): Promise<string> => (await read(id, 'cmdline')).replaceAll('\0', ' ').trim()
