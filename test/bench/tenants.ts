import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { uuidv7 } from 'uuidv7'
import type { PhoneNumber } from '../../core/message.js'
import type { Currency } from '../../core/money.js'
import type { KeyStore } from '../../core/ports/key-store.js'
import type { Ledger } from '../../core/ports/ledger.js'
import type { Senders } from '../../core/ports/senders.js'
import type { WindowClock } from '../../core/ports/window-clock.js'
import type { Workspaces } from '../../core/ports/workspaces.js'
import { workspaceIdOf, type WorkspaceId } from '../../core/workspace.js'
import type { LoadRequest } from './load-result.js'

/** Encrypts the senders' tokens of the bench. */
export const SECRET = 'a-secret-of-the-bench-that-is-long-enough'

/** What each wallet is paid at the start, in micros: more than any run spends. */
export const FUNDS = 1_000_000_000_000n

/** A workspace that can send, and its key. */
export type Tenant = { readonly workspace: WorkspaceId; readonly key: string }

/** What is sent; a text needs the customer's window open. */
export type Operation = 'send-template' | 'send-text'

export type TenantPorts = {
  readonly workspaces: Workspaces
  readonly ledger: Ledger
  readonly senders: Senders
  readonly keyStore: KeyStore
  readonly windowClock: WindowClock
}

const CUSTOMERS = Array.from({ length: 256 }, (_, place) => `1555010${String(place).padStart(4, '0')}` as PhoneNumber)
const AT_ONCE = 20

/** Runs what has to succeed; throws what it fails with. */
export const succeed = async <A>(task: TaskEither<unknown, A>): Promise<A> => {
  const result = await task()
  if (E.isRight(result)) return result.right
  const { left } = result
  throw left instanceof Error ? left : new Error(JSON.stringify(left, (key, value: unknown) => (key === 'cause' ? String(value) : value)))
}

/** Makes workspaces with a sender, a funded wallet and a key each; every customer has just written to the first of them. */
export const makeTenants = async (ports: TenantPorts, count: number): Promise<ReadonlyArray<Tenant>> => {
  const tenants: Tenant[] = []
  for (let made = 0; made < count; made += AT_ONCE) {
    const places = Array.from({ length: Math.min(AT_ONCE, count - made) }, (_, place) => made + place)
    tenants.push(...await Promise.all(places.map((place) => makeTenant(ports, place))))
  }
  const [first] = tenants
  const now = ports.windowClock.now()
  if (first) await Promise.all(CUSTOMERS.map((customer) => succeed(ports.windowClock.recordInbound(first.workspace, customer, now))))
  return tenants
}

const makeTenant = async ({ workspaces, ledger, senders, keyStore }: TenantPorts, place: number): Promise<Tenant> => {
  const workspace = workspaceIdOf(uuidv7())
  const at = Date.now()
  await succeed(workspaces.create({ id: workspace, name: `bench ${place}`, currency: 'USD' as Currency, createdAt: at }))
  await succeed(ledger.topUp({ workspace, micros: FUNDS, reference: 'bench', at }))
  await succeed(senders.assign(workspace, { phoneNumberId: String(106_540_000_000_000 + place), accessToken: 'an-access-token-of-the-bench', businessAccountId: undefined }))
  const { key } = await succeed(keyStore.mint(workspace, 'bench', at))
  return { workspace, key }
}

/** Requests to every tenant in turn, for every customer in turn. */
export const requestsOf = (tenants: ReadonlyArray<Tenant>, operation: Operation): ReadonlyArray<LoadRequest> =>
  Array.from({ length: Math.max(tenants.length, CUSTOMERS.length) }, (_, place) => ({
    method: 'POST',
    path: `/v1/messages/${operation}`,
    headers: { Authorization: `Bearer ${tenants[place % tenants.length]?.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(bodyOf(operation, CUSTOMERS[place % CUSTOMERS.length] ?? '')),
  }))

const bodyOf = (operation: Operation, to: string): object =>
  operation === 'send-text'
    ? { to, text: 'Your order A-17 has left our warehouse and will be with you tomorrow.' }
    : {
        to, template_name: 'order_update', language: 'en_US',
        components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }, { type: 'text', text: 'A-17' }] }],
      }
