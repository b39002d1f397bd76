/** How many parts a deadline has. */
const PARTS = 5

/** A deadline that can be called off. */
export type Deadline = { readonly clear: () => void }

/**
 * Calls back after so many milliseconds in which this process was able to work.
 *
 * The time is counted in parts. A part that ends late counts as its own length, so time in which the process was too busy to read its
 * sockets takes nothing from a call. Between the last timer and the immediate Node.js reads its sockets, so an answer that came in
 * time is read first.
 */
export const startDeadline = (timeoutMs: number, onOver: () => void): Deadline => {
  let left = PARTS
  let cleared = false
  const over = (): void => {
    if (!cleared) onOver()
  }
  const wait = (): NodeJS.Timeout => setTimeout(() => {
    left -= 1
    if (left > 0) timer = wait()
    else setImmediate(over)
  }, timeoutMs / PARTS)
  let timer = wait()
  return {
    clear: () => {
      cleared = true
      clearTimeout(timer)
    },
  }
}
