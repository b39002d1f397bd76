import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import type { KnexStorage } from '../../../adapters/knex/index.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import type { Claim } from '../../../core/messages/message-log.js'
import { type IdempotencyKey, type Message, type MessageId, messageIdOf, requestOf } from '../../../core/messages/message.js'
import { withDatabase } from '../../support/books.js'
import { request } from '../../support/gateway.js'
import { posternJson } from '../../support/postern.js'
import { done } from '../../support/right-of.js'
import { startServer } from '../../support/server-process.js'
import { type CommandLine, openCommandLine, TOKEN } from './support.js'

const MESSAGE: Message = { _tag: 'Template', to: '33639980001' as PhoneNumber, name: 'hello_world', language: 'en_US' }
const KEY = 'order 7' as IdempotencyKey
const PRICE = { micros: 62_500n, currency: 'USD' as Currency, category: 'marketing' as const }
const LONG_AGO_MS = 3_600_000

describe('The commands for what is left open', () => {
  let cli: CommandLine
  let workspace: WorkspaceId
  before(async () => {
    cli = await openCommandLine()
    workspace = (await cli.json<{ id: WorkspaceId }>('workspace', 'create', 'Shop')).id
    await posternJson(['sender', 'set', 'Shop', '--phone-number-id', '1000'], cli.env, TOKEN)
    await cli.json('wallet', 'top-up', 'Shop', '1')
  })
  after(() => cli[Symbol.asyncDispose]())

  const open = (storage: KnexStorage, message: MessageId, claim?: Claim): Promise<void> =>
    done(storage.messageLog.open({
      id: message, workspace, message: MESSAGE, price: PRICE, at: Date.now() - LONG_AGO_MS, ...(claim && { claim }),
    })).then(() => undefined)

  /** Leaves a message whose answer was lost, with its price on hold. */
  const loseAnswer = (): Promise<MessageId> =>
    withDatabase(cli.env['DATABASE_URL'] ?? '', async (storage) => {
      const message = messageIdOf(uuidv7())
      await open(storage, message)
      await done(storage.wallet.hold({ workspace, message, amount: PRICE, at: Date.now() - LONG_AGO_MS }))
      await done(storage.messageLog.apply(workspace, message, { state: 'unconfirmed', at: Date.now() }))
      return message
    })

  /** Leaves what a process leaves that was killed between opening a message with a key and holding its price. */
  const dieBeforeHold = (): Promise<string> =>
    withDatabase(cli.env['DATABASE_URL'] ?? '', async (storage) => {
      const id = messageIdOf(uuidv7())
      await open(storage, id, { key: KEY, request: requestOf(MESSAGE) })
      return id
    })

  it('reconcile refuses a message that was opened and never held, and its key sends again', async () => {
    const id = await dieBeforeHold()
    const { key } = await cli.json<{ key: string }>('key', 'mint', 'Shop')
    const send = async (url: string) => request(`${url}/v1/messages/send-template`, 'POST', key, {
      json: { to: MESSAGE.to, template_name: 'hello_world', language: 'en_US' }, headers: { 'Idempotency-Key': KEY },
    })
    // The gateway reconciles by itself only after the test.
    const server = await startServer({ ...cli.env, RECONCILE_EVERY_MS: '3600000', UNCONFIRMED_AFTER_MS: '7200000' })
    try {
      assert.notEqual((await send(server.url)).status, 200)
      assert.deepEqual(await cli.json('reconcile'), { unconfirmed: 0, refused: 1, released: 0, captured: 0, refunded: 0 })
      assert.deepInclude(await cli.json<object>('message', 'show', id), { state: 'refused', error: { code: 'storage_unavailable', message: 'It was never sent: its price was not set aside' } })
      assert.equal((await send(server.url)).status, 200)
    } finally {
      await server.kill()
    }
    assert.deepEqual((await cli.json<{ broken: unknown }>('wallet', 'audit')).broken, [])
    assert.deepEqual(await cli.json('reconcile'), { unconfirmed: 0, refused: 0, released: 0, captured: 0, refunded: 0 })
  })

  it('message unconfirmed shows a lost answer, and message resolve settles it with a note in the statement', async () => {
    const [sent, unsent] = [await loseAnswer(), await loseAnswer()]
    const shown = await cli.json<ReadonlyArray<Record<string, unknown>>>('message', 'unconfirmed')
    assert.deepEqual(
      shown.map(({ id, workspace: of, state }) => [id, of, state]), [sent, unsent].map((id) => [id, workspace, 'unconfirmed']),
    )
    assert.lengthOf(await cli.lines('message', 'unconfirmed', '--limit', '1'), 2)
    const { available } = await cli.json<{ available: string }>('wallet', 'show', 'Shop')
    assert.deepInclude(await cli.json<object>('message', 'resolve', sent, 'sent', '--note', 'ticket 7'), { id: sent, state: 'accepted' })
    assert.match((await cli.lines('message', 'resolve', unsent, 'not-sent', '--note', 'ticket 8')).join('\n'), /^state +released$/m)
    const balance = await cli.json<{ available: string; held: string }>('wallet', 'show', 'Shop')
    assert.deepEqual([balance.held, Number(balance.available).toFixed(4)], ['0.000000', (Number(available) + 0.0625).toFixed(4)])
    assert.match((await cli.lines('wallet', 'statement', 'Shop', '--limit', '2')).join('\n'), new RegExp(`release .*${unsent} \\(ticket 8\\)[^]*capture .*${sent} \\(ticket 7\\)`))
    await cli.json('message', 'resolve', sent, 'sent', '--note', 'again')
    await cli.fails(['message', 'resolve', sent, 'not-sent', '--note', 'x'], 1, /is accepted; only an unconfirmed message can be resolved/)
    await cli.fails(['message', 'resolve', sent, 'maybe', '--note', 'x'], 2, /Allowed choices are sent, not-sent/)
    await cli.fails(['message', 'resolve', sent, 'sent'], 2, /--note/)
    assert.deepEqual(await cli.json('message', 'unconfirmed'), [])
  })

  it('message cancel cancels a queued message, and the audit log says who did it', async () => {
    const later = Date.now() + LONG_AGO_MS
    const id = await withDatabase(cli.env['DATABASE_URL'] ?? '', async (storage) => {
      const message = messageIdOf(uuidv7())
      await done(storage.messageLog.open({
        id: message, workspace, message: MESSAGE, price: PRICE, at: Date.now(), queue: { dueAt: later, endsAt: later + LONG_AGO_MS },
      }))
      return message
    })
    assert.deepInclude(await cli.json<object>('message', 'cancel', id), { id, state: 'canceled' })
    const [entry] = await cli.json<ReadonlyArray<object>>('audit', 'list', '--limit', '1')
    assert.deepInclude(entry, { act: 'message.cancel', outcome: 'done', workspace, subject: id })
    await cli.fails(['message', 'cancel', await loseAnswer()], 1, /is unconfirmed; only a queued message can be canceled/)
    await cli.fails(['message', 'cancel', `msg_${'0'.repeat(32)}`], 1, /There is no message/)
  })

  it('wallet statement says why a price came back', async () => {
    const error = { code: 131026, title: 'Message undeliverable' }
    const id = await withDatabase(cli.env['DATABASE_URL'] ?? '', async (storage) => {
      const message = messageIdOf(uuidv7())
      await open(storage, message)
      await done(storage.wallet.hold({ workspace, message, amount: PRICE, at: Date.now() }))
      await done(storage.messageLog.apply(workspace, message, { state: 'failed', at: Date.now(), error }))
      await done(storage.wallet.refund({ workspace, message, at: Date.now() }))
      return message
    })
    assert.include((await cli.lines('wallet', 'statement', 'Shop', '--limit', '1'))[1], `${id} (131026: Message undeliverable)`)
    const [entry] = await cli.json<ReadonlyArray<object>>('wallet', 'statement', 'Shop', '--limit', '1')
    assert.deepInclude(entry, { kind: 'release', message_id: id, error })
  })
})
