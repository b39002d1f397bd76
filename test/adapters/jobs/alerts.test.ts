import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { alerts, type AlertsJobDeps } from '../../../adapters/jobs/alerts.js'
import { type LeasedPass, runJob } from '../../../adapters/jobs/job.js'
import type { AlertCarrier } from '../../../core/alerts/use-cases.js'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { portFailure } from '../../../core/kernel/failure.js'
import { DAY_MS, MINUTE_MS } from '../../../core/kernel/time.js'
import { messageIdOf } from '../../../core/messages/message.js'
import { makePostern } from '../../../core/postern.js'
import { role } from '../../core/use-cases/member-world.js'
import { eventually } from '../../support/eventually.js'
import { openNotedLeases } from '../../support/leases.js'
import { memoryWorld, USD } from '../../support/memory-world.js'
import { done } from '../../support/right-of.js'

const CHANNEL = 'https://hooks.example/T1'

/** A workspace with a threshold, a channel, and an owner who chose the balance; the carriers note what they get. */
const openWorld = async () => {
  const { ports, settings, storage, now, passes, addWorkspace } = memoryWorld()
  const postern = makePostern(ports, settings)
  const uses = postern.alerts ?? assert.fail('there are no alerts')
  const { workspace } = await addWorkspace({ micros: 10_000_000n })
  await done(storage.walletAlerts.setThreshold(workspace, 5_000_000n))
  const { token } = await done(postern.members.inviteMember({ by: SYSTEM, email: 'ada@shop.example', access: role(workspace, 'owner') }))
  const { principal } = await done(postern.members.takeLink({ token, address: '203.0.113.7' }))
  await done(uses.chooseAlerts(principal.member, ['balance']))
  await done(uses.setAlertChannel({ by: SYSTEM, workspace, url: CHANNEL }))
  const [mails, posts, lines, failures] = [new Array<string>(), new Array<string>(), new Array<unknown>(), new Array<unknown>()]
  let fault: string | undefined
  const noting = (to: Array<string>): AlertCarrier => async ({ to: recipient }) => {
    if (fault === undefined) to.push(recipient._tag === 'Member' ? recipient.email : recipient.url)
    return fault
  }
  const jobOf = (more: Partial<AlertsJobDeps> = {}, everyMs?: number) => alerts({
    ...uses, carriers: { mail: noting(mails), channel: noting(posts), publicUrl: undefined },
    log: (_level, event, counts) => void lines.push([event, counts]), onFailure: (...failure) => void failures.push(failure), ...more,
  }, everyMs)
  const leased: LeasedPass = { hasEnded: () => false, renew: async () => true, keepFor: async () => true }
  /** Holds the price of a message, after which less than the threshold is left. */
  const spend = async () => {
    const message = messageIdOf(randomUUID().replaceAll('-', ''))
    await done(storage.wallet.hold({ workspace, message, amount: { micros: 6_000_000n, currency: USD }, at: now() }))
  }
  const topUp = () => done(storage.ledger.topUp({ workspace, micros: 6_000_000n, reference: uuidv7(), at: now() }))
  const pass = (more: Partial<LeasedPass> = {}, deps: Partial<AlertsJobDeps> = {}) => jobOf(deps).pass({ ...leased, ...more })
  return {
    jobOf, pass, passes, spend, topUp, mails, posts, lines, failures, failsWith: (reason: string | undefined) => { fault = reason },
  }
}

const counts = (raised: number, delivered: number, failed = 0) => ['alerts_delivered', { raised, delivered, failed }]

describe('The job of alerts', () => {
  it('sends one mail and one post for a low wallet, and none again within a day', async () => {
    const { pass, passes, spend, mails, posts, lines, failures } = await openWorld()
    await pass()
    assert.deepEqual([mails, posts, lines], [[], [], []])
    await spend()
    await pass()
    assert.deepEqual([mails, posts], [['ada@shop.example'], [CHANNEL]])
    passes(DAY_MS - 1)
    await pass()
    assert.deepEqual([mails.length, posts.length], [1, 1])
    assert.deepEqual(lines, [counts(2, 2)])
    passes(1)
    await pass()
    assert.deepEqual([mails.length, posts.length], [2, 2])
    assert.isEmpty(failures)
  })

  it('sends one more of each once the wallet was filled, and is low again', async () => {
    const { pass, spend, topUp, mails, posts } = await openWorld()
    await spend()
    await pass()
    await topUp()
    await pass()
    assert.deepEqual([mails.length, posts.length], [1, 1])
    await spend()
    await pass()
    await pass()
    assert.deepEqual([mails.length, posts.length], [2, 2])
  })

  it('reports a failed delivery, and makes it up later', async () => {
    const { pass, passes, spend, failsWith, mails, posts, lines, failures } = await openWorld()
    await spend()
    failsWith('The endpoint answered with status 404')
    await pass()
    assert.deepEqual(failures.map(String), ['alert_delivery_failed,Error: The endpoint answered with status 404'])
    failsWith(undefined)
    await pass()
    assert.isEmpty(mails)
    passes(MINUTE_MS)
    await pass()
    assert.deepEqual([mails.length, posts.length], [1, 1])
    assert.deepEqual(lines, [counts(2, 0, 2), counts(0, 2)])
  })

  it('delivers what waits even if it cannot find out what is wrong, and fails then', async () => {
    const { pass, passes, spend, failsWith, mails, posts } = await openWorld()
    await spend()
    failsWith('down')
    await pass()
    failsWith(undefined)
    passes(MINUTE_MS)
    const error = await pass({}, { watchWorkspaces: async () => E.left(portFailure('Workspaces')(new Error('a defect'))) }).catch(String)
    assert.equal(error, 'Error: a defect')
    assert.deepEqual([mails.length, posts.length], [1, 1])
  })

  it('ends soon once it was stopped', async () => {
    const { pass, spend, mails, posts } = await openWorld()
    await spend()
    await pass({ hasEnded: () => true })
    assert.deepEqual([mails, posts], [[], []])
  })

  it('does nothing while another gateway has the lease', async () => {
    const { jobOf, spend, mails, posts, failures } = await openWorld()
    await spend()
    const { leases, asked, holdElsewhere } = openNotedLeases()
    holdElsewhere()
    const { start, stop } = runJob(jobOf({}, 5), { leases, onFailure: (...failure) => void failures.push(failure) })
    start()
    await eventually('two passes', () => (asked.length > 1 ? true : undefined))
    await stop()
    assert.deepEqual([mails, posts, failures, asked[0]?.name], [[], [], [], 'alerts'])
  })
})
