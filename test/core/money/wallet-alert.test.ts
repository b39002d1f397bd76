import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { type Actor, type AuditEntry, SYSTEM } from '../../../core/kernel/actor.js'
import { auditIdOf, memberIdOf, workspaceIdOf } from '../../../core/kernel/ids.js'
import { MAX_MICROS } from '../../../core/kernel/money.js'
import { makeSetWalletAlert } from '../../../core/money/use-cases.js'
import { parseThreshold } from '../../../core/money/wallet.js'
import { makeSendText } from '../../../core/sending/send.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { CUSTOMER, gateway, NOON, TEXT_PRICE } from '../gateway.js'

const open = async (balance: bigint) => {
  const gw = await gateway({ balance, broker: true })
  const { workspace, now, deps, storage: { auditLog, walletAlerts } } = gw
  const audit = { auditLog, newAuditId: () => auditIdOf(uuidv7()), now }
  const sendText = makeSendText({ ...deps, audit })
  return {
    ...gw, setAlert: makeSetWalletAlert({ walletAlerts, audit }),
    send: async () => E.isRight(await sendText({ workspace, to: CUSTOMER, text: 'Hello' })),
    /** The entries of the audit log without their ids, oldest first. */
    audited: async (): Promise<ReadonlyArray<Omit<AuditEntry, 'id'>>> =>
      (await done(auditLog.list({ limit: 100 }))).items.map(({ id: _id, ...entry }) => entry).reverse(),
    emitted: async () =>
      (await gw.events()).filter(({ type }) => type.startsWith('wallet.')).map(({ type, subject, data }) => ({ type, subject, data })),
  }
}

describe('The alerts of a wallet', () => {
  it('are an event and an audit entry of the gateway itself, once each until money is added', async () => {
    const { workspace, setAlert, send, emitted, audited, topUp } = await open(3n * TEXT_PRICE)
    rightOf(await setAlert({ by: SYSTEM, workspace, threshold: 2n * TEXT_PRICE }))
    const low = { currency: 'USD', available: '0.007700', held: '0.000000', threshold: '0.015400' }
    const exhausted = { currency: 'USD', available: '0.000000', held: '0.000000', required: '0.007700', shortfall: '0.007700' }
    const expected: Array<unknown> = []
    for (const round of [1, 2]) {
      const outcomes = []
      for (let sends = 0; sends < 5; sends += 1) outcomes.push(await send())
      assert.deepEqual(outcomes, [true, true, true, false, false])
      expected.push(
        { type: 'wallet.low', subject: workspace, data: { ...low, held: '0.007700' } },
        { type: 'wallet.exhausted', subject: workspace, data: exhausted },
      )
      assert.deepEqual<unknown>(await emitted(), expected, `round ${round}`)
      await topUp(3n * TEXT_PRICE)
    }
    assert.deepEqual<unknown>((await audited()).filter(({ by }) => by.type === 'system').slice(1, 3), [
      {
        at: NOON, by: { type: 'system' }, act: 'wallet.low', outcome: 'done', workspace, subject: workspace,
        details: { ...low, held: '0.007700' },
      },
      { at: NOON, by: { type: 'system' }, act: 'wallet.exhausted', outcome: 'done', workspace, subject: workspace, details: exhausted },
    ])
    assert.lengthOf(await audited(), 5)
  })

  it('are exhausted alone without a threshold', async () => {
    const { send, emitted } = await open(TEXT_PRICE)
    for (const isSent of [true, false, false]) assert.equal(await send(), isSent)
    assert.deepEqual((await emitted()).map(({ type }) => type), ['wallet.exhausted'])
  })
})

describe('Setting the threshold of a wallet', () => {
  it('is answered with the alerts, and noted with who did it', async () => {
    const { workspace, setAlert, audited, storage } = await open(10n)
    const by: Actor = { principal: { _tag: 'CommandLine', user: 'root' } }
    for (const threshold of [5_000_000n, undefined]) {
      assert.deepEqual(rightOf(await setAlert({ by, workspace, threshold })), { threshold, lowSince: undefined, exhaustedSince: undefined })
      assert.equal(O.toUndefined(await done(storage.walletAlerts.alertsOf(workspace)))?.threshold, threshold)
    }
    const entry = {
      at: NOON, by: { type: 'command_line', user: 'root' }, act: 'wallet.set_alert', outcome: 'done', workspace, subject: workspace,
    }
    assert.deepEqual<unknown>(await audited(), [
      { ...entry, details: { threshold: '5.000000' } },
      { ...entry, details: { threshold: null } },
    ])
  })

  it('is for owners and operators', async () => {
    const { workspace, setAlert, audited, storage } = await open(10n)
    for (const role of ['developer', 'viewer'] as const) {
      const by: Actor = {
        principal: {
          _tag: 'Member', member: memberIdOf(uuidv7()), email: 'ada@shop.example', isOperator: false, roles: new Map([[workspace, role]]),
        },
      }
      assert.deepEqual(leftOf(await setAlert({ by, workspace, threshold: 1n })), { _tag: 'Forbidden', act: 'wallet.set_alert' })
    }
    assert.deepEqual((await audited()).map(({ outcome }) => outcome), ['refused', 'refused'])
    assert.isUndefined(O.toUndefined(await done(storage.walletAlerts.alertsOf(workspace)))?.threshold)
  })

  it('refuses an invalid threshold, and a workspace that does not exist', async () => {
    const { workspace, setAlert } = await open(10n)
    for (const threshold of [0n, -1n, MAX_MICROS + 1n]) {
      assert.equal(leftOf(await setAlert({ by: SYSTEM, workspace, threshold }))._tag, 'InvalidAmount')
    }
    assert.equal(leftOf(await setAlert({ by: SYSTEM, workspace: workspaceIdOf(uuidv7()), threshold: 1n }))._tag, 'UnknownWorkspace')
    for (const text of ['0', '-1', '0.0', '1e3', '1.1234567', '10 EUR', 'EUR', '', ' 1', '1,5', '0x10', '10000000000000', 'NaN', '１']) {
      assert.equal(leftOf(parseThreshold(text))._tag, 'InvalidAmount', text)
    }
    for (const [text, micros] of [['0.000001', 1n], ['1000000000000', MAX_MICROS], ['12.34', 12_340_000n]] as const) {
      assert.equal(rightOf(parseThreshold(text)), micros)
    }
  })
})
