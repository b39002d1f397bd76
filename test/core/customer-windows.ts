import { assert } from 'chai'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { makeMemoryWallet } from '../../adapters/memory/accounts.js'
import { type CustomerId, isUserId } from '../../core/customers/customer.js'
import { findCustomer } from '../../core/customers/learn.js'
import { lastInboundOf } from '../../core/customers/window.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { StoragePorts } from '../../core/ports.js'
import { makeReceive } from '../../core/reports/receive.js'
import { rightOf } from '../support/right-of.js'
import { type Delivered, isRevealed, makeWorld, type World, worldSteps } from './customer-world.js'

/** What a gateway keeps of customers. Several gateways share what is kept. */
export type CustomerPorts = Pick<StoragePorts, 'windowClock' | 'customers'>

/** The gateways of a run, and a workspace that no other run uses. */
export type WindowRun = { readonly gateways: ReadonlyArray<CustomerPorts>; readonly workspace: WorkspaceId }

/** Delivers groups of reports; those of a group arrive at the same time, each at another gateway than the one before. */
const deliver = async ({ gateways, workspace }: WindowRun, groups: ReadonlyArray<ReadonlyArray<Delivered>>, now: number): Promise<void> => {
  const receivers = gateways.map(({ windowClock, customers }) => makeReceive({
    windowClock: { ...windowClock, now: () => now }, customers,
    senders: { ownerOf: async (sender) => E.right(O.some({ workspace, sender, inbox: workspace })) },
    messageLog: { apply: async () => E.right(O.none), find: async () => E.right(O.none), stale: async () => E.right([]) },
    wallet: makeMemoryWallet(new Map()),
  }))
  for (const group of groups) {
    const outcomes = await Promise.all(receivers.flatMap((receive, gateway) =>
      group.filter((_, index) => index % receivers.length === gateway).map(({ report }) => receive([report]))))
    // The message of a status is unknown here.
    for (const outcome of outcomes) if (E.isLeft(outcome)) assert.equal(outcome.left._tag, 'NotYetKnown')
  }
}

/** No id may show a message of another person as its customer's, or lead to another person's number, where a report shows that it is another person. */
const checkNothingIsWrong = async ({ gateways: [gateway], workspace }: WindowRun, world: World): Promise<void> => {
  if (gateway === undefined) return
  await Promise.all([...world.numbers, ...world.userIds.keys()].map(async (id: CustomerId) => {
    const lastInbound = O.toUndefined(rightOf(await lastInboundOf(gateway, workspace, id)))
    const { phoneNumber } = rightOf(await findCustomer(gateway.customers, workspace, id))
    const owner = isUserId(id) ? world.userIds.get(id) : undefined
    if (lastInbound !== undefined) checkWriter(world, id, lastInbound, owner)
    if (owner !== undefined && phoneNumber !== undefined) checkNumber(world, id, phoneNumber, owner)
  }))
}

type Stints = World['stints']

const had = (stints: Stints, person: number, number: CustomerId, at: number): boolean =>
  stints.some((stint) => stint.person === person && stint.number === number && stint.from <= at && at < stint.to)

const checkWriter = (world: World, id: CustomerId, at: number, owner: number | undefined): void => {
  const written = world.writes.find((one) => one.at === at) ?? assert.fail(`${id}: no person wrote at ${at}`)
  const { person: writer } = written
  if (isUserId(id)) {
    if (writer === owner) return
    const number = world.stints.find((stint) => stint.person === writer && stint.from <= at && at < stint.to)?.number ?? assert.fail(`${id} shows a message of another person`)
    assert.isFalse(isRevealed(world, { number, writer, at, owner }), `${id} shows a message of ${writer} at ${at}`)
    return
  }
  if (had(world.stints, writer, id, world.end)) return
  assert.isTrue(world.stints.some(({ person, number }) => person === writer && number === id), `${id} shows a message of ${writer}, who never had it`)
  assert.isFalse(isRevealed(world, { number: id, writer, at, owner: undefined }), `${id} shows a message of ${writer}, who no longer has it`)
}

