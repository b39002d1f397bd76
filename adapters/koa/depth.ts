/**
 * Whether a JSON value has more levels of arrays and objects than a limit.
 *
 * It walks level by level, since the value may be deeper than the stack.
 */
export const isDeeperThan = (limit: number, value: unknown): boolean => {
  let level = [value].filter(isNest)
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= limit) return true
    level = level.flatMap((nest) => Object.values(nest).filter(isNest))
  }
  return false
}

const isNest = (value: unknown): value is object => typeof value === 'object' && value !== null
