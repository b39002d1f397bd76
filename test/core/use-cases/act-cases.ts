import { createHash, randomBytes } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { checkView } from '../../../core/access/acting.js'
import { makeSetAlertChannel } from '../../../core/alerts/use-cases.js'
import { makeListAudit } from '../../../core/access/audit.js'
import { makeMintKey, makeRevokeKey, makeRotateKey } from '../../../core/access/key-use-cases.js'
import { makeInviteMember, makeListMembers, makeRemoveMember } from '../../../core/access/member-use-cases.js'
import type { Digest, Token } from '../../../core/access/members.js'
import type { BatchLine, LineProblem } from '../../../core/batches/lines.js'
import { makeConsentUseCases } from '../../../core/consent/use-cases.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { endpointIdOf, endpointSecretOf } from '../../../core/events/endpoint.js'
import { makeEventUseCases } from '../../../core/events/use-cases.js'
import { type Act, type Actor, type AuditEntry, type Email, SCOPES, SYSTEM } from '../../../core/kernel/actor.js'
import { appIdOf, auditIdOf, eventIdOf, memberIdOf, workspaceIdOf } from '../../../core/kernel/ids.js'
import { messageIdOf } from '../../../core/messages/message.js'
import { makeSetPricing } from '../../../core/money/pricing.js'
import { makeAdjustWallet, makeSetWalletAlert, makeTopUp } from '../../../core/money/use-cases.js'
import { makeEraseCustomer } from '../../../core/privacy.js'
import { makeRecordInbound } from '../../../core/reports/receive.js'
import { makeSettleLostMessage } from '../../../core/reports/status.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { makeAssignSender, makeRemoveSender, makeReplaceSender, makeSetDefaultSender } from '../../../core/senders/use-cases.js'
import { makeQueueControl } from '../../../core/sending/queue-control.js'
import { makeCancelMessage } from '../../../core/sending/queue.js'
import { makeReconcile, makeReconcileByHand, makeResolveMessage } from '../../../core/sending/reconcile.js'
import { makeSyncByHand, makeSyncTemplates } from '../../../core/templates/sync.js'
import { makeAddApp, makeRemoveApp, makeRotateApp } from '../../../core/workspaces/apps.js'
import { makeArchiveWorkspace, makeCreateWorkspace, makeRenameWorkspace } from '../../../core/workspaces/use-cases.js'
import { done, rightOf } from '../../support/right-of.js'
import { scriptedReceiver } from '../../support/scripted-receiver.js'
import { templatePlatform } from '../../support/template-platform.js'
import { gateway, NOON, USD } from '../gateway.js'
import { body, templateOf } from '../template-samples.js'

const WRITER = '33639980001' as PhoneNumber
const BOB = 'bob@shop.example' as Email

/** A use case that is an act, with a good command. */
export type ActCase = {
  readonly act: Act
  readonly run: (world: ActWorld, by: Actor) => Promise<E.Either<{ readonly _tag: string }, unknown>>
}

/**
 * Every act but these has a case. Sends take no actor: the API key of the request is checked before them, and the log of messages has it. The same is true of what
 * an API key may only see. Health is shown by the gateway itself, which checks it with `checkView`.
 */
export const WITHOUT_USE_CASE: ReadonlyArray<Act> = [
  'message.send', 'message.mark_read', 'message.view', 'attachment.view', 'wallet.view', 'customer.view', 'template.view', 'event.view',
  'sender.view', 'health.view',
]

export type ActWorld = Awaited<ReturnType<typeof openActWorld>>

