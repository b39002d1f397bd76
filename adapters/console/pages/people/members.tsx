import * as E from 'fp-ts/lib/Either.js'
import { isAllowed } from '../../../../core/access/access.js'
import type { Access, Member, PendingInvitation } from '../../../../core/access/members.js'
import type { Authenticated, Invited } from '../../../../core/access/sign-in.js'
import { isRole, type Role, ROLES } from '../../../../core/kernel/actor.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import type { Workspace } from '../../../../core/kernel/workspace.js'
import { type Answer, type ConsolePath, type HtmlAnswer, redirect, redirectWithFlash } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { actorOf, findWorkspace, namedWorkspace, type Page, type PageDeps, whenSignedIn } from '../../page.js'
import type { Entry } from '../../navigation.js'
import {
  ChoiceField, Confirm, Empty, faultAt, Field, Menu, OPEN_PANEL, Problem, type Refused, Secret, SidePanel, Table, Time,
} from '../../parts.js'
import type { PageRequest } from '../../request.js'
import { sorted, type Sorting, sortingIn } from '../../sorting.js'
import { TEXTS } from '../../texts.js'
import { wordFor } from '../../words.js'

const { members: texts } = TEXTS

/** The members of a workspace, or of all: the list, inviting and removing. */
export const membersPages = (deps: PageDeps): ReadonlyArray<Page> => {
  const { members } = deps
  return [
    {
      path: '/console/members',
      get: whenSignedIn(
        deps, (request, signedIn) => show(deps, request, signedIn, request.query.get('workspace') ?? '', {}), 'member.view',
      ),
      post: whenSignedIn(deps, async (request, signedIn) => {
        const { email = '', access: given = '', workspace: named = '' } = request.form
        const workspace = namedWorkspace(named)
        if (E.isLeft(workspace)) return failurePage(workspace.left, signedIn)
        const access = accessOf(given, workspace.right)
        if (access === undefined) {
          return workspace.right === undefined || given !== ''
            ? failurePage({ _tag: 'Malformed' }, signedIn)
            : show(deps, request, signedIn, named, { problem: texts.noRole, at: 'access', email })
        }
        // An invitation without a link that can be passed on would only end the person's existing access.
        if (request.origin === undefined) return failurePage({ _tag: 'UnknownAddress' }, signedIn)
        const invited = await members.inviteMember({ by: actorOf(signedIn, request), email, access })
        if (E.isRight(invited)) {
          return redirectWithFlash(
            membersPath(workspace.right), <Link {...{ origin: request.origin, invited: invited.right, access, signedIn }} />,
          )
        }
        switch (invited.left._tag) {
          case 'InvalidEmail': return show(deps, request, signedIn, named, { problem: texts.badEmail, at: 'email', email, access: given })
          case 'UnknownWorkspace': return failurePage({ _tag: 'NotFound' }, signedIn)
          case 'Forbidden': case 'PortFailure': return failurePage(invited.left, signedIn)
        }
      }, 'member.invite'),
    },
    {
      path: '/console/members/remove',
      post: whenSignedIn(deps, async (request, signedIn) => {
        const { email = '', workspace: named = '' } = request.form
        const workspace = namedWorkspace(named)
        if (E.isLeft(workspace)) return failurePage(workspace.left, signedIn)
        const removed = await members.removeMember({ by: actorOf(signedIn, request), email, from: workspace.right ?? 'everywhere' })
        if (E.isRight(removed)) return redirect(membersPath(workspace.right))
        switch (removed.left._tag) {
          case 'LastOperator': return show(deps, request, signedIn, named, { problem: texts.lastOperator })
          case 'InvalidEmail': case 'MemberNotFound': return show(deps, request, signedIn, named, { problem: texts.unknown })
          case 'Forbidden': case 'PortFailure': return failurePage(removed.left, signedIn)
        }
      }, 'member.remove'),
    },
  ]
}

const membersPath = (workspace: WorkspaceId | undefined): ConsolePath =>
  (workspace === undefined ? '/console/members' : `/console/members?workspace=${workspace}`)

const accessOf = (given: string, workspace: WorkspaceId | undefined): Access | undefined => {
  if (workspace === undefined) return given === 'operator' ? { _tag: 'Operator' } : undefined
  return isRole(given) ? { _tag: 'Role', workspace, role: given } : undefined
}

