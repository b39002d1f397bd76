import type { Command } from 'commander'
import { commandLine, jsonOption } from './arguments.js'
import { loadConfig, withStorage } from './cli-config.js'
import { FaultFound, type JsonFlag, print, unwrap } from './output.js'
import type { Shell } from './shell.js'

/** `postern migrate`: brings the database up to date. */
export const addMigrateCommand = (program: Command, shell: Shell): void => {
  program.command('migrate')
    .description('migrate the database to the current schema')
    .addOption(jsonOption())
    .action((options: { readonly json?: boolean }) => migrate(shell, options))
}

const migrate = async (shell: Shell, options: { readonly json?: boolean }): Promise<void> => {
  const config = await loadConfig(shell)
  const { openStorage } = await import('../../adapters/knex/index.js')
  const storage = openStorage({ url: config.databaseUrl, secret: config.secret })
  try {
    const { from, to } = await storage.migrate()
    print(shell, options, { from, to }, () => [
      from === to ? `The database is up to date, at version ${to}.` : `The database was migrated from version ${from} to version ${to}.`,
    ])
  } finally {
    await storage.close()
  }
}

/** `postern reconcile`: settles messages and money that a crash or a lost response left open, once. */
export const addReconcileCommand = (program: Command, shell: Shell): void => {
  program.command('reconcile')
    .description('settle messages whose outcome was lost in a crash or a timeout, once')
    .addOption(jsonOption())
    .action((options: JsonFlag) => reconcile(shell, options))
}

const reconcile = (shell: Shell, options: JsonFlag): Promise<void> =>
  withStorage(shell, async ({ postern }) => {
    const { unconfirmed, refused, released, captured, refunded } = await unwrap(postern.upkeep.reconcileByHand({ by: commandLine() }))
    print(shell, options, { unconfirmed, refused, released, captured, refunded }, () => [
      `Messages that became unconfirmed: ${unconfirmed}; never sent: ${refused}. Prices released: ${released}; captured: ${captured}; refunded: ${refunded}.`,
    ])
  })

/** `postern doctor`: checks configuration, database and platform, and says how to fix each fault. */
export const addDoctorCommand = (program: Command, shell: Shell): void => {
  program.command('doctor')
    .description('check configuration, database and platform, and print how to fix each fault')
    .addOption(jsonOption())
    .action((options: JsonFlag) => doctor(shell, options))
}

const doctor = async (shell: Shell, options: JsonFlag): Promise<void> => {
  const { runChecks } = await import('../server/checks.js')
  const results = await runChecks(shell.env)
  const healthy = results.every(({ fault }) => fault === null)
  print(shell, options, { ok: healthy, checks: results.map((result) => ({ ...result, ok: result.fault === null })) }, () =>
    results.map(({ check, fault, remedy, note, isWarning = false }) =>
      fault === null ? `${isWarning ? 'WARN ' : 'ok   '}  ${check}${note === undefined ? '' : `: ${note}.`}` : `FAULT  ${check}: ${fault}. ${remedy ?? ''}`.trimEnd(),
    ),
  )
  if (!healthy) throw new FaultFound()
}
