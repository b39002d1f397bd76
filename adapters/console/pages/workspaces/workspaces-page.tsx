import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import type { Principal } from '../../../../core/kernel/actor.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import type { Page as ListPage } from '../../../../core/kernel/page.js'
import type { Balance } from '../../../../core/kernel/money.js'
import { foldedOf } from '../../../../core/kernel/text.js'
import { DAY_MS } from '../../../../core/kernel/time.js'
import type { Workspace } from '../../../../core/kernel/workspace.js'
import { lastsMsOf, type Runway } from '../../../../core/overview.js'
import { Behind, Empty, Facts, faultAt, Field, Id, Money, type Refused, SidePanel, State, Table, Tick, Time } from '../../parts.js'
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
  /** The form that adds money to its wallet, if there is one. */
  readonly walletOf: (workspace: Workspace) => string | undefined
  /** The balances of the workspaces of `inUseOf`, and how long they last; undefined for people who do not see all workspaces. */
  readonly runways: ReadonlyMap<WorkspaceId, Runway> | undefined
}

/** A week: money that lasts for less needs attention. */
const SOON_MS = 7 * DAY_MS

/** The workspaces in use that one page shows. */
export const inUseOf = (workspaces: ReadonlyArray<Workspace>, { cursor }: Cursors, sought = ''): ListPage<Workspace> =>
  pageOf(workspaces, cursor, (one) => one.archivedAt === undefined && isSought(one, sought))

/** Workspaces in use and archived ones; for operators also a search, totals and a form that creates one. */
export const WorkspacesPage = ({ workspaces, totals, sought, cursors, outcome, pricedIn, isCreating, ...links }: Links & {
  readonly workspaces: ReadonlyArray<Workspace>
  readonly totals: ReadonlyArray<Balance>
  /** The text to search for in names; undefined if there is no search. */
  readonly sought: string | undefined
  readonly cursors: Cursors
  readonly outcome: Refused & { readonly typed?: Readonly<Record<string, string>> | undefined }
  /** The currency of the rate card; undefined for people who may not create a workspace. */
  readonly pricedIn: string | undefined
  /** Whether the form of a new workspace is open. */
  readonly isCreating: boolean
}): VNode => {
  const found = workspaces.filter((workspace) => isSought(workspace, sought ?? ''))
  const inUse = inUseOf(workspaces, cursors, sought)
  const archived = pageOf(workspaces, cursors.archived, (one) => one.archivedAt !== undefined && isSought(one, sought ?? ''))
  const archivedCount = found.filter(({ archivedAt }) => archivedAt !== undefined).length
  return (
    <>
      {totals.length > 0 && (
        <section aria-label={texts.totals}>
          <Facts facts={[
            [texts.inUse, String(workspaces.filter(({ archivedAt }) => archivedAt === undefined).length)],
            ...totals.flatMap(({ currency, available, held }) =>
              [
                [texts.available(currency), <Money micros={available} currency={currency} />],
                [texts.held(currency), <Money micros={held} currency={currency} />],
              ] as const),
          ]} />
        </section>
      )}
      {sought !== undefined && workspaces.length > 0 && (
        <form method="get" action="/console" role="search" class="line">
          <Field id="name" label={texts.search} type="search" value={sought} required={false} />
          <div><button class="plain">{texts.doSearch}</button></div>
        </form>
      )}
      {inUse.items.length > 0
        ? <Rows label={texts.title} workspaces={inUse.items} {...links} />
        : <Empty sentence={emptySentence(workspaces, sought)} icon="workspaces" />}
      <More sought={sought} name="cursor" next={inUse.next} text={texts.more} />
      {archivedCount > 0 && (
        <Behind title={texts.archivedCount(archivedCount)} isOpen={cursors.archived !== undefined}>
          <Archived workspaces={archived.items} {...links} />
          <More sought={sought} name="archived" next={archived.next} text={texts.moreArchived} />
        </Behind>
      )}
      {pricedIn !== undefined && isCreating && <Create pricedIn={pricedIn} {...outcome} />}
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

const More = ({ sought, name, next, text }: {
  readonly sought: string | undefined
  readonly name: keyof Cursors
  readonly next: string | undefined
  readonly text: string
}): VNode | null =>
  next === undefined
    ? null
    : <p>
        <a class="button plain" href={`/console?${new URLSearchParams([...(sought ? [['name', sought]] : []), [name, next]]).toString()}`}>
          {text}
        </a>
      </p>

const isSought = ({ id, name }: Workspace, sought: string): boolean =>
  id === sought.trim() || foldedOf(name).includes(foldedOf(sought.trim()))

const emptySentence = (workspaces: ReadonlyArray<Workspace>, sought: string | undefined): string => {
  if (sought === undefined) return texts.none
  return workspaces.length === 0 ? texts.noneYet : texts.noneFound
}

const Rows = ({ label, workspaces, ...links }: Links & {
  readonly label: string
  readonly workspaces: ReadonlyArray<Workspace>
}): VNode => (
  <Table
    label={label}
    columns={[
      texts.name, texts.id, ...(links.runways === undefined ? [texts.currency] : [{ number: TEXTS.wallet.available }, texts.lasts]),
      texts.role, texts.open,
    ]}
  >
    {workspaces.map((workspace) => <Row key={workspace.id} workspace={workspace} {...links} />)}
  </Table>
)

const Row = ({ workspace, principal, pathOf, walletOf, runways }: Links & { readonly workspace: Workspace }): VNode => {
  const { id, name, currency } = workspace
  const wallet = isAllowed(principal, 'wallet.top_up', workspace) ? walletOf(workspace) : undefined
  return (
    <tr>
      <td data-label={texts.name}><Name workspace={workspace} path={pathOf(workspace)} /></td>
      <td data-label={texts.id}><Id of={id} /></td>
      {runways === undefined ? <td data-label={texts.currency}>{currency}</td> : <RunwayCells of={runways.get(id)} currency={currency} />}
      <td data-label={texts.role}>{roleIn(principal, id)}</td>
      <td>
        {wallet !== undefined && <><a href={wallet} aria-label={texts.topUpOf(name)}>{texts.topUp}</a>{' '}</>}
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

const RunwayCells = ({ of, currency }: { readonly of: Runway | undefined; readonly currency: string }): VNode => {
  const lastsMs = of && lastsMsOf(of.rates)
  return (
    <>
      <td data-label={TEXTS.wallet.available} class="number">
        {of?.balance !== undefined && <Money micros={of.balance.available} currency={currency} />}
      </td>
      <td data-label={texts.lasts}>
        <span title={texts.lastsHint}>
          {lastsMs === undefined ? TEXTS.overview.nothing
            : lastsMs < SOON_MS ? <State text={TEXTS.overview.duration(lastsMs)} tone="attention" />
            : TEXTS.overview.duration(lastsMs)}
        </span>
      </td>
    </>
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

const Create = ({ pricedIn, typed = {}, ...refused }: Refused & {
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
