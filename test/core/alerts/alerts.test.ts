import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { type Digest, type Invitation } from '../../../core/access/members.js'
import { ALERT_EXPIRES_AFTER_MS, nextAlertAttempt, troublesOf, type WaitingAlert, type Watched } from '../../../core/alerts/alert.js'
import {
  type AlertCarriers, type AlertText, makeAlertUseCases, makeDeliverAlerts,
} from '../../../core/alerts/use-cases.js'
import { phoneNumberOf } from '../../../core/customers/customer.js'
import { endpointIdOf } from '../../../core/events/endpoint.js'
import { portFailure } from '../../../core/kernel/failure.js'
import { type Email, SYSTEM } from '../../../core/kernel/actor.js'
import { auditIdOf, memberIdOf, workspaceIdOf } from '../../../core/kernel/ids.js'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/kernel/time.js'
import { messageIdOf } from '../../../core/messages/message.js'
import { NO_ALERTS, type WalletAlerts } from '../../../core/money/wallet.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { NOON, USD } from '../gateway.js'
import { senderIdOf } from '../../../core/senders/sender.js'

const QUIET: Watched = { alerts: NO_ALERTS, senders: [], endpoints: [], numbers: [], templates: [], counts: [] }
const ENDPOINT = endpointIdOf(uuidv7())
const SENDER = senderIdOf('15550100001')
const topics = (watched: Partial<Watched>) => troublesOf({ ...QUIET, ...watched }, NOON).map(({ kind, topic }) => `${kind}: ${topic}`)

describe('The troubles of a workspace', () => {
  it('are none if all is well', () => {
    assert.deepEqual(topics({
      senders: [{ phoneNumberId: SENDER }], endpoints: [{ id: ENDPOINT, status: 'disabled', failingSince: undefined }],
      templates: [{ name: 'hello', language: 'en', status: 'approved', quality: 'green' }], counts: [{ state: 'delivered', messages: 99 }],
    }), [])
  })

  it('are a wallet that is low, and one that is empty instead', () => {
    assert.deepEqual(topics({ alerts: { ...NO_ALERTS, lowSince: NOON } }), ['balance: wallet.low'])
    assert.deepEqual(topics({ alerts: { ...NO_ALERTS, lowSince: NOON, exhaustedSince: NOON } }), ['balance: wallet.empty'])
  })

  it('are a failing share of messages, once enough have ended', () => {
    const of = (failed: number, delivered: number) =>
      topics({ counts: [
        { state: 'failed', messages: failed }, { state: 'delivered', messages: delivered }, { state: 'pending', messages: 900 },
      ] })
    assert.deepEqual([of(4, 15), of(4, 16), of(3, 17)], [[], ['sending: messages.failing'], []])
  })

  it('are a refused sender, and templates that are paused or of quality red', () => {
    assert.deepEqual(topics({
      senders: [{ phoneNumberId: SENDER, failingSince: NOON }],
      templates: [
        { name: 'a', language: 'en', status: 'paused', quality: 'red' }, { name: 'b', language: 'de', status: 'approved', quality: 'red' },
      ],
    }), [`quality: sender.failing ${SENDER}`, 'quality: template is paused a en', 'quality: template has the quality red b de'])
  })

  it('are a sender whose token cannot be decrypted', () => {
    assert.deepEqual(topics({ senders: [{ phoneNumberId: SENDER, isUnreadable: true }] }), [`quality: sender.unreadable ${SENDER}`])
  })

  it('are a number of quality red, and no other quality', () => {
    const qualities = ['green', 'yellow', 'red', 'unknown', undefined] as const
    const numbers = qualities.map((quality) =>
      ({ phoneNumberId: senderIdOf(`number-${quality}`), ...(quality !== undefined && { quality }) }))
    assert.deepEqual(topics({ numbers }), ['quality: number is red number-red'])
    const [trouble] = troublesOf({ ...QUIET, numbers: [{ phoneNumberId: SENDER, displayNumber: '+1 555-010-0001', quality: 'red' }] }, NOON)
    assert.equal(trouble?.sentence, 'The number +1 555-010-0001 has the quality red.')
  })

  it('are an endpoint that has failed for a while, and one that was disabled because of it', () => {
    const of = (status: 'enabled' | 'disabled', forMs: number) =>
      topics({ endpoints: [{ id: ENDPOINT, status, failingSince: NOON - forMs }] })
    assert.deepEqual(
      [of('enabled', 14 * MINUTE_MS), of('enabled', 15 * MINUTE_MS), of('disabled', 0)],
      [[], [`endpoint: endpoint.failing ${ENDPOINT}`], [`endpoint: endpoint.disabled ${ENDPOINT}`]],
    )
  })

  it('are tried again with growing pauses until a day has passed', () => {
    const pauses: Array<number> = []
    for (let [attempts, at] = [1, NOON]; ; attempts += 1) {
      const next = nextAlertAttempt(attempts, NOON, at)
      if (next === undefined) break
      pauses.push((next - at) / MINUTE_MS)
      at = next
      assert.isAtMost(at, NOON + ALERT_EXPIRES_AFTER_MS)
    }
    assert.deepEqual(pauses, [1, 5, 30, 120, 360, 360, 360])
  })
})

