import type { Command } from 'commander'
import { jsonOption } from './arguments.js'
import { print } from './output.js'
import { loadConfig } from './cli-config.js'

/** `postern migrate`: brings the database up to date. */
export const addMigrateCommand = (program: Command): void => {
  program.command('migrate')
    .description('bring the database up to date')
    .addOption(jsonOption())
    .action((options: { readonly json?: boolean }) => migrate(options))
}

const migrate = async (options: { readonly json?: boolean }): Promise<void> => {
  const config = await loadConfig()
  const { openStorage } = await import('../../adapters/knex/index.js')
  const storage = openStorage({ url: config.databaseUrl, secret: config.secret })
  try {
    const { from, to } = await storage.migrate()
    print(options, { from, to }, () => [
      from === to ? `The database is up to date, at version ${to}.` : `The database went from version ${from} to version ${to}.`,
    ])
  } finally {
    await storage.close()
  }
}
