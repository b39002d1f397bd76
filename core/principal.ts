import type { WorkspaceId } from './workspace.js'

/** What a request may be allowed to do: send, read, see templates, manage events, answer customers. */
export const SCOPES = ['send', 'read', 'templates', 'events', 'answer'] as const

/** One thing that a request may be allowed to do. */
export type Scope = (typeof SCOPES)[number]

/** The API key that a request acts for: its workspace, the key's id, and what the key allows. */
export type KeyPrincipal = {
  readonly _tag: 'Key'
  readonly workspace: WorkspaceId
  readonly key: string
  readonly scopes: ReadonlyArray<Scope>
}
