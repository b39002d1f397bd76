import type { VNode } from 'preact'
import { isAllowed } from '../../core/access/access.js'
import type { Authenticated } from '../../core/access/sign-in.js'
import type { Act } from '../../core/kernel/actor.js'
import type { Workspace } from '../../core/kernel/workspace.js'
import { Icon, type IconName, Mark } from './icons.js'
import { LanguageChoice } from './language-choice.js'
import { currentLanguage, LANGUAGE_NAMES, perLanguage } from './language.js'
import { TEXTS } from './texts.js'

const { layout, sections } = TEXTS

/** A link to a page: the pattern of its address, the permission that a person needs to see it, and the keys that open it, one after the other. */
export type Entry = {
  readonly path: string
  /** The address, if the pattern has more in it than the workspace. */
  readonly href?: string
  readonly text: string
  readonly icon: IconName
  readonly act: Act
  readonly keys?: string
}
type Group = { readonly name: string; readonly entries: ReadonlyArray<Entry> }

const IN_WORKSPACE = '/console/workspaces/:workspace'

/** The API reference, which is not a page of the console. */
export const REFERENCE = '/docs'

/** The page that writes a message. */
export const NEW_MESSAGE: Entry = {
  path: `${IN_WORKSPACE}/send`, get text() { return sections.send }, icon: 'send', act: 'message.send', keys: 'c m',
}

/** The pages of a workspace, in the groups of the navigation. */
const ofWorkspace = perLanguage((): ReadonlyArray<Group> => [
  {
    name: layout.groups.activity,
    entries: [
      { path: IN_WORKSPACE, text: sections.overview, icon: 'overview', act: 'workspace.view', keys: 'g o' },
      { path: `${IN_WORKSPACE}/messages`, text: sections.messages, icon: 'messages', act: 'workspace.view', keys: 'g m' },
      { path: `${IN_WORKSPACE}/customers`, text: sections.customers, icon: 'customers', act: 'workspace.view', keys: 'g c' },
      { path: `${IN_WORKSPACE}/batches`, text: sections.batches, icon: 'batches', act: 'batch.view', keys: 'g b' },
      { path: `${IN_WORKSPACE}/queue`, text: sections.queue, icon: 'queue', act: 'queue.view', keys: 'g q' },
    ],
  },
  {
    name: layout.groups.send,
    entries: [
      NEW_MESSAGE,
      { path: `${IN_WORKSPACE}/templates`, text: sections.templates, icon: 'templates', act: 'workspace.view', keys: 'g t' },
    ],
  },
  {
    name: layout.groups.money,
    entries: [
      { path: `${IN_WORKSPACE}/wallet`, text: sections.wallet, icon: 'wallet', act: 'workspace.view', keys: 'g w' },
      { path: `${IN_WORKSPACE}/wallet/spend`, text: sections.spend, icon: 'spend', act: 'workspace.view', keys: 'g s' },
    ],
  },
  {
    name: layout.groups.developers,
    entries: [
      { path: `${IN_WORKSPACE}/keys`, text: sections.keys, icon: 'keys', act: 'workspace.view', keys: 'g k' },
      { path: `${IN_WORKSPACE}/endpoints`, text: sections.endpoints, icon: 'endpoints', act: 'workspace.view', keys: 'g e' },
      { path: `${IN_WORKSPACE}/requests`, text: sections.requests, icon: 'requests', act: 'workspace.view', keys: 'g r' },
      { path: REFERENCE, text: sections.reference, icon: 'code', act: 'workspace.view', keys: 'g a' },
    ],
  },
  {
    name: layout.groups.workspace,
    entries: [
      { path: `${IN_WORKSPACE}/sender`, text: sections.sender, icon: 'sender', act: 'workspace.view', keys: 'g n' },
      { path: '/console/members?workspace=:workspace', text: sections.members, icon: 'members', act: 'member.view', keys: 'g p' },
      { path: '/console/audit?workspace=:workspace', text: sections.audit, icon: 'audit', act: 'audit.view', keys: 'g l' },
      { path: `${IN_WORKSPACE}/settings`, text: sections.settings, icon: 'settings', act: 'workspace.view', keys: 'g ,' },
    ],
  },
])

/** The first existing page of a workspace, for a link to it. */
export const homeOf = (patterns: ReadonlySet<string>): string | undefined =>
  ofWorkspace().flatMap(({ entries }) => entries).find(({ path, act }) => act === 'workspace.view' && patterns.has(path))?.path

/** The pages that concern all workspaces. */
const ofAll = perLanguage((): ReadonlyArray<Entry> => [
  { path: '/console/health', text: layout.health, icon: 'health', act: 'health.view', keys: 'g h' },
  { path: '/console/queue', text: sections.queue, icon: 'queue', act: 'queue.view', keys: 'g q' },
  { path: '/console/apps', text: layout.apps, icon: 'link', act: 'health.view', keys: 'g a' },
  { path: '/console/members', text: layout.members, icon: 'members', act: 'member.view', keys: 'g p' },
  { path: '/console/audit', text: layout.audit, icon: 'audit', act: 'audit.view', keys: 'g l' },
])

/** The list of all workspaces. */
const WORKSPACES: Entry = {
  path: '/console', get text() { return layout.workspaces }, icon: 'workspaces', act: 'workspace.view', keys: 'g g',
}

