import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import type { billingView } from '../../../apps/cli/wallet.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import type { Recategorised } from '../../../core/messages/message-log.js'
import type { MessageId } from '../../../core/messages/message.js'
import { describeEachDatabase, type TestDatabase } from '../../support/databases.js'
import { eventually } from '../../support/eventually.js'
import { type Answer } from '../../support/gateway.js'
import { postern } from '../../support/postern.js'
import { type InProcessFixture, type Tenant, startInProcessFixture } from '../../support/process-fixture.js'
import { rightOf } from '../../support/right-of.js'
import { changeOf, notificationOf, statusOf } from './notifications.js'

const PRICE = '0.062500'

/** The last three digits of a recipient that provokes a fault, where its message ends, and whether it is paid for. */
const ENDS: ReadonlyArray<readonly [string, string, string, 'charged' | 'refunded']> = [
  ['999', 'sent, delivered, read, as usual', 'read', 'charged'],
  ['801', 'delivered before sent', 'read', 'charged'],
  ['802', 'read, and never delivered', 'read', 'charged'],
  ['803', 'each status twice', 'read', 'charged'],
  ['804', 'sent before the platform has answered the send', 'read', 'charged'],
  ['805', 'statuses without our id', 'read', 'charged'],
  ['810', 'an unknown status', 'read', 'charged'],
  ['811', 'statuses with unknown fields', 'read', 'charged'],
  ['812', 'statuses without a phone number', 'read', 'charged'],
  ['813', 'forged statuses, and then right ones', 'read', 'charged'],
  ['814', 'unsigned statuses, and then signed ones', 'read', 'charged'],
  ['815', "statuses with another app's signature, and then right ones", 'read', 'charged'],
  ['816', 'statuses with half a signature, and then right ones', 'read', 'charged'],
  ['817', 'all statuses in one notification', 'read', 'charged'],
  ['818', 'a status and a text of the customer in one notification', 'read', 'charged'],
  ['820', 'sent, and nothing more', 'sent', 'charged'],
  ['830', 'a template that is held first', 'read', 'charged'],
  ['026', 'failed', 'failed', 'refunded'],
  ['042', 'failed for want of payment', 'failed', 'refunded'],
  ['049', 'failed for the sake of the ecosystem', 'failed', 'refunded'],
  ['050', 'failed because the customer wants no marketing', 'failed', 'refunded'],
  ['472', 'failed for an experiment', 'failed', 'refunded'],
  ['807', 'failed, without our id', 'failed', 'refunded'],
  ['808', 'sent, then failed', 'failed', 'refunded'],
  ['847', 'failed though the window is open', 'failed', 'refunded'],
]