/** A workspace that has one of everything that can be acted on, and every use case that is an act. */
export const openActWorld = async () => {
  const gw = await gateway({ templates: [templateOf([body('Hello')])] })
  const { workspace, storage, now } = gw
  const newAuditId = () => auditIdOf(uuidv7())
  const digestOf = (text: string) => createHash('sha256').update(text).digest('hex') as Digest
  const deps = {
    ...gw.deps, storage, workspaces: storage.workspaces, now, pricedIn: () => USD, digestOf,
    audit: { auditLog: storage.auditLog, newAuditId, now },
    newWorkspaceId: () => workspaceIdOf(uuidv7()),
    newReference: uuidv7,
    newEndpointId: () => endpointIdOf(uuidv7()),
    newSecret: () => endpointSecretOf(randomBytes(24).toString('base64')),
    newEventId: () => eventIdOf(uuidv7()),
    newAttemptId: () => uuidv7().replaceAll('-', ''),
    newToken: () => randomBytes(32).toString('base64url') as Token,
    newMemberId: () => memberIdOf(uuidv7()),
    newAppId: () => appIdOf(uuidv7()),
    newVerifyToken: () => uuidv7(),
    ...scriptedReceiver().webhooks,
    templateSource: templatePlatform([templateOf([body('Hello')]), templateOf([body('Good day')], { name: 'other' })]).source,
  }
  const { eventEndpoints, eventOutbox, keyStore, members, customers } = storage
  const [endpoint, event] = [deps.newEndpointId(), deps.newEventId()]
  await done(eventEndpoints.add({
    id: endpoint, workspace, url: 'https://shop.example/', types: ['*'], description: '', createdAt: NOON, secret: deps.newSecret(),
  }))
  await done(eventOutbox.append(workspace, [{ id: event, type: 'message.sent', workspace, at: NOON, subject: 'x', data: {} }]))
  await done(storage.apps.add({ id: deps.newAppId(), name: 'acme', createdAt: NOON, appSecret: 'secret', verifyToken: 'token' }))
  const { id: key } = await done(keyStore.mint({ workspace, name: 'shop', at: NOON, scopes: SCOPES }))
  const access = { _tag: 'Role', workspace, role: 'viewer' } as const
  await done(members.invite({
    id: deps.newMemberId(), email: BOB, access, at: NOON, link: { digest: digestOf('link'), expiresAt: NOON + 1_000 },
    invitedBy: 'the gateway', onlyHere: false,
  }))
  await done(storage.senders.assign(workspace, { phoneNumberId: SECOND, accessToken: 'token', businessAccountId: undefined }))
  await done(customers.learn(workspace, WRITER, { _tag: 'MarketingStopped', at: NOON }))
  gw.willAnswer({ _tag: 'OutcomeUnknown', cause: 'timeout' })
  await gw.sendText()
  const [message] = await gw.messages()
  const lost = messageIdOf(uuidv7())
  rightOf(await gw.receive(gw.status(lost, 'sent')))
  if (message === undefined) throw new Error('a message was expected')

  /** Everything that the acts change, as a text. */
  const state = async (): Promise<string> => JSON.stringify([
    await done(storage.workspaces.list()), await done(keyStore.list(workspace)), await done(storage.senders.sendersOf(workspace)),
    await done(eventEndpoints.list(workspace)), await done(storage.eventDeliveries.attempts(endpoint, { limit: 10 })),
    (await done(members.list())).map((member) => ({ ...member, roles: [...member.roles] })), await done(customers.find(workspace, WRITER)),
    await done(storage.ledger.balance(workspace)), await done(storage.walletAlerts.alertsOf(workspace)), await gw.messages(),
    await done(storage.queueHolds.list()), await done(storage.consents.find(workspace, [WRITER])),
    await done(storage.consents.rules(workspace)),
    (await done(storage.batches.list(workspace, { limit: 10 }))).items,
    await done(storage.lostMessages.counts()), await done(storage.apps.list()), await gw.lastInbound(), await gw.lastInbound(WRITER),
  ], (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))

  const queued = messageIdOf(uuidv7())
  await done(storage.messageLog.open({
    id: queued, workspace, message: { _tag: 'Text', to: '33639980002' as PhoneNumber, text: 'Later' }, at: NOON,
    queue: { dueAt: NOON, endsAt: NOON + 1 },
    price: { micros: 1n, currency: USD, category: 'service' },
  }))

  const made = await batchesOf(gw)
  const audited = async () => (await done(storage.auditLog.list({ limit: 100 }))).items.toReversed()
  const { length: before } = await audited()

  return {
    workspace, endpoint, event, key, message: message.id, queued, lost, state, deps, ...made,
    /** The audit log since the world was opened, oldest first. */
    noted: async (): Promise<ReadonlyArray<AuditEntry>> => (await audited()).slice(before),
    ...makeEventUseCases(deps),
    createWorkspace: makeCreateWorkspace(deps), renameWorkspace: makeRenameWorkspace(deps), archiveWorkspace: makeArchiveWorkspace(deps),
    assignSender: makeAssignSender({
      ...deps, verification: { checkSender: async () => E.right(undefined), checkAccount: async () => E.right(undefined) },
    }),
    setDefaultSender: makeSetDefaultSender(deps),
    replaceSender: makeReplaceSender({ ...deps, verification: 'trusted' }),
    removeSender: makeRemoveSender(deps), recordInbound: makeRecordInbound(deps), resolveMessage: makeResolveMessage(deps),
    settleLostMessage: makeSettleLostMessage(deps), eraseCustomer: makeEraseCustomer(deps), mintKey: makeMintKey(deps),
    rotateKey: makeRotateKey(deps), revokeKey: makeRevokeKey(deps), topUp: makeTopUp(deps), adjustWallet: makeAdjustWallet(deps),
    setAlertChannel: makeSetAlertChannel({ ...deps, alerts: storage.alerts }),
    setWalletAlert: makeSetWalletAlert(deps),
    ...makeConsentUseCases({ ...deps, consents: storage.consents }),
    setPricing: makeSetPricing({ ...deps, workspacePricing: deps.storage.workspacePricing }),
    reconcileByHand: makeReconcileByHand({ ...deps, reconcile: makeReconcile(deps) }),
    syncByHand: makeSyncByHand({ ...deps, syncTemplates: makeSyncTemplates(deps) }),
    inviteMember: makeInviteMember(deps), removeMember: makeRemoveMember(deps), listMembers: makeListMembers(deps),
    listAudit: makeListAudit(deps),
    ...makeQueueControl({ ...deps, queueHolds: storage.queueHolds, cancel: makeCancelMessage(deps) }),
    addApp: makeAddApp({ ...deps, apps: storage.apps }), rotateApp: makeRotateApp({ ...deps, apps: storage.apps }),
    removeApp: makeRemoveApp({ ...deps, apps: storage.apps }),
  }
}