/** A workspace named Acme whose owner chose the balance, and the use cases with carriers that a test can make fail. */
const openWorld = async () => {
  let now = NOON
  const storage = makeMemoryStorage({ now: () => now })
  const workspace = workspaceIdOf(uuidv7())
  await done(storage.workspaces.create({ id: workspace, name: 'Acme\r\nBcc: x', currency: USD, createdAt: NOON }))
  const [digest, email] = ['d'.repeat(64) as Digest, 'ada@shop.example' as Email]
  const invitation: Invitation = {
    id: memberIdOf(uuidv7()), email, access: { _tag: 'Role', workspace, role: 'owner' }, at: NOON,
    link: { digest, expiresAt: NOON + HOUR_MS }, invitedBy: 'ops', onlyHere: false,
  }
  await done(storage.members.invite(invitation))
  const member = rightOf(await storage.members.takeLink(digest, NOON, undefined))
  const state = { low: false, isBroken: false, isDown: false }
  const walletAlerts: WalletAlerts = {
    ...storage.walletAlerts,
    alertsOf: async (of) => {
      if (state.isBroken) return E.left(portFailure('WalletAlerts')('a defect'))
      return state.low ? E.right({ _tag: 'Some', value: { ...NO_ALERTS, lowSince: NOON } }) : storage.walletAlerts.alertsOf(of)
    },
  }
  const carried: Array<readonly [WaitingAlert['to'], AlertText]> = []
  const carry = async ({ to }: WaitingAlert, text: AlertText) => {
    if (state.isDown) return 'The server is down.'
    carried.push([to, text])
    return undefined
  }
  const carriers: AlertCarriers = { mail: carry, channel: carry, publicUrl: 'https://postern.example' }
  const uses = makeAlertUseCases({
    ...storage, walletAlerts, now: () => now, newAlertId: () => uuidv7().replaceAll('-', ''),
    faultOfUrl: (url) => (new URL(url).hostname === '10.0.0.1' ? 'url is private' : undefined),
    audit: { auditLog: storage.auditLog, newAuditId: () => auditIdOf(uuidv7()), now: () => now },
  })
  const pass = async (more: Partial<AlertCarriers> = {}) =>
    [rightOf(await uses.watchWorkspaces(() => true)), rightOf(await uses.deliverAlerts({ ...carriers, ...more }, () => true))] as const
  return { ...uses, storage, workspace, member, state, carried, pass, passes: (ms: number) => { now += ms } }
}