/** The result of a form, if one was submitted. */
type Outcome = Refused & { readonly email?: string; readonly access?: string }

const show = async (deps: PageDeps, request: PageRequest, signedIn: Authenticated, named: string, outcome: Outcome): Promise<Answer> => {
  const workspace = namedWorkspace(named)
  if (E.isLeft(workspace)) return failurePage(workspace.left, signedIn)
  const id = workspace.right
  const listed = await deps.members.listMembers({ by: actorOf(signedIn, request), ...(id !== undefined && { workspace: id }) })
  if (E.isLeft(listed)) return failurePage(listed.left, signedIn)
  const waiting = await deps.members.listInvitations({ by: actorOf(signedIn, request), ...(id !== undefined && { workspace: id }) })
  if (E.isLeft(waiting)) return failurePage(waiting.left, signedIn)
  const found = id === undefined ? E.right(undefined) : await findWorkspace(deps, request, signedIn, id)
  if (E.isLeft(found)) return failurePage(found.left, signedIn)
  const isInviting = outcome.email !== undefined || request.query.has(OPEN_PANEL)
  return membersPage({
    ...outcome, signedIn, listed: listed.right, waiting: waiting.right, workspace: found.right, origin: request.origin, isInviting,
    sorting: sortingIn('/console/members', request.query, Object.keys(ORDERS), id === undefined ? [] : [['workspace', id]]),
  })
}

type Shown = Outcome & {
  readonly signedIn: Authenticated
  readonly listed: ReadonlyArray<Member>
  readonly waiting: ReadonlyArray<PendingInvitation>
  readonly workspace: Workspace | undefined
  readonly origin: string | undefined
  readonly sorting: Sorting
  /** Whether the form of an invitation is open. */
  readonly isInviting: boolean
}

/** Opens the form of an invitation. */
export const inviteTo = (workspace: Workspace | undefined): Entry => ({
  path: `/console/members?${workspace === undefined ? '' : 'workspace=:workspace&'}${OPEN_PANEL}`,
  text: workspace === undefined ? texts.inviteOperator : texts.invite, icon: 'members', act: 'member.invite',
  keys: 'c p',
})

const ORDERS = { email: ({ email }: Member) => email, seen: ({ lastSignInAt }: Member) => lastSignInAt }

