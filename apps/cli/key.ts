import type { Command } from 'commander'
import { jsonOption, name } from './arguments.js'
import { iso, print, table } from './output.js'
import { done } from './refusal.js'
import { withStorage, workspaceNamed } from './setting.js'

type Json = { readonly json?: boolean }

/** `postern key …`: the workspaces' API keys. */
export const addKeyCommands = (program: Command): void => {
  const key = program.command('key').description("the workspaces' API keys")

  key.command('mint')
    .description('make a key and print it, this once')
    .argument('<workspace>', "the workspace's id")
    .option('--name <name>', 'what the key is for', name, 'key')
    .addOption(jsonOption())
    .action((workspace: string, options: Json & { readonly name: string }) => mint(workspace, options))

  key.command('list')
    .description('show the keys of a workspace, oldest first, but never a key itself')
    .argument('<workspace>', "the workspace's id")
    .addOption(jsonOption())
    .action((workspace: string, options: Json) => list(workspace, options))

  key.command('revoke')
    .description('end a key at once')
    .argument('<key-id>', "the key's id, as `postern key list` shows it")
    .addOption(jsonOption())
    .action((id: string, options: Json) => revoke(id, options))
}

const mint = (workspace: string, options: Json & { readonly name: string }): Promise<void> =>
  withStorage(async (storage) => {
    const { id } = await workspaceNamed(storage, workspace)
    const minted = await done(storage.keyStore.mint(id, options.name, Date.now()))
    print(options, { id: minted.id, key: minted.key }, () => [
      minted.key, `This is key ${minted.id}; it is shown this once, so keep it now.`,
    ])
  })

const list = (workspace: string, options: Json): Promise<void> =>
  withStorage(async (storage) => {
    const { id } = await workspaceNamed(storage, workspace)
    const keys = (await done(storage.keyStore.list(id))).map((key) => ({
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

const revoke = (id: string, options: Json): Promise<void> =>
  withStorage(async (storage) => {
    await done(storage.keyStore.revoke(id, Date.now()))
    print(options, { id, revoked: true }, () => [`Key ${id} is revoked.`])
  })
