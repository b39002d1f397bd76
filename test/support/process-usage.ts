import { readFile, writeFile } from 'node:fs/promises'

const TICKS_PER_SECOND = 100

/** Processor time a process has used so far, in seconds. Fields 14 and 15 of `/proc/PID/stat`, counted from behind the name, which may hold spaces. */
export const cpuSeconds = async (pid: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** The peak of a process's memory since its start, or since it was forgotten, in MiB. */
export const peakMib = async (pid: number): Promise<number> =>
  Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024

/** Forgets the peak of a process's memory so far; does nothing where the system does not let us. */
export const forgetPeak = (pid: number): Promise<void> => writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined)
