import type { Command } from 'commander'
import { DEFAULT_OVERLAP } from '../../core/access/keys.js'
import { SCOPES } from '../../core/kernel/actor.js'
import { formatMicros } from '../../core/kernel/money.js'
import { commandLine, credit, jsonOption, scopes, WORKSPACE } from './arguments.js'
import { withStorage, withWorkspace } from './cli-config.js'
import { iso, type JsonFlag, print, remark, table, unwrap } from './output.js'
import type { Shell } from './shell.js'

const KEY_ID = "the key's id, as `postern key list` shows it"

type MintOptions = JsonFlag & {
  readonly name: string
  readonly scopes?: ReadonlyArray<string>
  readonly expires?: string
  readonly dailyLimit?: bigint
}
type RotateOptions = JsonFlag & { readonly overlap: string }

/** `postern key …`: the workspaces' API keys. */
export const addKeyCommands = (program: Command, shell: Shell): void => {
  const key = program.command('key').description("the workspaces' API keys")

  key.command('mint')
    .description('create a key and print it; it cannot be shown again')
    .argument('<workspace>', WORKSPACE)
    .option('--name <name>', 'what the key is for', 'key')
    .option('--scopes <scopes>', `what the key may do, of ${SCOPES.join(',')} (default: all)`, scopes)
    .option('--expires <when>', 'when the key expires: after a duration such as 90d or 12h, or at a date and time in ISO 8601 (default: never)')
    .option('--daily-limit <amount>', 'daily spending limit of the key (days of UTC), such as 5.00', credit)
    .addOption(jsonOption())
    .action((workspace: string, options: MintOptions) => mint(shell, workspace, options))

  key.command('rotate')
    .description('create a successor of a key and print it; it cannot be shown again. The old key expires after the overlap')
    .argument('<key-id>', KEY_ID)
    .option('--overlap <duration>', 'how long both keys are valid, such as 30m or 7d; 0 revokes the old key immediately', DEFAULT_OVERLAP)
    .addOption(jsonOption())
    .action((id: string, options: RotateOptions) => rotate(shell, id, options))

  key.command('list')
    .description('list the keys of a workspace, oldest first; the keys themselves are never shown')
    .argument('<workspace>', WORKSPACE)
    .addOption(jsonOption())
    .action((workspace: string, options: JsonFlag) => list(shell, workspace, options))

  key.command('revoke')
    .description('revoke a key immediately')
    .argument('<key-id>', KEY_ID)
    .addOption(jsonOption())
    .action((id: string, options: JsonFlag) => revoke(shell, id, options))
}

const mint = (shell: Shell, idOrName: string, { dailyLimit, ...options }: MintOptions): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ postern }, { id: workspace }) => {
    const { id, key } = await unwrap(postern.keys.mintKey({
      by: commandLine(), workspace, name: options.name,
      ...(options.scopes !== undefined && { scopes: options.scopes }), ...(options.expires !== undefined && { expires: options.expires }),
      ...(dailyLimit !== undefined && { spendingLimit: dailyLimit }),
    }))
    print(shell, options, { id, key }, () => [key])
    remark(shell, options, `This is key ${id}. It cannot be shown again; store it now.`)
  })

const rotate = (shell: Shell, old: string, { overlap, ...options }: RotateOptions): Promise<void> =>
  withStorage(shell, async ({ postern }) => {
    const { id, key, replacedEndsAt } = await unwrap(postern.keys.rotateKey({ by: commandLine(), id: old, overlap }))
    print(shell, options, { id, key }, () => [key])
    remark(shell, options, `This is key ${id}. It cannot be shown again; store it now. Key ${old} expires at ${iso(replacedEndsAt)}.`)
  })

const list = (shell: Shell, idOrName: string, options: JsonFlag): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ storage: { keyStore } }, { id: workspace }) => {
    const keys = (await unwrap(keyStore.list(workspace))).map((key) => ({
      id: key.id, name: key.name, created_at: iso(key.createdAt), last_used_at: iso(key.lastUsedAt), revoked_at: iso(key.revokedAt),
      scopes: key.scopes, expires_at: iso(key.expiresAt),
      daily_limit: key.spendingLimit === undefined ? null : formatMicros(key.spendingLimit), replaced_by: key.replacedBy ?? null,
    }))
    print(shell, options, keys, () =>
      keys.length === 0
        ? ['The workspace has no key yet; `postern key mint WORKSPACE` creates one.']
        : table(
            ['ID', 'CREATED', 'LAST USED', 'REVOKED', 'EXPIRES', 'DAILY LIMIT', 'SCOPES', 'NAME'],
            keys.map((key) => [
              key.id, key.created_at, key.last_used_at ?? '-', key.revoked_at ?? '-', key.expires_at ?? '-', key.daily_limit ?? '-',
              key.scopes.join(','), key.name,
            ]),
          ),
    )
  })

const revoke = (shell: Shell, id: string, options: JsonFlag): Promise<void> =>
  withStorage(shell, async ({ postern }) => {
    await unwrap(postern.keys.revokeKey({ by: commandLine(), id }))
    print(shell, options, { id, revoked: true }, () => [`Key ${id} is revoked.`])
  })
