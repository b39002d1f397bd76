import type { Command } from 'commander'
import { makeMintKey } from '../../core/use-cases/mint-key.js'
import { makeRevokeKey } from '../../core/use-cases/revoke-key.js'
import { jsonOption, WORKSPACE } from './arguments.js'
import { withStorage, withWorkspace } from './cli-config.js'
import { unwrap } from './error-messages.js'
import { iso, print, table, type JsonFlag } from './output.js'

/** `postern key …`: the workspaces' API keys. */
export const addKeyCommands = (program: Command): void => {
  const key = program.command('key').description("the workspaces' API keys")

  key.command('mint')
    .description('make a key and print it, this once')
    .argument('<workspace>', WORKSPACE)
    .option('--name <name>', 'what the key is for', 'key')
    .addOption(jsonOption())
    .action((workspace: string, options: JsonFlag & { readonly name: string }) => mint(workspace, options))

  key.command('list')
    .description('show the keys of a workspace, oldest first, but never a key itself')
    .argument('<workspace>', WORKSPACE)
    .addOption(jsonOption())
    .action((workspace: string, options: JsonFlag) => list(workspace, options))

  key.command('revoke')
    .description('end a key at once')
    .argument('<key-id>', "the key's id, as `postern key list` shows it")
    .addOption(jsonOption())
    .action((id: string, options: JsonFlag) => revoke(id, options))
}

const mint = (idOrName: string, options: JsonFlag & { readonly name: string }): Promise<void> =>
  withWorkspace(idOrName, async ({ keyStore, events }, { id: workspace }) => {
    const { id, key } = await unwrap(makeMintKey({ keyStore, events, now: Date.now })({ workspace, name: options.name }))
    print(options, { id, key }, () => [key, `This is key ${id}; it is shown this once, so keep it now.`])
  })

const list = (idOrName: string, options: JsonFlag): Promise<void> =>
  withWorkspace(idOrName, async ({ keyStore }, { id: workspace }) => {
    const keys = (await unwrap(keyStore.list(workspace))).map((key) => ({
      id: key.id, name: key.name, created_at: iso(key.createdAt), last_used_at: iso(key.lastUsedAt), revoked_at: iso(key.revokedAt),
    }))
    print(options, keys, () =>
      keys.length === 0
        ? ['The workspace has no key yet; `postern key mint WORKSPACE` makes one.']
        : table(
            ['ID', 'CREATED', 'LAST USED', 'REVOKED', 'NAME'],
            keys.map((key) => [key.id, key.created_at, key.last_used_at ?? '-', key.revoked_at ?? '-', key.name]),
          ),
    )
  })

const revoke = (id: string, options: JsonFlag): Promise<void> =>
  withStorage(async ({ keyStore, events }) => {
    await unwrap(makeRevokeKey({ keyStore, events, now: Date.now })({ id }))
    print(options, { id, revoked: true }, () => [`Key ${id} is revoked.`])
  })