/** The pages that the person may see from a page: those of its workspace, and those that concern all. */
export const pagesSeen = (shown: Omit<Shown, 'path'>, workspace: Workspace | undefined): ReadonlyArray<Entry> => [
  ...(workspace === undefined ? [] : seenBy(shown, ofWorkspace().flatMap(({ entries }) => entries), workspace)),
  WORKSPACES,
  ...seenBy(shown, ofAll(), undefined).filter(({ keys }) => workspace === undefined || keys === 'g h'),
]

/** The person who sees the navigation, the current page, and the pages that exist. */
type Shown = { readonly signedIn: Authenticated; readonly path: string | undefined; readonly patterns: ReadonlySet<string> }

/**
 * The side of every page: the workspace and its pages, or the pages for all workspaces, and the person's own account, which is in sight at any height.
 *
 * On a narrow screen it is behind a line that opens it. The line is next to the lists and not around them, because a wide screen always shows the lists.
 */
export const Navigation = ({ workspace, ...shown }: Shown & { readonly workspace: Workspace | undefined }): VNode => {
  const { signedIn: { principal }, path } = shown
  return (
    <header class="side">
      <a class="product" href="/console" aria-label={layout.product}><Mark /><span>{layout.product}</span></a>
      {workspace !== undefined && <strong class="here">{workspace.name}</strong>}
      <details class="menu"><summary aria-label={layout.menu}><Icon name="menu" /></summary></details>
      <div class="places">
        {workspace === undefined ? <AllNavigation {...shown} /> : <WorkspaceNavigation workspace={workspace} {...shown} />}
        <div class="person">
          <a href="/console/account" title={principal.email} {...(path === '/console/account' && { 'aria-current': 'page' })}>
            {principal.email}
          </a>
          <details class="speaks">
            <summary title={LANGUAGE_NAMES[currentLanguage()]} aria-label={`${TEXTS.language.title}: ${LANGUAGE_NAMES[currentLanguage()]}`}>
              <Icon name="language" />
            </summary>
            <LanguageChoice back={path} />
          </details>
          <form method="post" action="/console/sign-out"><button class="plain">{layout.signOut}</button></form>
        </div>
      </div>
    </header>
  )
}

/** The pages that concern all workspaces: the operators' own area, and for other people the list of their workspaces. */
const AllNavigation = (shown: Shown): VNode => (
  <>
    {isOperator(shown) && (
      <a class="switch" href="/console"><strong>{layout.groups.all}</strong>{' '}<span>{layout.operator}</span><Icon name="switch" /></a>
    )}
    <nav aria-label={layout.console}>
      <div>
        <h2>{layout.groups.all}</h2>
        <ul>
          <Item href="/console" text={layout.workspaces} icon="workspaces" path={shown.path} />
          <Items {...shown} entries={ofAll()} workspace={undefined} />
        </ul>
      </div>
    </nav>
  </>
)

const isOperator = ({ signedIn: { principal } }: Shown): boolean => isAllowed(principal, 'workspace.view', undefined)

/** The name of the workspace links to the list of all workspaces, which can be searched. */
const WorkspaceNavigation = ({ workspace, ...shown }: Shown & { readonly workspace: Workspace }): VNode => (
  <>
    <a class="switch" href="/console">
      <strong>{workspace.name}</strong>{' '}
      <span>{isOperator(shown) ? layout.groups.all : layout.switch}</span>
      <Icon name="switch" />
    </a>
    <nav aria-label={layout.ofWorkspace(workspace.name)}>
      {ofWorkspace().map(({ name, entries }) => ({ name, seen: seenBy(shown, entries, workspace) })).filter(({ seen }) =>
        seen.length > 0).map(({ name, seen }) => (
        <div key={name}>
          <h2>{name}</h2>
          <ul><Items {...shown} entries={seen} workspace={workspace} /></ul>
        </div>
      ))}
    </nav>
  </>
)

/** The entries whose pages exist and that the person may see. */
export const seenBy = (
  { signedIn: { principal }, patterns }: Omit<Shown, 'path'>, entries: ReadonlyArray<Entry>, workspace: Workspace | undefined,
): ReadonlyArray<Entry> =>
  entries.filter((entry) => patterns.has(entry.path.replace(/\?.*/, '')) && isAllowed(principal, entry.act, workspace))

/** The main action of a page, as a button next to its title. */
export const FirstAct = ({ entry, workspace, ...shown }: Shown & {
  readonly entry: Entry
  readonly workspace: Workspace | undefined
}): VNode => (
  <>
    {seenBy(shown, [entry], workspace).map(({ path, href = path.replace(':workspace', workspace?.id ?? ''), text, icon }) => (
      <a class="button" key={path} href={href}><Icon name={icon} />{text}</a>
    ))}
  </>
)

const Items = ({ entries, workspace, ...shown }: Shown & {
  readonly entries: ReadonlyArray<Entry>
  readonly workspace: Workspace | undefined
}): VNode => (
  <>
    {seenBy(shown, entries, workspace).map((entry) => (
      <Item
        key={entry.path} href={entry.path.replace(':workspace', workspace?.id ?? '')} text={entry.text} icon={entry.icon} path={shown.path}
      />
    ))}
  </>
)

const Item = ({ href, text, icon, path }: {
  readonly href: string
  readonly text: string
  readonly icon: IconName
  readonly path: string | undefined
}): VNode =>
  <li><a href={href} {...(href === path && { 'aria-current': 'page' })}><Icon name={icon} />{text}</a></li>
