import { type History, simulate, type SimulationOptions } from './simulate.js'
import type { Step } from './world.js'

/**
 * The shortest history of a seed that breaks the same promise: acts are removed as long as it still does, by halves at first and one by one at the end.
 *
 * An act makes its choices by its own name, so the remaining acts continue as before, except for their interaction with the removed acts.
 */
export const shrink = async (options: SimulationOptions, broken: History): Promise<History> => {
  const promise = broken.violations[0]?.promise
  let shortest = broken
  const breaks = async (acts: ReadonlyArray<string>): Promise<boolean> => {
    const history = await simulate({ ...options, acts })
    const isSame = history.violations[0]?.promise === promise
    if (isSame) shortest = history
    return isSame
  }
  let names = broken.plan.map(({ name }) => name)
  for (let part = Math.ceil(names.length / 2); part >= 1;) {
    let isShorter = false
    for (let from = 0; from < names.length;) {
      const left = [...names.slice(0, from), ...names.slice(from + part)]
      if (await breaks(left)) [names, isShorter] = [left, true]
      else from += part
    }
    part = part > 1 ? Math.ceil(part / 2) : isShorter ? 1 : 0
  }
  return simulate({ ...options, acts: shortest.plan.map(({ name }) => name), keepsSteps: true })
}

/** A history as a table: time, place and action. */
export const tableOf = (steps: ReadonlyArray<Step>): string => {
  const width = Math.max(0, ...steps.map(({ where }) => where.length))
  return steps.map(({ at, where, what }) => `${new Date(at).toISOString().slice(5, 23).replace('T', ' ')}  ${where.padEnd(width)}  ${what}`).join('\n')
}
