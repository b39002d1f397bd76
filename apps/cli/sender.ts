import { type Command, Option } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Sender } from '../../core/senders/sender.js'
import { commandLine, jsonOption, WORKSPACE } from './arguments.js'
import { loadConfig, requireSecret, withStorage, withWorkspace } from './cli-config.js'
import { fail, iso, type JsonFlag, print, table, unwrap } from './output.js'
import type { Shell } from './shell.js'

type SetOptions = JsonFlag & { readonly phoneNumberId: string; readonly businessAccountId?: string; readonly marketingApi?: 'on' | 'off' }

/** `postern sender …`: the platform account each workspace sends through. */
export const addSenderCommands = (program: Command, shell: Shell): void => {
  const sender = program.command('sender').description('the platform account each workspace sends through')

  sender.command('set')
    .description('set the sender of a workspace; the access token is read from POSTERN_ACCESS_TOKEN, or else from standard input')
    .argument('<workspace>', WORKSPACE)
    .requiredOption('--phone-number-id <id>', "the platform's id of the phone number")
    .option('--business-account-id <id>', "the platform's id of the business account")
    .addOption(new Option(
      '--marketing-api <on|off>', "whether marketing templates are sent with the platform's marketing messages API; unchanged if omitted",
    ).choices(['on', 'off']))
    .addOption(jsonOption())
    .action((workspace: string, options: SetOptions) => set(shell, workspace, options))

  sender.command('remove')
    .description('remove the sender of a workspace. It cannot send or receive until it has a sender again; another workspace can use the number')
    .argument('<workspace>', WORKSPACE)
    .argument('[phone-number-id]', "the platform's id of the phone number, to confirm which sender is removed")
    .addOption(jsonOption())
    .action((workspace: string, phoneNumberId: string | undefined, options: JsonFlag) => remove(shell, workspace, phoneNumberId, options))

  sender.command('list')
    .description('list the senders of all workspaces; access tokens are never shown')
    .addOption(jsonOption())
    .action((options: JsonFlag) => list(shell, options))

  sender.command('show')
    .description('show the sender of a workspace; its access token is never shown')
    .argument('<workspace>', WORKSPACE)
    .addOption(jsonOption())
    .action((workspace: string, options: JsonFlag) => show(shell, workspace, options))
}

/**
 * The operator's claim is trusted, because an operator can see every workspace anyway; `postern doctor` asks the platform. The token is never an argument,
 * because every user of the machine can see the arguments of a process.
 */
const set = async (
  shell: Shell, idOrName: string, { phoneNumberId, businessAccountId, marketingApi, ...options }: SetOptions,
): Promise<void> => {
  requireSecret(await loadConfig(shell), 'the access token')
  const accessToken = shell.env['POSTERN_ACCESS_TOKEN'] || (await readStandardInput(shell))
  await withWorkspace(shell, idOrName, async ({ postern }, { id: workspace }) => {
    const asked = {
      phoneNumberId, accessToken, businessAccountId, ...(marketingApi !== undefined && { marketingApi: marketingApi === 'on' }),
    }
    const sender = await unwrap(postern.workspaces.assignSender({ by: commandLine(), workspace, ...asked }))
    print(shell, options, senderView(workspace, sender), () => [`Workspace ${workspace} now sends through phone number id ${sender.phoneNumberId}.`])
  })
}

const remove = (shell: Shell, idOrName: string, wanted: string | undefined, options: JsonFlag): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ postern, storage }, { id: workspace }) => {
    const stored = await storage.senders.senderOf(workspace)
    const sends = E.isRight(stored) ? O.toUndefined(stored.right)?.phoneNumberId : undefined
    if (wanted !== undefined && sends !== undefined && sends !== wanted) fail(`Workspace ${workspace} sends through phone number id ${sends}; nothing was changed.`)
    const phoneNumberId = await unwrap(postern.workspaces.removeSender({ by: commandLine(), workspace }))
    print(shell, options, { workspace, phone_number_id: phoneNumberId }, () => [`Workspace ${workspace} no longer sends through phone number id ${phoneNumberId}.`])
  })

const list = (shell: Shell, options: JsonFlag): Promise<void> =>
  withStorage(shell, async ({ storage: { workspaces, senders } }) => {
    const all = await unwrap(workspaces.list())
    const views: Array<ReturnType<typeof senderView> & { readonly name: string }> = []
    for (const { id, name } of all) {
      const sender = await unwrap(senders.senderOf(id))
      if (O.isSome(sender)) views.push({ ...senderView(id, sender.value), name })
    }
    print(shell, options, views.map(({ name: _name, ...view }) => view), () =>
      views.length === 0
        ? ['No workspace has a sender yet; `postern sender set WORKSPACE` sets one.']
        : table(
            ['WORKSPACE', 'PHONE NUMBER ID', 'BUSINESS ACCOUNT ID', 'NAME'],
            views.map((view) => [view.workspace, view.phone_number_id, view.business_account_id ?? '-', view.name]),
          ),
    )
  })

const show = (shell: Shell, idOrName: string, options: JsonFlag): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ storage: { senders } }, { id }) => {
    const sender = O.toUndefined(await unwrap(senders.senderOf(id))) ?? fail(`Workspace ${id} has no sender; \`postern sender set\` sets one.`)
    print(shell, options, senderView(id, sender), () => [
      `workspace            ${id}`,
      `phone number id      ${sender.phoneNumberId}`,
      `business account id  ${sender.businessAccountId ?? '-'}`,
      `marketing api        ${sender.marketingApi === true ? 'on' : 'off'}`,
      ...(sender.accountRefusedSince === undefined ? [] : [`not readable since   ${iso(sender.accountRefusedSince)}; templates are neither shown nor checked`]),
    ])
  })

const senderView = (workspace: WorkspaceId, { phoneNumberId, businessAccountId, marketingApi = false, accountRefusedSince }: Sender) => ({
  workspace, phone_number_id: phoneNumberId, business_account_id: businessAccountId ?? null, marketing_api: marketingApi ? 'on' : 'off',
  ...(accountRefusedSince !== undefined && { account_refused_since: iso(accountRefusedSince) }),
})

const readStandardInput = async ({ stdin, stderr }: Shell): Promise<string> => {
  if (stdin.isTTY === true) stderr.write('Access token (input is shown), then Enter and Ctrl-D: ')
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}
