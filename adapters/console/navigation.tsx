import type { VNode } from 'preact'
import { isAllowed } from '../../core/access/access.js'
import type { Authenticated } from '../../core/access/sign-in.js'
import type { Act } from '../../core/kernel/actor.js'
import type { Workspace } from '../../core/kernel/workspace.js'
import { TEXTS } from './texts.js'

const { layout, sections } = TEXTS

type Entry = { readonly path: string; readonly text: string; readonly act: Act }

/** The pages of a workspace, by the patterns of their addresses. */
const OF_WORKSPACE: ReadonlyArray<Entry> = [
  { path: '/console/workspaces/:workspace', text: sections.overview, act: 'workspace.view' },
  { path: '/console/workspaces/:workspace/messages', text: sections.messages, act: 'workspace.view' },
  { path: '/console/workspaces/:workspace/customers', text: sections.customers, act: 'workspace.view' },
  { path: '/console/workspaces/:workspace/send', text: sections.send, act: 'message.send' },
  { path: '/console/workspaces/:workspace/templates', text: sections.templates, act: 'workspace.view' },
  { path: '/console/workspaces/:workspace/wallet', text: sections.wallet, act: 'workspace.view' },
  { path: '/console/workspaces/:workspace/keys', text: sections.keys, act: 'workspace.view' },
  { path: '/console/workspaces/:workspace/endpoints', text: sections.endpoints, act: 'workspace.view' },
  { path: '/console/workspaces/:workspace/sender', text: sections.sender, act: 'workspace.view' },
  { path: '/console/workspaces/:workspace/settings', text: sections.settings, act: 'workspace.view' },
  { path: '/console/members?workspace=:workspace', text: sections.members, act: 'member.view' },
  { path: '/console/audit?workspace=:workspace', text: sections.audit, act: 'audit.view' },
]

/** The first page of a workspace that there is, for a link to it. */
export const homeOf = (patterns: ReadonlySet<string>): string | undefined => OF_WORKSPACE.find(({ path, act }) => act === 'workspace.view' && patterns.has(path))?.path

/** The pages that concern all workspaces. */
const OF_ALL: ReadonlyArray<Entry & { readonly act: Act }> = [
  { path: '/console/health', text: layout.health, act: 'health.view' },
  { path: '/console/members', text: layout.members, act: 'member.view' },
  { path: '/console/audit', text: layout.audit, act: 'audit.view' },
]

/** Who sees the navigation, where, and which pages there are. */
type Shown = { readonly signedIn: Authenticated; readonly path: string | undefined; readonly patterns: ReadonlySet<string> }

/** The navigation of every page: the workspaces, what concerns all of them, and one's own account. */
export const Navigation = ({ signedIn: { principal }, path, patterns }: Shown): VNode => (
  <>
    <nav aria-label={layout.console}>
      <ul>
        <Item href="/console" text={layout.workspaces} path={path} />
        {OF_ALL.filter((entry) => patterns.has(entry.path) && isAllowed(principal, entry.act, undefined))
          .map((entry) => <Item key={entry.path} href={entry.path} text={entry.text} path={path} />)}
        <Item href="/console/account" text={principal.email} path={path} />
      </ul>
    </nav>
    <form method="post" action="/console/sign-out"><button class="plain">{layout.signOut}</button></form>
  </>
)

/** The navigation of a workspace. */
export const WorkspaceNavigation = ({ signedIn: { principal }, path, patterns, workspace }: Shown & { readonly workspace: Workspace }): VNode => (
  <nav class="workspace" aria-label={layout.ofWorkspace(workspace.name)}>
    <strong>{workspace.name}</strong>
    <ul>
      {OF_WORKSPACE.filter((entry) => patterns.has(entry.path.replace(/\?.*/, '')) && isAllowed(principal, entry.act, workspace))
        .map((entry) => <Item key={entry.path} href={entry.path.replace(':workspace', workspace.id)} text={entry.text} path={path} />)}
    </ul>
  </nav>
)

const Item = ({ href, text, path }: { readonly href: string; readonly text: string; readonly path: string | undefined }): VNode =>
  <li><a href={href} {...(href === path && { 'aria-current': 'page' })}>{text}</a></li>