/** Makes three batches of one message each: a draft, a confirmed one and a paused one. */
const batchesOf = async ({ batching, workspace }: Awaited<ReturnType<typeof gateway>>) => {
  const draft = async () => {
    const { id } = rightOf(await batching.create({ by: SYSTEM, workspace, templateName: 'order_update', language: 'en', timing: {} }))
    rightOf(await batching.addRecipients({ by: SYSTEM, workspace, batch: id, lines: linesOf('33639980003' as PhoneNumber) }))
    const { total } = rightOf(await batching.preflight({ by: SYSTEM, workspace, batch: id }))
    return { batch: id, total }
  }
  const [{ batch: drafted, total: draftTotal }, confirmed, paused] = [await draft(), await draft(), await draft()]
  for (const one of [confirmed, paused]) rightOf(await batching.confirm({ by: SYSTEM, workspace, ...one }))
  rightOf(await batching.pause({ by: SYSTEM, workspace, batch: paused.batch }))
  return { batching, drafted, draftTotal, confirmed: confirmed.batch, paused: paused.batch }
}

async function* linesOf(to: PhoneNumber): AsyncGenerator<E.Either<LineProblem, BatchLine>> {
  yield await Promise.resolve(E.right({ line: 1, to }))
}

/** A sender of the world without messages. */
const SECOND = senderIdOf('106540352242923')

