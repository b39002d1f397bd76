import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import type { Principal } from '../../../../core/kernel/actor.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import type { Page as ListPage } from '../../../../core/kernel/page.js'
import type { Workspace } from '../../../../core/kernel/workspace.js'
import { Behind, Empty, faultAt, Field, Id, type Refused, SidePanel, Table, Tick, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { wordFor } from '../../words.js'

const { workspaces: texts } = TEXTS

const SHOWN_AT_ONCE = 200

/** The id of the workspace after which each of the two lists continues; without it a list starts at the beginning. */
export type Cursors = { readonly cursor: string | undefined; readonly archived: string | undefined }

type Links = {
  readonly principal: Principal
  /** The first page of a workspace, if there is one. */
  readonly pathOf: (workspace: Workspace) => string | undefined
}

/** The workspaces of a member, and the archived ones apart. */
export const WorkspacesPage = ({ workspaces, cursors, ...links }: Links & {
  readonly workspaces: ReadonlyArray<Workspace>
  readonly cursors: Cursors
}): VNode => {
  const inUse = pageOf(workspaces, cursors.cursor, ({ archivedAt }) => archivedAt === undefined)
  const archived = pageOf(workspaces, cursors.archived, ({ archivedAt }) => archivedAt !== undefined)
  return (
    <>
      {inUse.items.length > 0
        ? <Rows label={texts.title} workspaces={inUse.items} {...links} />
        : <Empty sentence={texts.none} icon="workspaces" />}
      <More name="cursor" next={inUse.next} text={texts.more} />
      {archived.items.length > 0 && (
        <Behind title={texts.archived} isOpen={cursors.archived !== undefined}>
          <Archived workspaces={archived.items} {...links} />
          <More name="archived" next={archived.next} text={texts.moreArchived} />
        </Behind>
      )}
    </>
  )
}

/** The next page of a list, oldest first. The cursor is a position among all workspaces, so archiving or renaming one meanwhile does not move any other. */
const pageOf = (
  workspaces: ReadonlyArray<Workspace>, cursor: string | undefined, isShown: (workspace: Workspace) => boolean,
): ListPage<Workspace> => {
  const rest = workspaces.slice(workspaces.findIndex(({ id }) => id === cursor) + 1).filter(isShown)
  const items = rest.slice(0, SHOWN_AT_ONCE)
  const next = rest.length > items.length ? items.at(-1)?.id : undefined
  return { items, next }
}

const More = ({ name, next, text }: {
  readonly name: keyof Cursors; readonly next: string | undefined; readonly text: string
}): VNode | null =>
  (next === undefined ? null : <p><a class="button plain" href={`/console?${name}=${next}`}>{text}</a></p>)

const Rows = ({ label, workspaces, ...links }: Links & {
  readonly label: string
  readonly workspaces: ReadonlyArray<Workspace>
}): VNode => (
  <Table label={label} columns={[texts.name, texts.id, texts.currency, texts.role, texts.open]}>
    {workspaces.map((workspace) => <Row key={workspace.id} workspace={workspace} {...links} />)}
  </Table>
)

const Row = ({ workspace, principal, pathOf }: Links & { readonly workspace: Workspace }): VNode => {
  const { id, name, currency } = workspace
  return (
    <tr>
      <td data-label={texts.name}><Name workspace={workspace} path={pathOf(workspace)} /></td>
      <td data-label={texts.id}><Id of={id} /></td>
      <td data-label={texts.currency}>{currency}</td>
      <td data-label={texts.role}>{roleIn(principal, id)}</td>
      <td>
        {isAllowed(principal, 'member.view', workspace) && (
          <a href={`/console/members?workspace=${id}`} aria-label={texts.membersOf(name)}>{texts.members}</a>
        )}
        {' '}
        {isAllowed(principal, 'audit.view', workspace) && (
          <a href={`/console/audit?workspace=${id}`} aria-label={texts.auditOf(name)}>{texts.audit}</a>
        )}
      </td>
    </tr>
  )
}

/** A person who sees a workspace without having a role in it is an operator. */
const roleIn = (principal: Principal, workspace: WorkspaceId): string => {
  const role = principal._tag === 'Member' ? principal.roles.get(workspace) : undefined
  return role === undefined ? texts.operator : wordFor('roles', role)
}

const Archived = ({ workspaces, pathOf }: Links & { readonly workspaces: ReadonlyArray<Workspace> }): VNode => (
  <Table label={texts.archived} columns={[texts.name, texts.id, texts.archivedAt]}>
    {workspaces.map((workspace) => (
      <tr key={workspace.id}>
        <td data-label={texts.name}><Name workspace={workspace} path={pathOf(workspace)} /></td>
        <td data-label={texts.id}><Id of={workspace.id} /></td>
        <td data-label={texts.archivedAt}>{workspace.archivedAt !== undefined && <Time at={workspace.archivedAt} />}</td>
      </tr>
    ))}
  </Table>
)

const Name = ({ workspace: { name }, path }: { readonly workspace: Workspace; readonly path: string | undefined }): VNode =>
  <strong>{path === undefined ? name : <a href={path}>{name}</a>}</strong>

/** The form of a new workspace, over the page. */
export const CreateWorkspace = ({ pricedIn, typed = {}, ...refused }: Refused & {
  readonly pricedIn: string; readonly typed?: Readonly<Record<string, string>> | undefined
}): VNode => (
  <SidePanel id="create" title={texts.create} close="/console">
    <form method="post" action="/console">
      <Field
        id="new-name" name="name" label={texts.name} value={typed['name']} maxLength={200} isFirst={refused.at === undefined}
        {...faultAt(refused, 'new-name')}
      />
      <Field
        id="currency" label={texts.currency} value={typed['currency'] ?? pricedIn} hint={texts.currencyHint} maxLength={3}
        {...faultAt(refused, 'currency')}
      />
      <Tick id="again" label={texts.again} isTicked={false} />
      <div><button>{texts.create}</button></div>
    </form>
  </SidePanel>
)
