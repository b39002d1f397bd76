import {
  CONFIRM_PAIR_MS, type CustomerFact, type CustomerId, type IdRecord, type KnownId, recordFact, NOTHING_KNOWN, type PhoneNumber,
  recordKeyOf,
} from '../../core/customers/customer.js'
import type { Customers } from '../../core/customers/learn.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { HOUR_MS } from '../../core/kernel/time.js'
import { done, holds, same } from './expect.js'
import { newDigits, newPhoneNumber, newUserId, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'

/** The stored data of customers, and the control over the environment that its laws need. */
export type CustomersFixture = {
  readonly customers: Customers
  /** The same records as another node sees them, if there are several nodes. */
  readonly elsewhere?: Customers
  /** Opens a workspace that knows no customer. */
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId }>
}

// A timestamp with milliseconds that a coarser column would lose.
const NOON = Date.UTC(2026, 2, 1, 12, 0, 0, 1)

const learn = (
  { customers }: Pick<CustomersFixture, 'customers'>, workspace: WorkspaceId, id: CustomerId, fact: CustomerFact,
): Promise<void> =>
  done('a fact is learned', customers.learn(workspace, id, fact))

const find = async ({ customers }: CustomersFixture, workspace: WorkspaceId, id: CustomerId): Promise<KnownId> => {
  return compact(await done('a customer is looked for', customers.find(workspace, id)))
}

const compact = ({ own, other, platform, dialled }: KnownId): KnownId => ({
  own: withoutAbsent(own), other: withoutAbsent(other), ...(platform && { platform: compact(platform) }),
  ...(dialled && {
    dialled: dialled.map(({ number, record }) => ({ number, record: withoutAbsent(record) }))
      .sort((a, b) => (a.number < b.number ? -1 : 1)),
  }),
})

/** An absent field and an undefined field are the same. */
const withoutAbsent = (record: IdRecord): IdRecord => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))

/** A record after facts, by the core's rule. */
const after = (facts: ReadonlyArray<CustomerFact>): IdRecord => withoutAbsent(facts.reduce(recordFact, NOTHING_KNOWN))

const paired = (other: CustomerId, at = NOON): CustomerFact => ({ _tag: 'Paired', other, at })

const learnPair = async (
  fixture: CustomersFixture, workspace: WorkspaceId, ids: readonly [CustomerId, CustomerId], at = NOON,
): Promise<void> => {
  await learn(fixture, workspace, ids[0], paired(ids[1], at))
  await learn(fixture, workspace, ids[1], paired(ids[0], at))
}

