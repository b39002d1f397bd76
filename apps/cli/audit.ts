import { type Command, Option } from 'commander'
import { AUDIT_CSV_HEADER, auditCsvLine, auditEntryView } from '../../core/access/audit.js'
import type { AuditActor, AuditEntry } from '../../core/kernel/actor.js'
import type { Instant } from '../../core/kernel/time.js'
import { printable } from '../server/summary.js'
import { jsonOption, limitOption, since, WORKSPACE } from './arguments.js'
import { withStorage } from './cli-config.js'
import { allItems, iso, type JsonFlag, print, table, unwrap } from './output.js'
import type { Shell } from './shell.js'

type ListOptions = JsonFlag & { readonly workspace?: string; readonly since?: Instant; readonly limit?: number; readonly csv?: boolean }

/** `postern audit …`: the audit log. */
export const addAuditCommands = (program: Command, shell: Shell): void => {
  const audit = program.command('audit').description('the audit log')

  audit.command('list')
    .description('show the audit log, newest first')
    .option('--workspace <workspace>', `only entries about a workspace: ${WORKSPACE}`)
    .addOption(new Option(
      '--since <moment>', 'only entries since then: a date and time in ISO 8601, or a number of days such as 30d',
    ).argParser(since))
    .addOption(limitOption())
    .addOption(new Option('--csv', 'print comma-separated values for a spreadsheet').conflicts('json'))
    .addOption(jsonOption())
    .action((options: ListOptions) => list(shell, options))
}

const list = (shell: Shell, { workspace: idOrName, since: from, limit, csv, ...options }: ListOptions): Promise<void> =>
  withStorage(shell, async ({ postern, storage }) => {
    const workspace = idOrName === undefined ? undefined : (await unwrap(postern.workspaces.findWorkspace(idOrName))).id
    const entries = await allItems(
      (page) =>
        storage.auditLog.list({ ...page, ...(workspace !== undefined && { workspace }), ...(from !== undefined && { since: from }) }),
      limit,
    )
    if (csv === true) {
      for (const line of [AUDIT_CSV_HEADER, ...entries.map(auditCsvLine)]) shell.stdout.write(line)
      return
    }
    print(shell, options, entries.map(auditEntryView), () =>
      entries.length === 0
        ? ['The audit log is empty.']
        : table(HEADING, entries.map((entry) => cellsOf(entry).map((cell) => (cell === '' ? '-' : printable(cell))))))
  })

const HEADING = ['AT', 'BY', 'ADDRESS', 'ACT', 'OUTCOME', 'WORKSPACE', 'SUBJECT', 'DETAILS']

const cellsOf = ({ at, by, address, act, outcome, workspace, subject, details }: AuditEntry): ReadonlyArray<string> =>
  [
    iso(at), actorText(by), address ?? '', act, outcome, workspace ?? '', subject ?? '',
    details === undefined ? '' : JSON.stringify(details),
  ]

const actorText = (by: AuditActor): string => {
  switch (by.type) {
    case 'member':
      return by.email
    case 'key':
      return `key ${by.id}`
    case 'command_line':
      return by.user === undefined ? 'command line' : `command line (${by.user})`
    case 'unknown':
      return by.email === undefined ? 'unknown' : `unknown (${by.email})`
    case 'system':
      return 'gateway'
  }
}
