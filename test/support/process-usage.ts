import { readdir, readFile, writeFile } from 'node:fs/promises'

const NS_PER_SECOND = 1e9
const MB_PER_MIB = 1.048_576

/**
 * Processor time that the threads of a process have used so far, in seconds, from the scheduler's own accounting.
 *
 * `/proc/PID/stat` counts only the process that runs at each tick of the clock, every 4 ms. A process whose timers fire at these ticks would seem constantly busy.
 */
export const cpuSeconds = async (pid: number): Promise<number> => {
  const threads = await readdir(`/proc/${pid}/task`)
  const used = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').then((text) => Number(text.split(' ')[0]), () => 0)),
  )
  return used.reduce((sum, ns) => sum + ns, 0) / NS_PER_SECOND
}

/** The peak memory of a process since its start, or since the last reset, in MiB. */
export const peakMib = (pid: number): Promise<number> => statusMib(pid, 'VmHWM')

/** The memory of a process, in MiB. */
export const memoryMib = (pid: number): Promise<number> => statusMib(pid, 'VmRSS')

const statusMib = async (pid: number, field: string): Promise<number> =>
  Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024

/** Mebibytes in megabytes; `null` if unknown. */
export const megabytes = (mebibytes: number | undefined): number | null =>
  mebibytes === undefined ? null : Math.round(mebibytes * MB_PER_MIB)

/** Resets the peak memory of a process; does nothing if the system does not allow it. */
export const forgetPeak = (pid: number): Promise<void> => writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined)