const membersPage = ({ signedIn, listed, waiting, workspace, origin, isInviting, sorting, ...outcome }: Shown): HtmlAnswer => ({
  _tag: 'Html',
  status: outcome.problem === undefined ? 200 : 422,
  title: workspace === undefined ? texts.title : texts.titleOf(workspace.name),
  path: membersPath(workspace?.id),
  signedIn,
  ...(workspace !== undefined && { workspace }),
  ...(origin !== undefined && { firstAct: inviteTo(workspace) }),
  content: (
    <>
      {!isInviting && <Problem sentence={outcome.problem} />}
      {listed.length === 0 ? <Empty sentence={texts.none} icon="members" /> : (
        <Table
          label={texts.title} isCompact sorting={sorting}
          columns={[
            { text: texts.email, sort: 'email' }, texts.access, { number: texts.lastSignIn, sort: 'seen' }, { fit: texts.removing },
          ]}
        >
          {sorted(listed, sorting, ORDERS).map((member) => (
            <tr key={member.id}>
              <td class="first cut" title={member.email}>{member.email}</td>
              <td class="what" title={describeAccess(member, workspace)}>{describeAccess(member, workspace)}</td>
              <td class="number sent">
                {member.lastSignInAt === undefined ? texts.never : <Time at={member.lastSignInAt} as="ago" />}
              </td>
              <td class="act">
                {isAllowed(signedIn.principal, 'member.remove', workspace) && <Remove member={member} workspace={workspace} />}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {waiting.length > 0 && <Waiting signedIn={signedIn} waiting={waiting} workspace={workspace} />}
      {isAllowed(signedIn.principal, 'member.invite', workspace) && (
        origin === undefined
          ? <p class="note">{texts.noAddress}</p>
          : isInviting && <Invite workspace={workspace} {...outcome} />
      )}
    </>
  ),
})

const Link = ({ origin, invited: { email, expiresAt, token, known }, access, signedIn }: {
  readonly origin: string; readonly invited: Invited; readonly access: Access; readonly signedIn: Authenticated
}) => (
  <div class="note" role="status">
    <p>{texts.sendLink} <strong>{email}</strong>. {texts.linkOnce} <Time at={expiresAt} />.</p>
    <Secret secret={linkTo(origin, token)} label={texts.link} />
    <p>{access._tag === 'Operator' || signedIn.principal.isOperator ? texts.linkReplaces : texts.linkHere}</p>
    {known !== undefined && <p>{texts.known(describeAccess(known, undefined), known.invitedBy)}</p>}
  </div>
)

const linkTo = (origin: string, token: string): string => `${origin}/console/link/${token}`

const describeAccess = ({ isOperator, roles }: Member, workspace: Workspace | undefined): string => {
  if (workspace !== undefined) return roleWord(roles.get(workspace.id))
  return [...(isOperator ? [texts.operator] : []), ...Array.from(roles, ([id, role]) => texts.roleIn(roleWord(role), id))].join(', ')
    || texts.noAccess
}

const roleWord = (role: Role | undefined): string => (role === undefined ? texts.operator : wordFor('roles', role))

type WaitingShown = {
  readonly signedIn: Authenticated
  readonly waiting: ReadonlyArray<PendingInvitation>
  readonly workspace: Workspace | undefined
}

const Waiting = ({ signedIn, waiting, workspace }: WaitingShown) => (
  <>
    <h2>{texts.waiting}</h2>
    <p class="soft">{texts.waitingHint}</p>
    <Table
      label={texts.waiting} isCompact
      columns={[texts.email, texts.access, texts.invitedBy, { number: texts.until }, { fit: texts.removing }]}
    >
      {waiting.map(({ member, email, access, invitedBy, expiresAt, needsOperator }) => (
        <tr key={`${member} ${access._tag === 'Role' ? access.workspace : ''}`}>
          <td class="first cut" title={email}>{email}</td>
          <td class="what">
            {access._tag === 'Operator' ? texts.operator
              : workspace === undefined ? texts.roleIn(roleWord(access.role), access.workspace)
              : roleWord(access.role)}
            {needsOperator && <>{' '}<span class="soft" title={texts.needsOperator}>{texts.needsOperator}</span></>}
          </td>
          <td title={invitedBy}>{invitedBy}</td>
          <td class="number sent"><Time at={expiresAt} /></td>
          <td class="act">
            {workspace !== undefined && isAllowed(signedIn.principal, 'member.remove', workspace) && (
              <Remove member={{ email }} workspace={workspace} />
            )}
          </td>
        </tr>
      ))}
    </Table>
  </>
)

const Remove = ({ member: { email }, workspace }: {
  readonly member: Pick<Member, 'email'>
  readonly workspace: Workspace | undefined
}) => (
  <Menu label={texts.actsOf(email)}>
    <Confirm
      title={texts.remove} label={texts.removeOne(email)} action="/console/members/remove" verb={texts.doRemove}
      verbLabel={workspace === undefined ? texts.doRemoveEverywhere(email) : texts.doRemoveOne(email)} isDangerous
    >
      <input type="hidden" name="email" value={email} />
      <input type="hidden" name="workspace" value={workspace?.id ?? ''} />
    </Confirm>
  </Menu>
)

const Invite = ({ workspace, ...outcome }: { readonly workspace: Workspace | undefined } & Outcome) => (
  <SidePanel id="invite" title={workspace === undefined ? texts.inviteOperator : texts.invite} close={membersPath(workspace?.id)}>
    <p class="soft">{texts.inviteHint}</p>
    <form method="post" action="/console/members">
      <input type="hidden" name="workspace" value={workspace?.id ?? ''} />
      <Field
        id="email" label={texts.email} type="email" value={outcome.email} isFirst={outcome.at === undefined} {...faultAt(outcome, 'email')}
      />
      <ChoiceField id="access" label={texts.access} required {...faultAt(outcome, 'access')}>
        {workspace === undefined ? <option value="operator">{texts.operator}</option> : (
          <>
            <option value="">{texts.chooseRole}</option>
            {ROLES.map((name) => <option key={name} value={name} selected={name === outcome.access}>{roleWord(name)}</option>)}
          </>
        )}
      </ChoiceField>
      <div><button>{texts.doInvite}</button></div>
    </form>
  </SidePanel>
)