/** The promises of every `Customers`. */
export const customersLaws: ReadonlyArray<Law<CustomersFixture>> = [
  {
    name: 'nothing is known of an id of which nothing was learned',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      for (const id of [newPhoneNumber(), newUserId()]) {
        same('a new id', await find(fixture, workspace, id), { own: NOTHING_KNOWN, other: NOTHING_KNOWN })
        same('a workspace that does not exist', await find(fixture, newWorkspaceId(), id), { own: NOTHING_KNOWN, other: NOTHING_KNOWN })
      }
    },
  },
  {
    name: 'facts of every kind are kept to the millisecond, as the rule of facts says',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      for (const [id, one, another] of [
        [newPhoneNumber(), newUserId(), newUserId()],
        [newUserId(), newPhoneNumber(), newPhoneNumber()],
      ] as const) {
        const facts: ReadonlyArray<CustomerFact> = [
          { _tag: 'Shared', other: another, at: NOON - 1 }, paired(one), paired(one, NOON + HOUR_MS),
          { _tag: 'Named', name: 'Ana', at: NOON + 1 }, { _tag: 'MarketingStopped', at: NOON + 2 },
          { _tag: 'Named', username: 'ana.b', at: NOON + 3 }, { _tag: 'MarketingResumed', at: NOON + 4 },
          { _tag: 'Ended', at: NOON + 2 * HOUR_MS }, paired(another, NOON + 3 * HOUR_MS),
        ]
        for (const [index, fact] of facts.entries()) {
          await learn(fixture, workspace, id, fact)
          same(`the record after ${fact._tag}`, (await find(fixture, workspace, id)).own, after(facts.slice(0, index + 1)))
        }
      }
    },
  },
  {
    name: 'a record is found with the record of the id that it names',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [number, userId, formerUserId] = [newPhoneNumber(), newUserId(), newUserId()]
      await learn(fixture, workspace, formerUserId, paired(number))
      same('the other record does not exist', (await find(fixture, workspace, formerUserId)).other, NOTHING_KNOWN)
      await learnPair(fixture, workspace, [number, userId], NOON + 1)
      same('of the number', await find(fixture, workspace, number), {
        own: after([paired(userId, NOON + 1)]), other: after([paired(number, NOON + 1)]),
      })
      same('of the user id', await find(fixture, workspace, userId), {
        own: after([paired(number, NOON + 1)]), other: after([paired(userId, NOON + 1)]),
      })
      same('of an id whose pair has ended', await find(fixture, workspace, formerUserId), {
        own: after([paired(number)]), other: after([paired(userId, NOON + 1)]),
      })
    },
  },
  {
    name: 'variants of one phone number have one record',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const digits = newDigits(10)
      const [variant, other, userId] = [`521${digits}` as CustomerId, `52${digits}` as CustomerId, newUserId()]
      await learn(fixture, workspace, variant, paired(userId))
      await learn(fixture, workspace, userId, paired(other))
      for (const number of [variant, other]) {
        same('by either variant', await find(fixture, workspace, number), { own: after([paired(userId)]), other: after([paired(other)]) })
      }
      same('by the other id', (await find(fixture, workspace, userId)).other, after([paired(userId)]))
    },
  },
  {
    name: 'a dialled number is found with what is known of the number that the platform knows, and that one with every number that leads to it',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [number, elsewhere, userId] = [newPhoneNumber(), newPhoneNumber(), newUserId()]
      const dialled = [newPhoneNumber(), newPhoneNumber()].sort()
      const known = (as: PhoneNumber | undefined, at = NOON): CustomerFact => ({ _tag: 'KnownAs', number: as, at })
      const leading = dialled.map((one) => ({ number: one, record: after([known(number)]) }))
      for (const one of dialled) await learn(fixture, workspace, one, known(number))
      same('a number of which nothing else is known', await find(fixture, workspace, number), {
        own: NOTHING_KNOWN, other: NOTHING_KNOWN, dialled: leading,
      })
      await learnPair(fixture, workspace, [number, userId])
      const ofNumber = { own: after([paired(userId)]), other: after([paired(number)]), dialled: leading }
      same('by the number', await find(fixture, workspace, number), ofNumber)
      same('by the user id', await find(fixture, workspace, userId), { own: ofNumber.other, other: ofNumber.own, dialled: leading })
      for (const one of dialled) {
        same('by a dialled number', await find(fixture, workspace, one), {
          own: after([known(number)]), other: NOTHING_KNOWN, platform: ofNumber,
        })
      }
      same(
        'in another workspace', await find(fixture, (await fixture.openWorkspace()).workspace, number),
        { own: NOTHING_KNOWN, other: NOTHING_KNOWN },
      )

      const [first, second] = dialled
      if (first === undefined || second === undefined) return
      await learn(fixture, workspace, first, known(elsewhere, NOON + 1))
      await learn(fixture, workspace, second, known(undefined, NOON + 2))
      same('once both lead elsewhere', await find(fixture, workspace, number), { own: ofNumber.own, other: ofNumber.other })
      same('a replaced number', (await find(fixture, workspace, first)).own, after([known(number), known(elsewhere, NOON + 1)]))
      same('a number that is the platform\'s own again', await find(fixture, workspace, second), {
        own: after([known(number), known(undefined, NOON + 2)]), other: NOTHING_KNOWN,
      })
    },
  },
  {
    name: 'a late report does not bring a number back that a later one has replaced or confirmed',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [dialled, number, elsewhere] = [newPhoneNumber(), newPhoneNumber(), newPhoneNumber()]
      const known = (as: PhoneNumber, at: number): CustomerFact => ({ _tag: 'KnownAs', number: as, at })
      const facts = [
        known(elsewhere, NOON), known(number, NOON + 10), known(number, NOON + 10 + 2 * CONFIRM_PAIR_MS),
        known(elsewhere, NOON + CONFIRM_PAIR_MS),
      ]
      for (const fact of facts) await learn(fixture, workspace, dialled, fact)
      same('the record', (await find(fixture, workspace, dialled)).own, after(facts))
      same('the number', (await find(fixture, workspace, dialled)).own.knownAs, number)
    },
  },
  {
    name: 'a late report does not bring a number back once a later one has said again that the number is the platform\'s own',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [dialled, number, elsewhere] = [newPhoneNumber(), newPhoneNumber(), newPhoneNumber()]
      const known = (as: PhoneNumber | undefined, at: number): CustomerFact => ({ _tag: 'KnownAs', number: as, at })
      const facts = [
        known(number, NOON), known(undefined, NOON + 10), known(undefined, NOON + 10 + 2 * CONFIRM_PAIR_MS),
        known(elsewhere, NOON + CONFIRM_PAIR_MS),
      ]
      // No other customer of the workspace is known by another number.
      for (const fact of facts) await learn(fixture, workspace, dialled, fact)
      same('the record', (await find(fixture, workspace, dialled)).own, after(facts))
      same('the number', (await find(fixture, workspace, dialled)).own.knownAs, undefined)
    },
  },
  {
    name: 'variants of one number lead to one customer',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [digits, dialled] = [newDigits(10), newPhoneNumber()]
      const [variant, other] = [`521${digits}` as PhoneNumber, `52${digits}` as PhoneNumber]
      const fact: CustomerFact = { _tag: 'KnownAs', number: variant, at: NOON }
      await learn(fixture, workspace, dialled, fact)
      for (const number of [variant, other]) {
        same(number, (await find(fixture, workspace, number)).dialled, [{ number: dialled, record: after([fact]) }])
      }
    },
  },
  {
    name: 'a fact that is late or repeated changes nothing that a later one said',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [id, first, second] = [newPhoneNumber(), newUserId(), newUserId()]
      const facts = [paired(first), paired(second, NOON + 10), { _tag: 'MarketingStopped', at: NOON + 10 }] as const
      for (const fact of facts) await learn(fixture, workspace, id, fact)
      const late = [...facts, { _tag: 'Ended', at: NOON + 5 }, { _tag: 'MarketingResumed', at: NOON + 5 }, paired(first, NOON - 1)] as const
      for (const fact of late) {
        await learn(fixture, workspace, id, fact)
        same(`the record after a late ${fact._tag}`, (await find(fixture, workspace, id)).own, after(facts))
      }
    },
  },
  {
    name: 'concurrent facts of one id are all kept',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const nodes = [fixture, { customers: fixture.elsewhere ?? fixture.customers }]
      const learnAll = (id: CustomerId, facts: ReadonlyArray<CustomerFact>): Promise<unknown> =>
        Promise.all(facts.flatMap((fact, index) =>
          [learn(nodes[index % 2] ?? fixture, workspace, id, fact), learn(nodes[(index + 1) % 2] ?? fixture, workspace, id, fact)]))
      const [first, second] = [newPhoneNumber(), newUserId()]
      const others = times(20, newUserId)
      await learnAll(first, others.map((other, index) => paired(other, NOON + ((index * 7) % 20) * HOUR_MS)))
      const { other, pairedAt, since } = (await find(fixture, workspace, first)).own
      const latest = NOON + 19 * HOUR_MS
      same(
        'the latest of twenty pairs', { other, pairedAt, since },
        { other: others.find((_, index) => (index * 7) % 20 === 19), pairedAt: latest, since: latest },
      )
      const kinds: ReadonlyArray<CustomerFact> = [
        paired(first), { _tag: 'Named', name: 'Ana', at: NOON }, { _tag: 'MarketingStopped', at: NOON },
      ]
      await learnAll(second, kinds)
      same('facts of several kinds about a new id', (await find(fixture, workspace, second)).own, after(kinds))
    },
  },
  {
    name: 'pairs that many reports name at once are kept under both ids',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const pairs = times(20, () => [newPhoneNumber(), newUserId()] as const)
      const elsewhere = { ...fixture, customers: fixture.elsewhere ?? fixture.customers }
      await Promise.all(pairs.flatMap((pair, index) => [
        learnPair(fixture, workspace, pair, NOON + index), learnPair(elsewhere, workspace, pair, NOON + index),
      ]))
      for (const [index, [number, userId]] of pairs.entries()) {
        const found = await find(fixture, workspace, number)
        same('each pair', found, { own: after([paired(userId, NOON + index)]), other: after([paired(number, NOON + index)]) })
      }
    },
  },
  {
    name: 'letter case and length of user ids count',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const long = 'aB3'.repeat(42)
      const ids = [
        newUserId(), newUserId().toLowerCase().replace(/^../, 'DE'), `DE.${long}xy`, `DE.${long}xY`, `DE.ENT.${long}xy`, `DE.${long}x`,
      ]
      for (const [index, id] of ids.entries()) {
        await learn(fixture, workspace, id as CustomerId, { _tag: 'Named', name: `customer ${index}`, at: NOON })
      }
      for (const [index, id] of ids.entries()) same(id, (await find(fixture, workspace, id as CustomerId)).own.name, `customer ${index}`)
      const number = newPhoneNumber()
      await learnPair(fixture, workspace, [number, `DE.ENT.${long}xy` as CustomerId])
      same('as the other id', (await find(fixture, workspace, number)).own.other, `DE.ENT.${long}xy`)
    },
  },
  {
    name: 'names of every script are kept, and no name makes a fact fail',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      for (const name of ['Ana', 'ÅSA  ', '日本 🔑 👩‍👩‍👧', '\'; DROP TABLE customers; -- \\', '']) {
        const id = newUserId()
        await learn(fixture, workspace, id, { _tag: 'Named', name, username: name, at: NOON })
        const { own } = await find(fixture, workspace, id)
        same('the name and the username', [own.name, own.username], [name, name])
      }
      for (const name of ['a\0b', '\ud800', 'x'.repeat(100_000)]) {
        const id = newUserId()
        await learn(fixture, workspace, id, { _tag: 'Named', name, at: NOON })
        const { own } = await find(fixture, workspace, id)
        holds('some name is known', own.name !== undefined && own.name !== '', own.name)
      }
    },
  },
  {
    name: 'ids are apart, and so are workspaces',
    check: async (fixture) => {
      const [ours, theirs] = [(await fixture.openWorkspace()).workspace, (await fixture.openWorkspace()).workspace]
      const [number, userId, theirUserId] = [newPhoneNumber(), newUserId(), newUserId()]
      await learnPair(fixture, ours, [number, userId])
      same('another workspace', await find(fixture, theirs, number), { own: NOTHING_KNOWN, other: NOTHING_KNOWN })
      await learn(fixture, theirs, number, paired(theirUserId, NOON + 1))
      same('a record is found with one of its own workspace', (await find(fixture, theirs, number)).other, NOTHING_KNOWN)
      same('the record of the first workspace', (await find(fixture, ours, number)).own, after([paired(userId)]))
      same('another id', (await find(fixture, ours, newPhoneNumber())).own, NOTHING_KNOWN)
    },
  },
  {
    name: 'customers are found by the beginning of each word of the names that they have now, without case and accents, in the given inboxes',
    check: async (fixture) => {
      const { customers } = fixture
      if (customers.named === undefined) return
      const [{ workspace: ours }, { workspace: theirs }] = [await fixture.openWorkspace(), await fixture.openWorkspace()]
      const named = async (text: string, inboxes: ReadonlyArray<WorkspaceId> = [ours], limit = 50) => {
        const found = await done('customers are looked for', customers.named?.(inboxes, text, limit) ?? Promise.reject(new Error('named')))
        return { ids: found.customers.map(({ id }) => id).sort(), isComplete: found.isComplete }
      }
      const [number, userId, other] = [newPhoneNumber(), newUserId(), newPhoneNumber()]
      await learn(fixture, ours, number, { _tag: 'Named', name: 'Łukasz O\'Brien-Çelik', username: 'lukas.z', at: NOON })
      await learn(fixture, ours, userId, { _tag: 'Named', name: 'Lukas 日本 Ωmega', at: NOON })
      await learn(fixture, theirs, other, { _tag: 'Named', name: 'Lukas', at: NOON })
      for (const text of ['łukasz', 'LUKASZ', ' lukasz  o', 'brien celik', 'çel', 'obrien'.slice(0, 1), 'z']) {
        same(text, await named(text), { ids: [recordKeyOf(number)], isComplete: true })
      }
      for (const text of ['日', 'ωm', 'lukas 日']) same(text, await named(text), { ids: [userId], isComplete: true })
      for (const text of ['', ' ', '%', '_', 'ukas', 'brienc', '\u{10ffff}', '\'; --']) {
        same(text, await named(text), { ids: [], isComplete: true })
      }
      same('several customers', await named('lukas'), { ids: [recordKeyOf(number), userId].sort(), isComplete: true })
      same('several inboxes', (await named('lukas', [ours, theirs])).ids, [recordKeyOf(number), userId, recordKeyOf(other)].sort())
      const cut = await named('lukas', [ours, theirs], 2)
      same('no more than the limit', [cut.ids.length, cut.isComplete], [2, false])
      await learn(fixture, ours, number, { _tag: 'Named', name: 'Ana', at: NOON + 1 })
      same('a former name', (await named('brien')).ids, [])
      same('the new name', (await named('an')).ids, [recordKeyOf(number)])
      const long = newPhoneNumber()
      await learn(fixture, ours, long, { _tag: 'Named', name: `Zoë ${'x'.repeat(300)}`, at: NOON })
      same('a long name', (await named(`zoe ${'x'.repeat(200)}`)).ids, [recordKeyOf(long)])
    },
  },
  {
    name: 'a workspace has opted-out customers as soon as one stopped marketing messages, until all of them take them again',
    check: async (fixture) => {
      const [{ workspace }, other] = [await fixture.openWorkspace(), await fixture.openWorkspace()]
      const needsLookup = (of: WorkspaceId): Promise<boolean> =>
        done('whether customers are looked up is read', fixture.customers.needsLookup(of))
      const id = newPhoneNumber()
      await learn(fixture, workspace, id, { _tag: 'Named', name: 'Ana', at: NOON })
      same('no customer stopped them', await needsLookup(workspace), false)
      await learn(fixture, workspace, id, { _tag: 'MarketingStopped', at: NOON + 1 })
      same('one stopped them', await needsLookup(workspace), true)
      same('another workspace', await needsLookup(other.workspace), false)
      await learn(fixture, workspace, id, { _tag: 'MarketingResumed', at: NOON + 2 })
      same('the customer takes them again', await needsLookup(workspace), false)
    },
  },
  {
    name: 'a workspace has customers to look up as soon as one is known by another number than the one dialled, until all numbers are the platform\'s own',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const needsLookup = (): Promise<boolean> => done('whether customers are looked up is read', fixture.customers.needsLookup(workspace))
      const id = newPhoneNumber()
      await learn(fixture, workspace, id, { _tag: 'KnownAs', at: NOON })
      same('the number is the platform\'s own', [await needsLookup(), (await find(fixture, workspace, id)).own], [false, NOTHING_KNOWN])
      await learn(fixture, workspace, id, { _tag: 'KnownAs', number: newPhoneNumber(), at: NOON })
      same('it is not', await needsLookup(), true)
      await learn(fixture, workspace, id, { _tag: 'KnownAs', at: NOON + 1 })
      same('it is again', await needsLookup(), false)
    },
  },
]
