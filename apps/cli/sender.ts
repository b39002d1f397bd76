import { type Command, Option } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Administration } from '../../core/postern.js'
import { type ListedSender, type Sender, type SenderId, senderIdOf } from '../../core/senders/sender.js'
import type { AssignSender, ReplaceSender } from '../../core/senders/use-cases.js'
import { ENVIRONMENT } from '../../core/workspaces/apps.js'
import { appsOf } from './app.js'
import { commandLine, jsonOption, WORKSPACE } from './arguments.js'
import { loadConfig, requireSecret, withStorage, withWorkspace } from './cli-config.js'
import { fail, iso, type JsonFlag, print, table, unwrap } from './output.js'
import { readInput, type Shell } from './shell.js'

type SetOptions = JsonFlag & {
  readonly phoneNumberId: string; readonly businessAccountId?: string; readonly marketingApi?: 'on' | 'off'; readonly default?: true
  readonly app?: string
}

const APP = `the platform app whose webhooks report on it, by its name or id, or ${ENVIRONMENT}; unchanged if omitted`

/** `postern sender …`: the platform accounts that workspaces send through. */
export const addSenderCommands = (program: Command, shell: Shell): void => {
  const sender = program.command('sender').description('the platform accounts that workspaces send through')

  sender.command('set')
    .description('add a sender to a workspace, or set the one with this phone number id; the access token is read from POSTERN_ACCESS_TOKEN, or else from standard input')
    .argument('<workspace>', WORKSPACE)
    .requiredOption('--phone-number-id <id>', "the platform's id of the phone number")
    .option('--business-account-id <id>', "the platform's id of the business account")
    .option('--default', 'make it the sender of requests that name none; the first sender of a workspace is it anyway')
    .option('--app <app>', APP)
    .addOption(new Option(
      '--marketing-api <on|off>', "whether marketing templates are sent with the platform's marketing messages API; unchanged if omitted",
    ).choices(['on', 'off']))
    .addOption(jsonOption())
    .action((workspace: string, options: SetOptions) => set(shell, workspace, options))

  sender.command('remove')
    .description('remove a sender from a workspace. The number sends and receives nothing until it is set again; another workspace can use it')
    .argument('<workspace>', WORKSPACE)
    .argument('[phone-number-id]', "the platform's id of the phone number; needed if the workspace has several senders")
    .addOption(jsonOption())
    .action((workspace: string, phoneNumberId: string | undefined, options: JsonFlag) => remove(shell, workspace, phoneNumberId, options))

  sender.command('default')
    .description('make a sender the one through which requests go that name none')
    .argument('<workspace>', WORKSPACE)
    .argument('<phone-number-id>', "the platform's id of the phone number")
    .addOption(jsonOption())
    .action((workspace: string, phoneNumberId: string, options: JsonFlag) => makeDefault(shell, workspace, phoneNumberId, options))

  sender.command('replace')
    .description('replace the ids and the token of a sender whose number has moved to another business account; the access token is read from POSTERN_ACCESS_TOKEN, or else from standard input')
    .argument('<workspace>', WORKSPACE)
    .argument('<old-id>', "the platform's former id of the phone number")
    .requiredOption('--phone-number-id <id>', "the platform's new id of the phone number")
    .option('--business-account-id <id>', "the platform's id of the new business account")
    .option('--app <app>', APP)
    .addOption(jsonOption())
    .action((workspace: string, old: string, options: ReplaceOptions) => replace(shell, workspace, old, options))

  sender.command('list')
    .description('list the senders of all workspaces; access tokens are never shown')
    .addOption(jsonOption())
    .action((options: JsonFlag) => list(shell, options))

  sender.command('show')
    .description('show the senders of a workspace, the default sender first; access tokens are never shown')
    .argument('<workspace>', WORKSPACE)
    .addOption(jsonOption())
    .action((workspace: string, options: JsonFlag) => show(shell, workspace, options))
}

/**
 * The operator's claim is trusted, because an operator can see every workspace anyway; `postern doctor` asks the platform. The token is never an argument,
 * because every user of the machine can see the arguments of a process.
 */
const set = async (
  shell: Shell, idOrName: string, { phoneNumberId, businessAccountId, marketingApi, default: isDefault, app, ...options }: SetOptions,
): Promise<void> => {
  requireSecret(await loadConfig(shell), 'the access token')
  const accessToken = shell.env['POSTERN_ACCESS_TOKEN'] || (await readInput(shell, 'Access token'))
  await withWorkspace(shell, idOrName, async ({ postern }, { id: workspace }) => {
    const asked = {
      phoneNumberId, accessToken, businessAccountId, ...(marketingApi !== undefined && { marketingApi: marketingApi === 'on' }),
      ...(isDefault && { isDefault }), ...await appNamed(postern, app),
    }
    const sender = await unwrapSet(postern.workspaces.assignSender({ by: commandLine(), workspace, ...asked }))
    print(shell, options, senderView(workspace, sender), () => [`Workspace ${workspace} now sends through phone number id ${sender.phoneNumberId}.`])
  })
}

const remove = (shell: Shell, idOrName: string, wanted: string | undefined, options: JsonFlag): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ postern }, { id: workspace }) => {
    const sender = wanted === undefined ? await onlySender(postern, workspace) : senderIdOf(wanted)
    await unwrap(postern.workspaces.removeSender({ by: commandLine(), workspace, sender }))
    print(shell, options, { workspace, phone_number_id: sender }, () => [`Workspace ${workspace} no longer sends through phone number id ${sender}.`])
  })

