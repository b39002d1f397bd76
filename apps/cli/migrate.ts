import type { Command } from 'commander'
import { jsonOption } from './arguments.js'
import { print } from './output.js'
import { loadConfig } from './cli-config.js'
import type { Shell } from './shell.js'

/** `postern migrate`: brings the database up to date. */
export const addMigrateCommand = (program: Command, shell: Shell): void => {
  program.command('migrate')
    .description('bring the database up to date')
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
      from === to ? `The database is up to date, at version ${to}.` : `The database went from version ${from} to version ${to}.`,
    ])
  } finally {
    await storage.close()
  }
}
