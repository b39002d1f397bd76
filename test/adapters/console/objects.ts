import { uuidv7 } from 'uuidv7'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { endpointIdOf, endpointSecretOf } from '../../../core/events/endpoint.js'
import { SCOPES } from '../../../core/kernel/actor.js'
import { eventIdOf, type WorkspaceId } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import { messageIdOf } from '../../../core/messages/message.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { done } from '../../support/right-of.js'
import type { OpenConsole } from './browser.js'

const CUSTOMER = '4915123456789' as PhoneNumber

/** Makes one of everything that an address may name in a workspace; the names are those of the addresses. */
export const objectsOf = async ({ storage, clock }: OpenConsole, workspace: WorkspaceId): Promise<Readonly<Record<string, string>>> => {
  const at = clock.at
  const [message, endpoint, event] = [messageIdOf(uuidv7()), endpointIdOf(uuidv7()), eventIdOf(uuidv7())]
  await done(storage.ledger.topUp({ workspace, micros: 1_000_000n, reference: 'objects', at }))
  await done(storage.windowClock.recordInbound(workspace, { phoneNumber: CUSTOMER }, at))
  const price = { micros: 10_000n, currency: 'USD' as Currency, category: 'service' } as const
  await done(storage.messageLog.open({ id: message, workspace, at, message: { _tag: 'Text', to: CUSTOMER, text: 'Hello' }, price }))
  await done(storage.wallet.hold({ workspace, message, amount: price, at }))
  await done(storage.messageLog.apply(workspace, message, { state: 'unconfirmed', at, error: { code: 1 } }))
  const secret = endpointSecretOf(Buffer.alloc(24, 1).toString('base64'))
  await done(storage.eventEndpoints.add({
    id: endpoint, workspace, url: 'https://shop.example/', types: ['*'], description: '', createdAt: at, secret,
  }))
  await done(storage.eventOutbox.append(workspace, [{ id: event, type: 'message.sent', workspace, at, subject: message, data: {} }]))
  const { id: key } = await done(storage.keyStore.mint({ workspace, name: 'shop', at, scopes: SCOPES }))
  const request = uuidv7().replaceAll('-', '')
  const [known] = await done(storage.senders.sendersOf(workspace))
  const number = known?.phoneNumberId ?? senderIdOf(String(BigInt(`0x${workspace.slice(-12)}`)))
  if (known === undefined) {
    await done(storage.senders.assign(workspace, { phoneNumberId: number, accessToken: 'token', businessAccountId: undefined }))
  }
  await done(storage.requestLog.append([
    {
      id: request, workspace, requestId: uuidv7(), key, method: 'POST', route: '/v1/messages/send-text', status: 400, code: 'window_closed',
      durationMs: 1, at,
    },
  ]))
  return { message, endpoint, event, key, request, number, customer: CUSTOMER }
}

/** Everything that the forms of the console may change in workspaces, as a text. */
export const stateOf = async ({ storage, use }: OpenConsole, workspaces: ReadonlyArray<WorkspaceId>): Promise<string> => {
  const states = await Promise.all(workspaces.map(async (workspace) => [
    await done(storage.workspaces.find(workspace)), await done(storage.keyStore.list(workspace)),
    await done(storage.senders.sendersOf(workspace)), await done(storage.eventEndpoints.list(workspace)),
    await done(storage.messageLog.list(workspace, { limit: 100 })), await done(storage.ledger.balance(workspace)),
    await done(storage.walletAlerts.alertsOf(workspace)), await done(storage.queueHolds.list()),
    await done(storage.windowClock.lastInbound(workspace, CUSTOMER)),
    (await done(use.listMembers({ by: { principal: { _tag: 'System' } }, workspace }))).map(({ roles, ...member }) => ({
      ...member, roles: [...roles],
    })),
  ]))
  return JSON.stringify(states, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}
