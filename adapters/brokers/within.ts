/** A task took longer than it may. */
export class TookTooLong extends Error {}

/** Waits for a task, but no longer than so many milliseconds; then it rejects with `TookTooLong`, and what comes of the task is ignored. */
export const within = async <Result>(timeoutMs: number, task: Promise<Result>): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TookTooLong(`no result within ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    return await Promise.race([task, late])
  } finally {
    clearTimeout(timer)
  }
}
