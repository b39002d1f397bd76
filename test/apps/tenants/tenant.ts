import type { KnexStorage } from '../../../adapters/knex/index.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { TokenPlatform } from './platform.js'
import type { Watch } from './watch.js'

/** What an address or a form may name in a workspace. What an act ends or replaces has a name of its own, so that the others stay. */
export type Names = Record<
  | 'workspace' | 'message' | 'queued' | 'unconfirmed' | 'endpoint' | 'spareEndpoint' | 'otherEndpoint' | 'event' | 'key' | 'spareKey'
  | 'otherKey' | 'customer' | 'spareCustomer' | 'template' | 'wamid' | 'media' | 'session' | 'email' | 'phone' | 'account' | 'link'
  | 'request' | 'cursor' | 'entriesCursor' | 'templatesCursor' | 'batch' | 'spareBatch' | 'batchesCursor',
  string
>

/** A workspace with its people and its application. Its mark is a word that is in everything that it writes. */
export type Tenant = {
  readonly mark: string
  readonly id: WorkspaceId
  readonly key: string
  readonly phone: string
  readonly account: string
  readonly customer: string
  /** The access token of its sender. */
  readonly token: string
  readonly email: string
  /** The session of its owner. */
  readonly cookie: string
  readonly developer: string
  /** Where its application takes events. */
  readonly application: string
  /** Opens another session of its owner. */
  readonly session: () => Promise<{ readonly id: string; readonly cookie: string }>
  /** Invites a person by a name, and gives the token of her link. */
  readonly invite: (name: string) => Promise<string>
  /** A session of its owner who will sign out. */
  leaving: string
  /** What it has now. */
  names: Names
}

/** One request, and the status of its answer where what it names is the tenant's own. */
export type Call = {
  readonly method: string
  readonly path: string
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Who asks: by default the API key of the tenant, or in the console its owner. */
  readonly as?: 'operator' | 'developer' | 'anyone'
  readonly cookie?: string
  readonly status: number
}

/** The answer to a request; the text has its body and its headers. */
export type Reply = { readonly status: number; readonly text: string }

/** A change that the platform notifies, of a business account. */
export type Notified = readonly [account: string, ...changes: ReadonlyArray<object>]

/** A gateway with two tenants. */
export type World = {
  readonly ann: Tenant
  readonly bea: Tenant
  readonly platform: TokenPlatform
  readonly storage: KnexStorage
  readonly watch: Watch
  /** Sends a request of a tenant. Unless it is said that the answer is about things that are not theirs, it is searched for what belongs to the other. */
  readonly ask: (tenant: Tenant, call: Call, isTheirs?: boolean) => Promise<Reply>
  /** Keeps a stream of a tenant open, and searches all that comes. */
  readonly follow: (tenant: Tenant, call: Call) => Promise<void>
  /** Closes the streams that are kept open. */
  readonly unfollow: () => void
  readonly notify: (tenant: Tenant, ...changes: ReadonlyArray<Notified>) => Promise<Reply>
  /** The bodies that were delivered to a tenant's application. */
  readonly delivered: (tenant: Tenant) => ReadonlyArray<string>
  readonly close: () => Promise<void>
}
