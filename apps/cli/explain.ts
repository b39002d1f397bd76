import type { Command } from 'commander'
import * as O from 'fp-ts/lib/Option.js'
import { explainCode, explainNumber, markdownOf, nearestCode, nearestNumber } from '../../core/explanations/explain.js'
import { UsageError } from './output.js'
import type { Shell } from './shell.js'

/** `postern explain`: what an error means, and what to do. */
export const addExplainCommand = (program: Command, { stdout }: Shell): void => {
  program.command('explain')
    .description('explain a code of the HTTP API, such as window_closed, or an error of the platform, such as 131026')
    .argument('<code>', 'the code or the number')
    .action((code: string) => {
      stdout.write(explanationOf(code.trim()))
    })
}

const explanationOf = (code: string): string => {
  const isNumber = /^[0-9]+$/.test(code)
  const explained = isNumber ? explainNumber(code) : explainCode(code)
  if (O.isSome(explained)) return markdownOf(explained.value)
  const nearest = isNumber ? nearestNumber(code) : nearestCode(code)
  throw new UsageError(`There is no error ${JSON.stringify(code)} here${nearest === undefined ? '; /errors of a gateway lists all that there are' : `; the nearest is ${nearest}`}.`)
}