/** At least one case of every act. */
export const ACT_CASES: Readonly<Record<string, ActCase>> = {
  'create a workspace': { act: 'workspace.create', run: ({ createWorkspace }, by) => createWorkspace({ by, name: 'New shop' }) },
  'see a workspace': { act: 'workspace.view', run: ({ deps, workspace }, by) => checkView(deps, { by, act: 'workspace.view', workspace }) },
  'rename a workspace': {
    act: 'workspace.rename', run: ({ renameWorkspace, workspace }, by) => renameWorkspace({ by, workspace, name: 'Other shop' }),
  },
  'archive a workspace': { act: 'workspace.archive', run: ({ archiveWorkspace, workspace }, by) => archiveWorkspace({ by, workspace }) },
  'set the prices of a workspace': {
    act: 'workspace.set_prices',
    run: ({ setPricing, workspace }, by) => setPricing({ by, workspace, pricing: { _tag: 'Markup', ppm: 200_000n } }),
  },
  'assign a sender': {
    act: 'sender.assign',
    run: ({ assignSender, workspace }, by) =>
      assignSender({ by, workspace, phoneNumberId: '27681414235104944', accessToken: 'EAAtoken', businessAccountId: undefined }),
  },
  'remove a sender': {
    act: 'sender.remove', run: ({ removeSender, workspace }, by) => removeSender({ by, workspace, sender: SECOND }),
  },
  'make a sender the default': {
    act: 'sender.set_default', run: ({ setDefaultSender, workspace }, by) => setDefaultSender({ by, workspace, sender: SECOND }),
  },
  'replace a sender': {
    act: 'sender.replace',
    run: ({ replaceSender, workspace }, by) => replaceSender({
      by, workspace, sender: SECOND, replacement: { phoneNumberId: '2', accessToken: 'token', businessAccountId: '3' },
    }),
  },
  'mint a key': { act: 'key.mint', run: ({ mintKey, workspace }, by) => mintKey({ by, workspace, name: 'till' }) },
  'rotate a key': { act: 'key.rotate', run: ({ rotateKey, key: id }, by) => rotateKey({ by, id }) },
  'revoke a key': { act: 'key.revoke', run: ({ revokeKey, key: id }, by) => revokeKey({ by, id }) },
  'top up a wallet': { act: 'wallet.top_up', run: ({ topUp, workspace }, by) => topUp({ by, workspace, micros: 1n }) },
  'adjust a wallet': {
    act: 'wallet.adjust', run: ({ adjustWallet, workspace }, by) => adjustWallet({ by, workspace, micros: -1n, note: 'a mistake' }),
  },
  'set the alert of a wallet': {
    act: 'wallet.set_alert', run: ({ setWalletAlert, workspace }, by) => setWalletAlert({ by, workspace, threshold: 5n }),
  },
  'record an inbound message': {
    act: 'window.record', run: ({ recordInbound, workspace }, by) => recordInbound({ by, workspace, customer: WRITER, at: NOON }),
  },
  'resolve a message': {
    act: 'message.resolve',
    run: ({ resolveMessage, workspace, message }, by) => resolveMessage({ by, workspace, message, outcome: 'sent', note: 'seen' }),
  },
  'cancel a queued message': {
    act: 'message.cancel', run: ({ cancelQueued, workspace, queued }, by) => cancelQueued({ by, workspace, message: queued }),
  },
  'see the queue': { act: 'queue.view', run: ({ showQueue, workspace }, by) => showQueue({ by, workspace }) },
  'hold the queue': { act: 'queue.hold', run: ({ holdQueue, workspace }, by) => holdQueue({ by, workspace, note: 'a wrong price' }) },
  'resume the queue': { act: 'queue.resume', run: ({ resumeQueue, workspace }, by) => resumeQueue({ by, workspace }) },
  'settle a lost message': {
    act: 'message.settle_lost',
    run: ({ settleLostMessage, workspace, lost: id }, by) => settleLostMessage({ by, workspace, id, micros: 1n, note: 'after a failover' }),
  },
  'reconcile at once': { act: 'message.reconcile', run: ({ reconcileByHand }, by) => reconcileByHand({ by }) },
  'add an endpoint': {
    act: 'endpoint.add', run: ({ addEndpoint, workspace }, by) => addEndpoint({ by, workspace, url: 'https://shop.example/' }),
  },
  'change an endpoint': {
    act: 'endpoint.change',
    run: ({ changeEndpoint, workspace, endpoint: id }, by) => changeEndpoint({ by, workspace, id, change: { status: 'disabled' } }),
  },
  'remove an endpoint': {
    act: 'endpoint.remove', run: ({ removeEndpoint, workspace, endpoint: id }, by) => removeEndpoint({ by, workspace, id }),
  },
  'rotate the secret of an endpoint': {
    act: 'endpoint.rotate_secret', run: ({ rotateSecret, workspace, endpoint: id }, by) => rotateSecret({ by, workspace, id }),
  },
  'test an endpoint': { act: 'endpoint.test', run: ({ testEndpoint, workspace, endpoint: id }, by) => testEndpoint({ by, workspace, id }) },
  'deliver an event again': {
    act: 'event.redeliver', run: ({ redeliverEvent, workspace, endpoint: id, event }, by) => redeliverEvent({ by, workspace, id, event }),
  },
  'deliver events again': {
    act: 'event.redeliver', run: ({ redeliverSince, workspace, endpoint: id }, by) => redeliverSince({ by, workspace, id, since: NOON }),
  },
  'set the channel of alerts': {
    act: 'alert.set_channel',
    run: ({ setAlertChannel, workspace }, by) => setAlertChannel({ by, workspace, url: 'https://hooks.example/x' }),
  },
  'read the list of templates': { act: 'template.sync', run: ({ syncByHand, workspace }, by) => syncByHand({ by, workspace }) },
  'erase a customer': {
    act: 'customer.erase', run: ({ eraseCustomer, workspace }, by) => eraseCustomer({ by, workspace, customer: WRITER }),
  },
  'record what a customer stopped': {
    act: 'consent.record',
    run: ({ recordConsent, workspace }, by) =>
      recordConsent({ by, workspace, customer: WRITER, topic: 'all', status: 'withdrawn', source: 'phone call' }),
  },
  'set the words that stop messages': {
    act: 'consent.set_words',
    run: ({ setOptOut, workspace }, by) => setOptOut({ by, workspace, optOut: { words: { en: ['ENOUGH'] }, topic: 'all' } }),
  },
  'require consent to marketing': {
    act: 'workspace.set_consent',
    run: ({ setMarketingConsent, workspace }, by) => setMarketingConsent({ by, workspace, needsConsent: true }),
  },
  'see a batch': { act: 'batch.view', run: ({ batching, workspace, drafted: batch }, by) => batching.show({ by, workspace, batch }) },
  'create a batch': {
    act: 'batch.create',
    run: ({ batching, workspace }, by) =>
      batching.create({ by, workspace, templateName: 'order_update', language: 'en', timing: {} }),
  },
  'replace the lines of a batch': {
    act: 'batch.change',
    run: ({ batching, workspace, drafted: batch }, by) => batching.addRecipients({ by, workspace, batch, lines: linesOf(WRITER) }),
  },
  'confirm a batch': {
    act: 'batch.confirm',
    run: ({ batching, workspace, drafted: batch, draftTotal: total }, by) => batching.confirm({ by, workspace, batch, total }),
  },
  'pause a batch': { act: 'batch.pause', run: ({ batching, workspace, confirmed: batch }, by) => batching.pause({ by, workspace, batch }) },
  'resume a batch': { act: 'batch.resume', run: ({ batching, workspace, paused: batch }, by) => batching.resume({ by, workspace, batch }) },
  'cancel a batch': { act: 'batch.cancel', run: ({ batching, workspace, paused: batch }, by) => batching.cancel({ by, workspace, batch }) },
  'see the members': { act: 'member.view', run: ({ listMembers, workspace }, by) => listMembers({ by, workspace }) },
  'invite a member': {
    act: 'member.invite',
    run: ({ inviteMember, workspace }, by) =>
      inviteMember({ by, email: 'cat@shop.example', access: { _tag: 'Role', workspace, role: 'developer' } }),
  },
  'remove a member': { act: 'member.remove', run: ({ removeMember, workspace }, by) => removeMember({ by, email: BOB, from: workspace }) },
  'add an app': { act: 'app.add', run: ({ addApp }, by) => addApp({ by, name: 'other', appSecret: 'secret' }) },
  'rotate the secret of an app': {
    act: 'app.rotate', run: ({ rotateApp }, by) => rotateApp({ by, app: 'acme', change: { _tag: 'SecretAdded', appSecret: 'new' } }),
  },
  'remove an app': { act: 'app.remove', run: ({ removeApp }, by) => removeApp({ by, app: 'acme' }) },
  'see the audit log': { act: 'audit.view', run: ({ listAudit, workspace }, by) => listAudit({ by, workspace, limit: 10 }) },
}