/** The sender that is meant if none is named. It is not guessed if there are several. */
const onlySender = async ({ workspaces }: Pick<Administration, 'workspaces'>, workspace: WorkspaceId): Promise<SenderId> => {
  const [first, ...others] = await unwrap(workspaces.listSenders(workspace))
  if (first === undefined) return fail(`Workspace ${workspace} has no sender; \`postern sender set\` sets one.`)
  return others.length === 0 ? first.phoneNumberId : fail(`Workspace ${workspace} has ${others.length + 1} senders; name one by its phone number id.`)
}

const makeDefault = (shell: Shell, idOrName: string, phoneNumberId: string, options: JsonFlag): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ postern }, { id: workspace }) => {
    await unwrap(postern.workspaces.setDefaultSender({ by: commandLine(), workspace, sender: senderIdOf(phoneNumberId) }))
    print(shell, options, { workspace, phone_number_id: phoneNumberId, default: true }, () => [
      `Requests of workspace ${workspace} that name no sender now go through phone number id ${phoneNumberId}.`,
    ])
  })

type ReplaceOptions = JsonFlag & { readonly phoneNumberId: string; readonly businessAccountId?: string; readonly app?: string }

const replace = async (
  shell: Shell, idOrName: string, old: string, { phoneNumberId, businessAccountId, app, ...options }: ReplaceOptions,
): Promise<void> => {
  requireSecret(await loadConfig(shell), 'the access token')
  const accessToken = shell.env['POSTERN_ACCESS_TOKEN'] || (await readInput(shell, 'Access token'))
  await withWorkspace(shell, idOrName, async ({ postern }, { id: workspace }) => {
    const replacement = { phoneNumberId, accessToken, businessAccountId, ...await appNamed(postern, app) }
    const sender = await unwrapSet(postern.workspaces.replaceSender({ by: commandLine(), workspace, sender: senderIdOf(old), replacement }))
    print(shell, options, { ...senderView(workspace, sender), replaced: old }, () => [
      `Workspace ${workspace} now sends through phone number id ${sender.phoneNumberId} instead of ${old}.`,
      'Its windows and what is known of phone numbers stay; user ids and templates are those of the new business account.',
    ])
  })
}

const list = (shell: Shell, options: JsonFlag): Promise<void> =>
  withStorage(shell, async ({ storage: { workspaces, senders } }) => {
    const all = await unwrap(workspaces.list())
    const views: Array<ReturnType<typeof senderView> & { readonly name: string }> = []
    for (const { id, name } of all) {
      for (const sender of await unwrap(senders.sendersOf(id))) views.push({ ...senderView(id, sender), name })
    }
    print(shell, options, views.map(({ name: _name, ...view }) => view), () =>
      views.length === 0
        ? ['No workspace has a sender yet; `postern sender set WORKSPACE` sets one.']
        : table(
            ['WORKSPACE', 'PHONE NUMBER ID', 'BUSINESS ACCOUNT ID', 'DEFAULT', 'NAME'],
            views.map(
              (view) => [view.workspace, view.phone_number_id, view.business_account_id ?? '-', view.default ? 'yes' : '-', view.name],
            ),
          ),
    )
  })

const show = (shell: Shell, idOrName: string, options: JsonFlag): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ storage: { senders } }, { id }) => {
    const all = await unwrap(senders.sendersOf(id))
    const [sender] = all
    if (sender === undefined) return fail(`Workspace ${id} has no sender; \`postern sender set\` sets one.`)
    // The fields of the default sender stay at the top, as when a workspace had one sender.
    print(shell, options, { ...senderView(id, sender), senders: all.map((one) => senderView(id, one)) }, () => [
      `workspace            ${id}`, ...all.flatMap(senderLines),
    ])
  })

const senderLines = (
  { phoneNumberId, businessAccountId, app, isDefault, marketingApi, accountRefusedSince, isUnreadable }: ListedSender,
): ReadonlyArray<string> => [
  `phone number id      ${phoneNumberId}${isDefault ? ' (default)' : ''}`,
  `business account id  ${businessAccountId ?? '-'}`,
  ...(app === undefined ? [] : [`app                  ${app}`]),
  `marketing api        ${marketingApi === true ? 'on' : 'off'}`,
  ...(isUnreadable ? [`access token         it cannot be decrypted; run \`postern sender set\` again`] : []),
  ...(accountRefusedSince === undefined ? [] : [`not readable since   ${iso(accountRefusedSince)}; templates are neither shown nor checked`]),
]

const senderView = (
  workspace: WorkspaceId,
  { phoneNumberId, businessAccountId, app, isDefault, marketingApi = false, accountRefusedSince, isUnreadable }: ListedSender,
) => ({
  workspace, phone_number_id: phoneNumberId, business_account_id: businessAccountId ?? null, app: app ?? null, default: isDefault,
  marketing_api: marketingApi ? 'on' : 'off',
  ...(isUnreadable && { token_unreadable: true }),
  ...(accountRefusedSince !== undefined && { account_refused_since: iso(accountRefusedSince) }),
})

/** The sender that was set. The app that it kept may not exist, since an earlier release could remove the app of a sender. */
const unwrapSet = async (step: ReturnType<AssignSender> | ReturnType<ReplaceSender>): Promise<Sender> => {
  const set = await step
  if (E.isRight(set) || set.left._tag !== 'NoSuchApp') return unwrap(set)
  return fail(`The app ${set.left.named} of the sender does not exist; nothing was changed. Name another app with --app, or the one of the environment with --app ${ENVIRONMENT}.`)
}

/** The app of a sender as a command names it. */
const appNamed = async (postern: Administration, named: string | undefined): Promise<{ readonly app?: string | null }> => {
  if (named === undefined) return {}
  return { app: named === ENVIRONMENT ? null : (await unwrap(appsOf(postern).findApp(named))).id }
}
