import type { Command } from 'commander'
import * as O from 'fp-ts/lib/Option.js'
import { type Explained, explainError, markdownOf, nearestErrors } from '../../core/explanations/explain.js'
import { jsonOption } from './arguments.js'
import { type JsonFlag, UsageError } from './output.js'
import type { Shell } from './shell.js'

/** `postern explain`: the meaning of an error, and how to fix it. */
export const addExplainCommand = (program: Command, { stdout }: Shell): void => {
  program.command('explain')
    .description('explain a code of the HTTP API, such as window_closed, or an error of the platform, such as 131026')
    .argument('<code>', 'the code or the number')
    .addOption(jsonOption())
    .action((code: string, { json }: JsonFlag) => {
      const explained = explanationOf(code.trim())
      stdout.write(json === true ? `${JSON.stringify(explained.entry)}\n` : markdownOf(explained))
    })
}

const explanationOf = (name: string): Explained => {
  const explained = explainError(name)
  if (O.isSome(explained)) return explained.value
  const [nearest, ...others] = nearestErrors(name)
  const hint = nearest === undefined ? '/errors of a gateway lists all errors' : `did you mean ${[nearest, ...others].join(' or ')}?`
  throw new UsageError(`There is no error ${JSON.stringify(name)}, neither a code of the API nor a number of the platform; ${hint}${nearest === undefined ? '.' : ''}`)
}
