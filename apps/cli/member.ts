import { type Command, Option } from 'commander'
import type { Access, Member, PendingInvitation } from '../../core/access/members.js'
import { type Role, ROLES } from '../../core/kernel/actor.js'
import type { Administration } from '../../core/postern.js'
import type { Config } from '../server/config.js'
import { linkUrl } from '../server/console.js'
import { commandLine, jsonOption, WORKSPACE } from './arguments.js'
import { withStorage } from './cli-config.js'
import { iso, type JsonFlag, print, table, unwrap, UsageError } from './output.js'
import type { Shell } from './shell.js'

type WorkspaceFlag = { readonly workspace?: string }
type InviteOptions = JsonFlag & WorkspaceFlag & { readonly operator?: boolean; readonly role?: Role }

/** `postern member …`: the people who may sign in to the console. */
export const addMemberCommands = (program: Command, shell: Shell): void => {
  const member = program.command('member').description('the people who may sign in to the console')

  member.command('invite')
    .description('give a person access, and print a sign-in link that works once within 24 hours')
    .argument('<email>', 'the email of the person')
    .option('--operator', 'the person may do everything in every workspace')
    .addOption(new Option('--workspace <workspace>', `the workspace of the role: ${WORKSPACE}`).conflicts('operator'))
    .addOption(new Option('--role <role>', 'what the person may do there').choices([...ROLES]).conflicts('operator'))
    .addOption(jsonOption())
    .action((email: string, options: InviteOptions) => invite(shell, email, options))

  member.command('list')
    .description('list the people who may sign in')
    .option('--workspace <workspace>', `only people with a role in a workspace: ${WORKSPACE}`)
    .addOption(jsonOption())
    .action((options: JsonFlag & WorkspaceFlag) => list(shell, options))

  member.command('remove')
    .description("remove a person's access, sessions and sign-in links")
    .argument('<email>', 'the email of the person')
    .option('--workspace <workspace>', `only the role in a workspace: ${WORKSPACE}`)
    .addOption(jsonOption())
    .action((email: string, options: JsonFlag & WorkspaceFlag) => remove(shell, email, options))
}

const invite = (shell: Shell, email: string, { operator, workspace, role, ...options }: InviteOptions): Promise<void> =>
  withStorage(shell, async ({ postern, config }) => {
    const access = await accessOf(postern, operator, workspace, role)
    const { member: id, token, expiresAt, known } = await unwrap(postern.members.inviteMember({ by: commandLine(), email, access }))
    const url = linkUrl(addressOf(config), token)
    print(shell, options, { id, url }, () => [
      url, `Give this link to the person. It works once, until ${iso(expiresAt)}. Signing in with it ends all earlier sessions of this email.`,
      ...(known === undefined ? [] : [`The email is known already${known.invitedBy === undefined ? '' : `, first invited by ${known.invitedBy}`}: ${accessText(viewOf(known))}.`]),
    ])
  })

const accessOf = async (
  postern: Administration, operator: boolean | undefined, idOrName: string | undefined, role: Role | undefined,
): Promise<Access> => {
  if (operator === true) return { _tag: 'Operator' }
  if (idOrName === undefined || role === undefined) throw new UsageError('Give --operator, or --workspace and --role.')
  return { _tag: 'Role', workspace: (await unwrap(postern.workspaces.findWorkspace(idOrName))).id, role }
}

/** Without `PUBLIC_URL`, the address at which the gateway listens. A browser on the same machine can open it. */
const addressOf = ({ console: { publicUrl }, http: { host, port } }: Config): string =>
  publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`

const list = (shell: Shell, { workspace: idOrName, ...options }: JsonFlag & WorkspaceFlag): Promise<void> =>
  withStorage(shell, async ({ postern }) => {
    const workspace = idOrName === undefined ? undefined : (await unwrap(postern.workspaces.findWorkspace(idOrName))).id
    const found = await unwrap(postern.members.listMembers({ by: commandLine(), ...(workspace !== undefined && { workspace }) }))
    const waiting = await unwrap(postern.members.listInvitations({ by: commandLine(), ...(workspace !== undefined && { workspace }) }))
    const members = found.map((one) => viewOf(one, waiting))
    print(shell, options, members, () =>
      members.length === 0 && waiting.length === 0
        ? ['No one can sign in yet; `postern member invite EMAIL --operator` prints a link.']
        : table(['EMAIL', 'ACCESS', 'SINCE', 'LAST SIGN-IN'], members.map((member) => [
            member.email, accessText(member), member.created_at, member.last_sign_in_at ?? '-',
          ])).concat(waiting.map(waitingText)))
  })

type MemberView = ReturnType<typeof viewOf>

const viewOf = (
  { id, email, isOperator, roles, createdAt, lastSignInAt, invitedBy }: Member, waiting: ReadonlyArray<PendingInvitation> = [],
) => ({
  id, email, operator: isOperator, roles: Array.from(roles, ([workspace, role]) => ({ workspace, role })), created_at: iso(createdAt),
  last_sign_in_at: iso(lastSignInAt), invited_by: invitedBy ?? null,
  invitations: waiting.filter(({ member }) => member === id).map(invitationView),
})

const invitationView = ({ access, invitedBy, expiresAt, needsOperator }: PendingInvitation) => ({
  ...(access._tag === 'Operator' ? { operator: true } : { workspace: access.workspace, role: access.role }), by: invitedBy,
  until: iso(expiresAt), needs_operator: needsOperator,
})

const accessText = ({ operator, roles }: MemberView): string =>
  operator ? 'operator' : roles.map(({ workspace, role }) => `${role} of ${workspace}`).join(', ') || 'no access yet'

const waitingText = ({ email, access, invitedBy, expiresAt, needsOperator }: PendingInvitation): string =>
  `${email} is invited by ${invitedBy} as ${access._tag === 'Operator' ? 'operator' : `${access.role} of ${access.workspace}`}, until ${iso(expiresAt)}`
  + (needsOperator ? '; the link does not work, because the person has access elsewhere: invite the person yourself if you approve.' : '.')

const remove = (shell: Shell, email: string, { workspace: idOrName, ...options }: JsonFlag & WorkspaceFlag): Promise<void> =>
  withStorage(shell, async ({ postern }) => {
    const from = idOrName === undefined ? 'everywhere' : (await unwrap(postern.workspaces.findWorkspace(idOrName))).id
    await unwrap(postern.members.removeMember({ by: commandLine(), email, from }))
    print(shell, options, { email, removed: true }, () => [from === 'everywhere' ? `${email} can no longer sign in.` : `${email} no longer has a role in ${from}.`])
  })