describe('Alerts', () => {
  it('are sent to no person who did not choose them', async () => {
    const { pass, state } = await openWorld()
    state.low = true
    assert.deepEqual(await pass(), [0, { delivered: 0, failed: 0 }])
  })

  it('reach a person once while trouble lasts, with one link, and again after it was resolved', async () => {
    const { pass, state, carried, workspace, member, chooseAlerts, passes } = await openWorld()
    rightOf(await chooseAlerts(member.id, ['balance']))
    state.low = true
    assert.deepEqual(await pass(), [1, { delivered: 1, failed: 0 }])
    assert.deepEqual(carried, [[{ _tag: 'Member', member: member.id, email: member.email }, {
      subject: 'Postern, Acme Bcc: x: The balance of the wallet is below its threshold.',
      body: `The balance of the wallet is below its threshold.\n\nhttps://postern.example/console/workspaces/${workspace}/wallet`,
    }]])
    passes(DAY_MS - 1)
    assert.deepEqual(await pass(), [0, { delivered: 0, failed: 0 }])
    state.low = false
    await pass()
    state.low = true
    await pass()
    assert.lengthOf(carried, 2)
  })

  it('count what is scheduled for the next day, for the event, the audit log and people', async () => {
    const { pass, carried, member, storage, chooseAlerts, workspace } = await openWorld()
    rightOf(await chooseAlerts(member.id, ['balance']))
    rightOf(await storage.ledger.topUp({ workspace, micros: 10n, reference: 'a', at: NOON }))
    rightOf(await storage.walletAlerts.setThreshold(workspace, 5n))
    const schedule = async (micros: bigint, dueAt: number, isHeld: boolean) => rightOf(await storage.messageLog.open({
      id: messageIdOf(uuidv7()), workspace, at: NOON, message: { _tag: 'Text', to: phoneNumberOf('+15550100002'), text: 'Hello' },
      price: { micros, currency: USD, category: 'service' }, queue: { dueAt, endsAt: dueAt + DAY_MS, isHeld },
    }))
    await schedule(5n, NOON + DAY_MS - 1, false)
    await schedule(100n, NOON + DAY_MS, false)
    await schedule(100n, NOON + HOUR_MS, true)
    await pass()
    const alerts = rightOf(await storage.walletAlerts.alertsOf(workspace))
    assert.deepEqual([carried.length, alerts], [0, O.some({ ...NO_ALERTS, threshold: 5n })])
    await schedule(1n, NOON + HOUR_MS, false)
    assert.deepEqual(await pass(), [1, { delivered: 1, failed: 0 }])
    assert.equal(carried[0]?.[1].subject, 'Postern, Acme Bcc: x: The balance of the wallet is below its threshold.')
    const { items } = rightOf(await storage.auditLog.list({ workspace, limit: 5 }))
    assert.deepEqual(items.filter(({ act }) => act === 'wallet.low').map(({ details }) => details), [
      { currency: USD, available: '0.000010', held: '0.000000', threshold: '0.000005' },
    ])
    await pass()
    assert.lengthOf(carried, 1)
  })

  it('are in the language of the person, and in English in the channel and for facts that a previous release did not store', async () => {
    const { pass, state, carried, member, storage, chooseAlerts, setAlertChannel, workspace, passes } = await openWorld()
    rightOf(await chooseAlerts(member.id, ['balance']))
    rightOf(await setAlertChannel({ by: SYSTEM, workspace, url: 'https://hooks.example/T1' }))
    state.low = true
    const link = `https://postern.example/console/workspaces/${workspace}/wallet`
    for (const [language, sentence] of [
      ['en', 'The balance of the wallet is below its threshold.'], ['de', 'Das Guthaben liegt unter seinem Schwellenwert.'],
      ['es', 'El saldo está por debajo de su umbral.'], ['pt-BR', 'O saldo está abaixo do seu limiar.'],
    ] as const) {
      rightOf(await storage.members.setLanguage(member.id, language))
      assert.deepEqual(await pass(), [2, { delivered: 2, failed: 0 }])
      const texts = Object.fromEntries(carried.splice(0).map(([to, text]) => [to._tag, text]))
      assert.deepEqual(texts['Member'], { subject: `Postern, Acme Bcc: x: ${sentence}`, body: `${sentence}\n\n${link}` })
      assert.match(texts['Channel']?.subject ?? '', /The balance of the wallet is below its threshold\.$/)
      passes(DAY_MS)
    }
  })

  it('of a previous release, which stores no facts, are in English', async () => {
    const carried: Array<AlertText> = []
    const waiting: Array<WaitingAlert> = [{
      id: 'a', workspace: workspaceIdOf(uuidv7()),
      to: { _tag: 'Member', member: memberIdOf(uuidv7()), email: 'a@shop.example', language: 'de' },
      troubles: [{ kind: 'sending', sentence: 'Messages failed.' }], raisedAt: NOON, attempts: 0,
    }]
    const deliver = makeDeliverAlerts({
      alerts: { claim: async () => E.right(waiting.splice(0)), settle: async () => E.right(undefined) }, now: () => NOON,
      workspaces: { find: async (id) => E.right(O.some({ id, name: 'Acme', currency: USD, createdAt: NOON })) },
    })
    const carry = async (_: WaitingAlert, text: AlertText) => void carried.push(text)
    rightOf(await deliver({ mail: carry, channel: carry, publicUrl: undefined }, () => true))
    assert.deepEqual(carried, [{ subject: 'Postern, Acme: Messages failed.', body: 'Messages failed.' }])
  })

  it('that could not be delivered are tried again, and dropped after a day', async () => {
    const { pass, state, carried, workspace, setAlertChannel, passes } = await openWorld()
    rightOf(await setAlertChannel({ by: SYSTEM, workspace, url: 'https://hooks.example/T1' }))
    ;[state.low, state.isDown] = [true, true]
    assert.deepEqual(await pass(), [1, { delivered: 0, failed: 1, error: 'The server is down.' }])
    assert.deepEqual((await pass())[1], { delivered: 0, failed: 0 })
    passes(MINUTE_MS)
    assert.equal((await pass())[1].failed, 1)
    state.isDown = false
    passes(5 * MINUTE_MS)
    assert.equal((await pass())[1].delivered, 1)
    assert.lengthOf(carried, 1)
  })

  it('for members are dropped without a mail server', async () => {
    const { pass, state, carried, member, chooseAlerts } = await openWorld()
    rightOf(await chooseAlerts(member.id, ['balance']))
    state.low = true
    assert.deepEqual(await pass({ mail: undefined }), [1, { delivered: 0, failed: 0 }])
    assert.deepEqual(await pass(), [0, { delivered: 0, failed: 0 }])
    assert.isEmpty(carried)
  })

  it('wait where the state of a workspace cannot be read, and nothing counts as resolved', async () => {
    const { watchWorkspaces, pass, state, carried, member, chooseAlerts } = await openWorld()
    rightOf(await chooseAlerts(member.id, ['balance']))
    state.low = true
    await pass()
    state.isBroken = true
    assert.equal(leftOf(await watchWorkspaces(() => true))._tag, 'PortFailure')
    state.isBroken = false
    assert.deepEqual((await pass())[0], 0)
    assert.lengthOf(carried, 1)
  })

  it('have a channel whose address is checked, and is not in the audit log', async () => {
    const { setAlertChannel, showChannel, workspace, storage } = await openWorld()
    const by = SYSTEM
    assert.deepEqual(
      leftOf(await setAlertChannel({ by, workspace, url: 'https://10.0.0.1/x' })), { _tag: 'InvalidEndpointUrl', reason: 'url is private' },
    )
    for (const url of ['ftp://a.example/T1', 'https://user:word@a.example/', 'a.example', `https://a.example/${'x'.repeat(2_048)}`]) {
      const refused = leftOf(await setAlertChannel({ by, workspace, url }))
      assert.match(refused._tag === 'InvalidEndpointUrl' ? refused.reason : '', /^url must be an absolute https URL/)
    }
    rightOf(await setAlertChannel({ by, workspace, url: ' https://hooks.example/T1 ' }))
    assert.deepEqual(rightOf(await showChannel(workspace)), { _tag: 'Some', value: 'https://hooks.example/T1' })
    const entries = rightOf(await storage.auditLog.list({ limit: 9 })).items
    assert.deepEqual(entries.map(({ act, details }) => [act, details]).at(0), ['alert.set_channel', { channel: 'set' }])
    assert.notInclude(JSON.stringify(entries), 'hooks.example')
    rightOf(await setAlertChannel({ by, workspace, url: '' }))
    assert.deepEqual(rightOf(await showChannel(workspace)), { _tag: 'None' })
  })
})