const checkNumber = (world: World, id: CustomerId, number: Stints[number]['number'], owner: number): void => {
  if (had(world.stints, owner, number, world.end)) return
  assert.isTrue(world.stints.some((stint) => stint.person === owner && stint.number === number), `${id} leads to ${number}, which its person never had`)
  assert.isFalse(isRevealed(world, { number, writer: owner, at: world.end, owner: undefined }), `${id} leads to ${number}, which its person no longer has`)
}

/** In an announced world whose reports came in order, each id shows its person's latest message, and a number without a person shows none. */
const checkAllIsRight = async ({ gateways: [gateway], workspace }: WindowRun, { writes, idsNow, numbers }: World): Promise<void> => {
  if (gateway === undefined) return
  const shown = async (id: CustomerId): Promise<number | undefined> => O.toUndefined(rightOf(await lastInboundOf(gateway, workspace, id)))
  for (const [person, { phoneNumber, userId }] of idsNow.entries()) {
    const latest = writes.findLast((one) => one.person === person)?.at
    for (const id of [phoneNumber, userId]) if (id !== undefined) assert.equal(await shown(id), latest, `${id} of person ${person}`)
  }
  for (const number of numbers.filter((one) => !idsNow.some(({ phoneNumber }) => phoneNumber === one))) {
    assert.isUndefined(await shown(number), `${number}, which no person has`)
  }
}

/** Every report at least once, in any order, in groups that arrive at the same time. */
const disordered = (
  delivered: ReadonlyArray<Delivered>, ranks: ReadonlyArray<number>, again: ReadonlyArray<number>,
): ReadonlyArray<ReadonlyArray<Delivered>> => {
  const all = [...delivered, ...again.flatMap((pick) => delivered.slice(pick % delivered.length).slice(0, 1))]
  const groups = new Map<number, Delivered[]>()
  all.forEach((one, index) => {
    const rank = ranks[index % ranks.length] ?? 0
    groups.set(rank, [...groups.get(rank) ?? [], one])
  })
  return [...groups].sort(([a], [b]) => a - b).map(([, group]) => group)
}

const RANKS = fc.array(fc.nat(15), { minLength: 40, maxLength: 40 })
const AGAIN = fc.array(fc.nat(99), { maxLength: 6 })

/** Tests that windows are of the right persons: in as many worlds as `runs` where reports come in disorder, and half as many where they come in order. */
export const describeCustomerWindows = (runs: number, open: () => WindowRun): void => {
  const inOrder = { numRuns: Math.ceil(runs / 4) }

  it('in order and announced, each id shows exactly the messages of its person', async () => {
    await fc.assert(fc.asyncProperty(worldSteps(true), async (steps) => {
      const [run, world] = [open(), makeWorld(steps)]
      await deliver(run, world.delivered.map((one) => [one]), world.end)
      await checkAllIsRight(run, world)
      await checkNothingIsWrong(run, world)
    }), inOrder)
  }).timeout(0)

  it('in order, no id shows what reports show to be of another person', async () => {
    await fc.assert(fc.asyncProperty(worldSteps(false), async (steps) => {
      const [run, world] = [open(), makeWorld(steps)]
      await deliver(run, world.delivered.map((one) => [one]), world.end)
      await checkNothingIsWrong(run, world)
    }), inOrder)
  }).timeout(0)

  it('late, twice, and at two gateways at once, no id shows what reports show to be of another person', async () => {
    await fc.assert(fc.asyncProperty(worldSteps(false), RANKS, AGAIN, async (steps, ranks, again) => {
      const [run, world] = [open(), makeWorld(steps)]
      await deliver(run, disordered(world.delivered, ranks, again), world.end)
      await checkNothingIsWrong(run, world)
    }), { numRuns: runs })
  }).timeout(0)
}
