import type { Env } from '../server/config.js'

/** The streams and the environment that a command uses: those of its process, or those that a caller in the same process passes. */
export type Shell = {
  readonly env: Env
  readonly stdin: AsyncIterable<string | Uint8Array> & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  /** The process that a command may use until a signal ends it. Without one, `serve` and `simulator` are refused. */
  readonly process?: OwnProcess
}

/** A stream that accepts text; `columns` is the width of a terminal. */
export type Output = { readonly write: (text: string) => unknown; readonly isTTY?: boolean; readonly columns?: number }

/** A process that runs one command and nothing else. */
export type OwnProcess = {
  /** Continues after the reader of the output has closed it, instead of ending immediately. */
  readonly ignoreClosedOutput: () => void
  readonly exit: (status: number) => never
}

/** Everything on standard input, as text. On a terminal, it first writes the prompt. */
export const readInput = async ({ stdin, stderr }: Pick<Shell, 'stdin' | 'stderr'>, prompt: string): Promise<string> => {
  if (stdin.isTTY === true) stderr.write(`${prompt} (input is shown), then Enter and Ctrl-D: `)
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

/** The process that a command uses until a signal ends it; ends the command if there is none. */
export const ownProcess = ({ process }: Shell): OwnProcess => {
  if (process === undefined) throw new Error('This command runs until a signal ends it, so it needs a process of its own; start `postern` itself.')
  return process
}
