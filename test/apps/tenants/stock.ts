import { SCOPES } from '../../../core/kernel/actor.js'
import { DAY_MS } from '../../../core/kernel/time.js'
import { eventually } from '../../support/eventually.js'
import { rightOf } from '../../support/right-of.js'
import { changeOf, inboundOf } from '../server/notifications.js'
import { UNANSWERED } from './platform.js'
import type { Names, Tenant, World } from './tenant.js'

/** Creates for a tenant one new instance of everything that its requests may name. */
export const stock = async (world: World, tenant: Tenant): Promise<void> => {
  const { mark, id, phone, account, customer, token } = tenant
  const { platform, storage, watch } = world
  const spareCustomer = `${customer.slice(0, -1)}${Math.floor(Math.random() * 7)}`
  const [wamid, media] = [`wamid.in${customer}`, `9${customer}`]
  for (const one of [wamid, media]) platform.received.set(one, phone)
  watch.add(tenant, [spareCustomer, media, token])
  // Events are kept from the first question for them.
  await world.ask(tenant, { method: 'GET', path: '/v1/events', status: 200 })
  for (const from of [customer, spareCustomer]) {
    await world.notify(tenant, [account, changeOf(phone, {
      contacts: [{ wa_id: from, profile: { name: `A customer of ${mark}` } }],
      messages: [inboundOf(from, { text: { body: `A text to ${mark}` } })],
    })])
  }
  const api = async (method: string, path: string, json?: unknown): Promise<Readonly<Record<string, unknown>>> => {
    const { text } = await world.ask(tenant, { method, path, status: 0, ...(json !== undefined && { json }) })
    return JSON.parse(text.split('\n{')[0] ?? '') as Readonly<Record<string, unknown>>
  }
  const endpoint = async () =>
    String((await api('POST', '/v1/event-endpoints', { url: tenant.application, types: ['*'], description: `Of ${mark}` }))['id'])
  const key = async () =>
    rightOf(await storage.keyStore.mint({ workspace: id, name: `A key of ${mark}`, at: Date.now(), scopes: SCOPES })).id
  for (const text of [`A message of ${mark}`, `${UNANSWERED} ${mark}`]) await api('POST', '/v1/messages/send-text', { to: customer, text })
  const batch = async () => String((await api('POST', '/v1/batches', {
    template_name: `${mark}_offer`, name: `A batch of ${mark}`, recipients: [{ to: customer }],
  }))['id'])
  const later = async () => String((await api('POST', '/v1/messages/send-text', {
    to: customer, text: `A later message of ${mark}`, send_at: new Date(Date.now() + DAY_MS).toISOString(),
  }))['id'])
  const first = async (path: string, list: string) =>
    ((await api('GET', path))[list] as ReadonlyArray<{ readonly id: string }>)[0]?.id ?? ''
  await world.ask(tenant, { method: 'POST', path: `/console/workspaces/${id}/templates/sync`, form: {}, status: 200 })
  const cursorOf = async (path: string) => String((await api('GET', `${path}?limit=1`))['next_cursor'])
  // A call is stored a second after it was made.
  const request = await eventually('a call of the tenant', async () =>
    rightOf(await storage.requestLog.list(id, { limit: 1 })).items[0]?.id)
  tenant.leaving = (await tenant.session()).cookie
  const session = await tenant.session()
  await tenant.invite('spare')
  tenant.names = {
    ...tenant.names, phone, account, customer, spareCustomer, wamid, media, template: `${mark}_offer`,
    queued: await later(),
    message: await first('/v1/messages?state=accepted', 'messages'), unconfirmed: await first('/v1/messages?state=unconfirmed', 'messages'),
    endpoint: await endpoint(), spareEndpoint: await endpoint(), otherEndpoint: await endpoint(), key: await key(), spareKey: await key(),
    otherKey: await key(), event: await first('/v1/events', 'events'), request, session: session.id, email: `${mark}.spare@example.com`,
    link: await tenant.invite('linked'), cursor: await cursorOf('/v1/messages'), entriesCursor: await cursorOf('/v1/wallet/entries'),
    templatesCursor: await cursorOf('/v1/templates'), batch: await batch(), spareBatch: await batch(),
    batchesCursor: await cursorOf('/v1/batches'),
  }
}

/** An id of what does not exist, of the form that ids have. */
const noId = (digit: number): string => `${'0'.repeat(31)}${digit}`

/** Names of what does not exist, of the form that they need and each another one. */
export const MADE_UP: Names = {
  workspace: `ws_${noId(1)}`, message: `msg_${noId(1)}`, queued: `msg_${noId(3)}`, unconfirmed: `msg_${noId(2)}`, endpoint: `ep_${noId(1)}`,
  spareEndpoint: `ep_${noId(2)}`, otherEndpoint: `ep_${noId(3)}`, event: `evt_${noId(1)}`, key: noId(4), spareKey: noId(5),
  otherKey: noId(6), customer: '49173000000017', spareCustomer: '49173000000018', template: 'zzyzxx_offer', wamid: 'wamid.in49173000000017',
  media: '949173000000017', session: `ses_${noId(1)}`, email: 'zzyzxx.spare@example.com', phone: '730000000000017',
  account: '830000000000017', link: 'x'.repeat(43), request: noId(7), cursor: '', entriesCursor: '', templatesCursor: '',
  batch: `bat_${noId(1)}`, spareBatch: `bat_${noId(2)}`, batchesCursor: '',
}