await describeEachDatabase('Statuses of a message', (server) => {
  let database: TestDatabase
  let world: InProcessFixture
  let tenant: Tenant
  before(async () => {
    database = await server.create()
    world = await startInProcessFixture({}, database.url)
  })
  beforeEach(async () => { tenant = await world.tenant('1') })
  after(async () => {
    await world[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  const accepted = async (to: string): Promise<Answer> => {
    const answer = await tenant.send(to)
    assert.equal(answer.status, 200, answer.text)
    return answer
  }
  /** A message that was accepted and on which nothing has been reported. */
  const unreported = async (): Promise<{ readonly answer: Answer; readonly id: string; readonly wamid: string }> => {
    world.blockReports()
    const answer = await accepted('15550100999')
    world.simulator.reset()
    world.allowReports()
    return { answer, id: answer.headers.get('Postern-Message') ?? '', wamid: String(answer.json['message_id']) }
  }
  const report = async (...statuses: ReadonlyArray<object>): Promise<void> => {
    assert.equal((await world.notify(notificationOf([changeOf(tenant.phoneNumberId, { statuses })]))).status, 200)
  }
  const pricingOf = async (answer: Answer): Promise<unknown> => {
    const id = answer.headers.get('Postern-Message') as MessageId
    return O.toUndefined(rightOf(await world.storage.messageLog.find(tenant.id, { id })))?.pricing
  }

  for (const [digits, how, state, money] of ENDS) {
    it(`that are ${how} leave it ${state} and ${money}`, async () => {
      const answer = await accepted(`15550100${digits}`)
      await world.simulator.idle()
      const message = await tenant.messageOf(answer)
      assert.deepInclude(message, { state, platform_id: answer.json['message_id'], price: PRICE })
      assert.deepEqual(await tenant.balance(), { available: money === 'charged' ? '0.937500' : '1.000000', held: '0.000000' })
      assert.deepEqual(await tenant.kinds(), ['top_up', 'hold', 'capture', ...(money === 'charged' ? [] : ['refund'])])
    })
  }

  it('are kept with their times, each once, oldest first', async () => {
    const { answer, id, wamid } = await unreported()
    const seconds = Math.floor(Date.now() / 1_000)
    const status = (name: string, second: number): object => statusOf(id, name, { id: wamid, timestamp: String(second) })
    await report(
      status('sent', seconds + 1), status('delivered', seconds + 2), status('sent', seconds + 5), status('read', seconds + 3),
      status('delivered', seconds + 9),
    )
    const { history } = await tenant.messageOf(answer) as {
      readonly history: ReadonlyArray<{ readonly state: string; readonly at: string }>
    }
    assert.deepEqual(history.map(({ state }) => state), ['pending', 'accepted', 'sent', 'delivered', 'read'])
    const at = (second: number): string => new Date(second * 1_000).toISOString()
    assert.deepEqual(history.slice(2).map((entry) => entry.at), [at(seconds + 1), at(seconds + 2), at(seconds + 3)])
  })

  it("that failed keep the platform's error, whole, and refund once however often they are delivered", async () => {
    const { answer, id, wamid } = await unreported()
    const error = {
      code: 131026, title: 'Message undeliverable', error_data: { details: 'Not on the network' }, href: 'https://example.org/',
    }
    const failed = statusOf(id, 'failed', { id: wamid, errors: [error, { code: 1 }] })
    await report(failed, failed)
    await report(failed)
    assert.deepInclude(await tenant.messageOf(answer), { state: 'failed', error })
    assert.deepEqual(await tenant.kinds(), ['top_up', 'hold', 'capture', 'refund'])
    assert.deepEqual(await tenant.balance(), { available: '1.000000', held: '0.000000' })
  })

  it('that failed too late change nothing, and delivery after a failure takes nothing again', async () => {
    const [delivered, failed] = [await unreported(), await unreported()]
    await report(statusOf(delivered.id, 'delivered', { id: delivered.wamid }))
    await report(statusOf(delivered.id, 'failed', { id: delivered.wamid }), statusOf(failed.id, 'failed', { id: failed.wamid }))
    await report(statusOf(failed.id, 'delivered', { id: failed.wamid }))
    assert.deepInclude(await tenant.messageOf(delivered.answer), { state: 'delivered', error: null })
    assert.deepInclude(await tenant.messageOf(failed.answer), { state: 'failed' })
    assert.deepEqual(await tenant.balance(), { available: '0.937500', held: '0.000000' })
  })

  it("are matched by the platform's id alone, in whichever of its two places our id is missing", async () => {
    const { answer, wamid } = await unreported()
    await report(statusOf(undefined, 'sent', { id: wamid }))
    await report(statusOf('not an id of ours', 'delivered', { id: wamid }))
    assert.deepInclude(await tenant.messageOf(answer), { state: 'delivered' })
  })

  it("that name our message and another of the platform's move nothing, however often, and are logged and counted", async () => {
    const { answer, id, wamid } = await unreported()
    const foreign = ['failed', 'delivered', 'read'].map((status) => statusOf(id, status, { id: `${wamid}x` }))
    await report(...foreign)
    await Promise.all([report(...foreign), report(...foreign), report(statusOf(id, 'sent', { id: wamid }))])
    assert.deepInclude(await tenant.messageOf(answer), { state: 'sent', error: null })
    assert.deepEqual(await tenant.balance(), { available: '0.937500', held: '0.000000' })
    await report(statusOf(id, 'delivered', { id: wamid }))
    assert.deepInclude(await tenant.messageOf(answer), { state: 'delivered' })
    assert.deepEqual(await tenant.kinds(), ['top_up', 'hold', 'capture'])
    const line = await eventually('the log line', () => world.server().log().find(({ msg }) => msg === 'statuses_of_another_message'))
    assert.deepInclude(line, { level: 'warn', phone_number_id: tenant.phoneNumberId, count: 3 })
    assert.match((await tenant.ask('GET', '/metrics')).text, /postern_reports_total\{receipt="platform_id_mismatch"\} 9\n/)
  })

  it("are matched by the platform's id if our id in them is of a message that was never opened", async () => {
    const { answer, id, wamid } = await unreported()
    await report(statusOf(`msg_${'0'.repeat(id.length - 4)}`, 'failed', { id: wamid }))
    assert.deepInclude(await tenant.messageOf(answer), { state: 'failed' })
    assert.deepEqual(await tenant.balance(), { available: '1.000000', held: '0.000000' })
  })

  it('bill a text as the built-in card charges it, so that the audit lists none', async () => {
    const to = '15550100999'
    rightOf(await world.storage.windowClock.recordInbound(tenant.id, { phoneNumber: to as PhoneNumber }, Date.now()))
    const answer = await tenant.ask('POST', '/v1/messages/send-text', { json: { to, text: 'Hello' } })
    assert.equal(answer.status, 200, answer.text)
    await world.simulator.idle()
    assert.deepInclude(await tenant.messageOf(answer), { price: '0.000000' })
    assert.deepInclude(await pricingOf(answer) as object, { category: 'service', type: 'free_customer_service' })
    const { status, stdout } = await postern(['wallet', 'audit', '--json'], world.env)
    assert.equal(status, 0)
    const { differences } = JSON.parse(stdout) as ReturnType<typeof billingView>
    assert.deepEqual(differences.filter(({ workspace }) => workspace === tenant.id), [])
  })

  it('keep the pricing they bring, and the audit reports a category other than the one charged', async () => {
    const [usual, other] = [await accepted('15550100999'), await accepted('15550100821')]
    await world.simulator.idle()
    assert.deepInclude(await pricingOf(usual) as object, { pricing_model: 'PMP', billable: true })
    assert.isObject(await pricingOf(other))
    const { status, stdout } = await postern(['wallet', 'audit', '--json'], world.env)
    assert.equal(status, 0)
    const audit = JSON.parse(stdout) as {
      readonly broken: ReadonlyArray<unknown>
      readonly recategorised: ReadonlyArray<Recategorised>
    } & ReturnType<typeof billingView>
    assert.deepEqual(audit.broken, [])
    assert.deepEqual(audit.recategorised.filter(({ workspace }) => workspace === tenant.id).map(({ messages }) => messages), [1])
    const [difference, ...more] = audit.differences.filter(({ workspace }) => workspace === tenant.id)
    assert.isEmpty(more)
    assert.include([usual, other].map(({ headers }) => headers.get('Postern-Message')), difference?.id ?? 'none')
    assert.notEqual(difference?.reported, difference?.charged)
    assert.include(audit.billed.filter(({ workspace }) => workspace === tenant.id).map(({ type }) => type), 'regular')
    const people = await postern(['wallet', 'audit'], world.env)
    assert.match(people.stdout, new RegExp(`${tenant.id}: the platform bills 1 of its messages as [a-z]+, which were charged as [a-z]+`))
  })

  it('leave exact books after all of this', async () => {
    assert.deepEqual(rightOf(await world.storage.ledger.audit()).broken, [])
  })
})
