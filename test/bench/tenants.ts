import type { PhoneNumber } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { StoragePorts } from '../../core/ports.js'
import { createAccount } from '../support/account.js'
import { done } from '../support/right-of.js'
import type { LoadRequest } from './load-result.js'

/** Encrypts the senders' tokens of the bench. */
export const SECRET = 'a-secret-of-the-bench-that-is-long-enough'

/** The top-up of each wallet at the start, in micros: more than any run spends. */
export const FUNDS = 1_000_000_000_000n

/** A workspace that can send, and its key. */
export type Tenant = { readonly workspace: WorkspaceId; readonly key: string }

/** The measured operation; a text needs an open customer service window. */
export type Operation = 'send-template' | 'send-text'

export type TenantPorts = Pick<StoragePorts, 'workspaces' | 'ledger' | 'senders' | 'keyStore' | 'windowClock'>

const CUSTOMERS = Array.from({ length: 256 }, (_, place) => `1555010${String(place).padStart(4, '0')}` as PhoneNumber)
const AT_ONCE = 20

/** Makes workspaces, each with a sender, a funded wallet and a key; every customer has just written to the first one. */
export const makeTenants = async (ports: TenantPorts, count: number): Promise<ReadonlyArray<Tenant>> => {
  const tenants: Tenant[] = []
  for (let made = 0; made < count; made += AT_ONCE) {
    const places = Array.from({ length: Math.min(AT_ONCE, count - made) }, (_, place) => made + place)
    tenants.push(...await Promise.all(places.map((place) => makeTenant(ports, place))))
  }
  const [first] = tenants
  const now = ports.windowClock.now()
  if (first) {
    await Promise.all(
      CUSTOMERS.map((customer) => done(ports.windowClock.recordInbound(first.workspace, { phoneNumber: customer }, now))),
    )
  }
  return tenants
}

const makeTenant = async (ports: TenantPorts, place: number): Promise<Tenant> => {
  const { id, key } = await createAccount(ports, {
    name: `bench ${place}`, micros: FUNDS, phoneNumberId: String(106_540_000_000_000 + place),
  })
  return { workspace: id, key }
}

/** Requests for every workspace and every customer in turn. */
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
