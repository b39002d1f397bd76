import { createReadStream } from 'node:fs'
import { Option, type Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { readLines } from '../../adapters/shared/file-lines.js'
import type { Forbidden } from '../../core/access/access.js'
import { CONSENT_STATUSES, type ConsentStatus } from '../../core/consent/consent.js'
import type { ImportedConsents, LinesIncomplete } from '../../core/consent/import.js'
import { CONSENT_COLUMNS, CONSENTS_CSV_HEADER, exportedLine } from '../../core/consent/lines.js'
import { describeCause, type PortFailure } from '../../core/kernel/failure.js'
import type { LinesType } from '../../core/kernel/lines.js'
import { commandLine, jsonOption, WORKSPACE } from './arguments.js'
import { type Opened, withWorkspace } from './cli-config.js'
import { fail, FaultFound, type JsonFlag, print, table, unwrap } from './output.js'
import type { Shell } from './shell.js'

type ImportOptions = JsonFlag & { readonly format?: LinesType }
type ExportOptions = { readonly format: LinesType; readonly status?: ConsentStatus }

/** `postern consent import` and `export`. */
export const addConsentFileCommands = (consent: Command, shell: Shell): void => {
  consent.command('import')
    .description(`record the lines of a file with the columns ${CONSENT_COLUMNS.join(', ')}; exit status 1 if a line was left out`)
    .argument('<workspace>', WORKSPACE)
    .argument('<file>', 'a CSV as a spreadsheet writes it, or NDJSON; - for standard input')
    .addOption(new Option('--format <format>', 'its format (default: ndjson if its name ends in .ndjson or .jsonl, otherwise csv)')
      .choices(['csv', 'ndjson']))
    .addOption(jsonOption())
    .action((workspace: string, file: string, options: ImportOptions) => importFile(shell, workspace, file, options))

  consent.command('export')
    .description('print all consents, a line for each customer and topic, in a form that can be imported')
    .argument('<workspace>', WORKSPACE)
    .addOption(new Option('--format <format>', 'the format of the lines').choices(['csv', 'ndjson']).default('csv'))
    .addOption(new Option('--status <status>', 'only consents of this status').choices([...CONSENT_STATUSES]))
    .action((workspace: string, options: ExportOptions) => exportLines(shell, workspace, options))
}

const importFile = (shell: Shell, idOrName: string, file: string, { format, ...options }: ImportOptions): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ postern }, { id: workspace }) => {
    const type = format ?? (/\.(ndjson|jsonl)$/i.test(file) ? 'ndjson' : 'csv')
    const imported = await consentOf(postern).importConsents({
      by: commandLine(), workspace, read: (form) => readLines(bytesOf(shell, file), type, form), onProgress: progressOn(shell),
    })
    clearProgress(shell)
    const done = await unwrap(E.mapLeft((failure: Forbidden | PortFailure | LinesIncomplete) => (failure._tag === 'LinesIncomplete'
      ? fail(`The file ${file} cannot be read to its end: ${describeCause(failure.cause).message}. What was read is recorded; import the file again.`)
      : failure))(imported))
    print(shell, options, importView(done), () => importLines(done))
    if (done.problems.length > 0) throw new FaultFound()
  })

async function* bytesOf({ stdin }: Shell, file: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of file === '-' ? stdin : createReadStream(file) as AsyncIterable<Uint8Array>) yield Buffer.from(chunk)
}

/** How far an import is, on a terminal. */
const progressOn = ({ stderr }: Shell) => ({ lines, refused }: ImportedConsents): void => {
  if (stderr.isTTY === true) stderr.write(`\r${lines} line${lines === 1 ? '' : 's'}, ${refused} left out `)
}

const clearProgress = ({ stderr }: Shell): void => {
  if (stderr.isTTY === true) stderr.write('\r\x1b[K')
}

const importView = ({ problems, ...counts }: ImportedConsents) => ({
  ...counts, problems: problems.map(({ line, column = null, code, message }) => ({ line, column, code, message })),
})

const importLines = ({ lines, changed, refused, problems }: ImportedConsents): ReadonlyArray<string> => [
  `${lines === 1 ? 'One line was' : `${lines} lines were`} read, ${changed} of them changed what is known, and ${refused} ${refused === 1 ? 'was' : 'were'} left out.`,
  ...(problems.length === 0 ? [] : table(
    ['LINE', 'COLUMN', 'CODE', 'PROBLEM'], problems.map(({ line, column = '', code, message }) => [String(line), column, code, message]),
  )),
]

const exportLines = (shell: Shell, idOrName: string, { format, status }: ExportOptions): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ postern }, { id: workspace }) => {
    const { listConsents } = consentOf(postern)
    if (format === 'csv') shell.stdout.write(CONSENTS_CSV_HEADER)
    for (let cursor: string | undefined; ;) {
      const query = { status, limit: PAGE, ...(cursor !== undefined && { cursor }) }
      const { items, next } = await unwrap(listConsents(workspace, query))
      shell.stdout.write(items.map((item) => exportedLine(format, item)).join(''))
      if (next === undefined) return
      cursor = next
    }
  })

/** How many consents are read together. */
const PAGE = 500

const consentOf = ({ consent }: Opened['postern']): NonNullable<typeof consent> =>
  consent ?? fail('This storage keeps no consents.')
