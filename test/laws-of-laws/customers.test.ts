import * as E from 'fp-ts/lib/Either.js'
import { type CustomerFact, type CustomerId, type IdRecord, recordFact, NOTHING_KNOWN, recordKeyOf } from '../../core/customers/customer.js'
import type { Customers } from '../../core/customers/learn.js'
import { workspaceIdOf } from '../../core/kernel/ids.js'
import { customersLaws } from '../laws/customers.js'
import { brokenMemory, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const WORKSPACE = workspaceIdOf('019c0000000070008000000000000000')

/** Customers by a rule of their own, with keys of their own; the other record is found by its plain id. */
const customersBy = (
  rule: (before: IdRecord, fact: CustomerFact) => IdRecord, keyOf: (id: CustomerId) => string = recordKeyOf, isSlow = false,
): Customers => {
  const records = new Map<string, IdRecord>()
  const recordOf = (workspace: string, id: CustomerId | undefined): IdRecord =>
    (id && records.get(`${workspace} ${keyOf(id)}`)) ?? NOTHING_KNOWN
  return {
    find: async (workspace, id) => {
      const own = recordOf(workspace, id)
      return E.right({ own, other: recordOf(workspace, own.other) })
    },
    learn: async (workspace, id, fact) => {
      const before = recordOf(workspace, id)
      if (isSlow) await new Promise((resolve) => { setImmediate(resolve) })
      records.set(`${workspace} ${keyOf(id)}`, rule(before, fact))
      return E.right(undefined)
    },
    needsLookup: async (workspace) => E.right([...records].some(([name, { optedOut }]) => optedOut === true && name.startsWith(workspace))),
  }
}

const renamed = (change: (text: string) => string): ReturnType<typeof brokenMemory<'customers'>> =>
  brokenMemory('customers', ({ learn }) => ({
    learn: (workspace, id, fact) => learn(workspace, id, fact._tag !== 'Named' ? fact
      : {
          ...fact,
          ...(fact.name !== undefined && { name: change(fact.name) }),
          ...(fact.username !== undefined && { username: change(fact.username) }),
        }),
  }))

describeMutations('customers', customersLaws, [
  {
    defect: 'knows every id',
    open: brokenMemory('customers', ({ find }) => ({
      find: (...of) => withResult(find(...of), ({ own, other }) => ({ own: { optedOut: false, ...own }, other })),
    })),
    breaks: ['nothing is known of an id of which nothing was learned'],
  },
  {
    defect: 'finds every customer with a name, although only some are asked for',
    open: brokenMemory('customers', ({ named }) => ({
      named: async (inboxes, text) => named?.(inboxes, text, 1_000) ?? E.right({ customers: [], isComplete: true }),
    })),
    breaks: ['customers are found by the beginning of each word of the names that they have now, without case and accents, in the given inboxes'],
  },
  {
    defect: 'asks for opted-out customers of every workspace',
    open: brokenMemory('customers', ({ learn }) => {
      let optedOut = false
      return {
        learn: (workspace, id, fact) => {
          optedOut ||= fact._tag === 'MarketingStopped'
          return learn(workspace, id, fact)
        },
        needsLookup: async () => E.right(optedOut),
      }
    }),
    breaks: ['a workspace has opted-out customers as soon as one stopped marketing messages, until all of them take them again'],
  },
  {
    defect: 'keeps moments in whole seconds',
    open: brokenMemory('customers', ({ learn }) => ({
      learn: (workspace, id, fact) => learn(workspace, id, { ...fact, at: Math.floor(fact.at / 1_000) * 1_000 }),
    })),
    breaks: ['facts of every kind are kept to the millisecond, as the rule of facts says'],
  },
  {
    defect: 'does not find the other record',
    open: brokenMemory('customers', ({ find }) => ({
      find: (...of) => withResult(find(...of), ({ own }) => ({ own, other: NOTHING_KNOWN })),
    })),
    breaks: ['a record is found with the record of the id that it names', 'pairs that many reports name at once are kept under both ids'],
  },
  {
    defect: 'does not find the numbers that lead to a customer',
    open: brokenMemory('customers', ({ find }) => ({ find: (...of) => withResult(find(...of), ({ dialled: _, ...found }) => found) })),
    breaks: [
      'a dialled number is found with what is known of the number that the platform knows, and that one with every number that leads to it',
      'variants of one number lead to one customer',
    ],
  },
  {
    defect: 'does not find what is known of the platform\'s number',
    open: brokenMemory('customers', ({ find }) => ({ find: (...of) => withResult(find(...of), ({ platform: _, ...found }) => found) })),
    breaks: ['a dialled number is found with what is known of the number that the platform knows, and that one with every number that leads to it'],
  },
  {
    defect: 'does not keep when a number was confirmed',
    open: brokenMemory('customers', () => customersBy((before, fact) => ({ ...recordFact(before, fact), knownAsConfirmedAt: undefined }))),
    breaks: [
      'a late report does not bring a number back that a later one has replaced or confirmed',
      'a late report does not bring a number back once a later one has said again that the number is the platform\'s own',
    ],
  },
  {
    defect: 'keeps that a number is the platform\'s own only while one leads elsewhere',
    open: brokenMemory('customers', ({ learn, needsLookup }) => ({
      learn: async (workspace, id, fact, outboxEntries) => {
        const found = await needsLookup(workspace)
        const isLeftOut = fact._tag === 'KnownAs' && fact.number === undefined && E.isRight(found) && !found.right
        return isLeftOut ? E.right(undefined) : learn(workspace, id, fact, outboxEntries)
      },
    })),
    breaks: ['a late report does not bring a number back once a later one has said again that the number is the platform\'s own'],
  },
  {
    defect: 'says nothing of numbers that lead elsewhere',
    open: brokenMemory('customers', () => ({ needsLookup: async () => E.right(false) })),
    breaks: ['a workspace has customers to look up as soon as one is known by another number than the one dialled, until all numbers are the platform\'s own'],
  },
  {
    defect: 'keeps a record for each variant of a number',
    open: brokenMemory('customers', () => customersBy(recordFact, (id) => id)),
    breaks: ['variants of one phone number have one record'],
  },
  {
    defect: 'believes the fact that arrives last',
    open: brokenMemory('customers', () =>
      customersBy(({ pairedAt: _, confirmedAt: __, optedOutAt: ___, ...before }, fact) => recordFact(before, fact))),
    breaks: ['a fact that is late or repeated changes nothing that a later one said', 'concurrent facts of one id are all kept'],
  },
  {
    defect: 'reads, waits and writes',
    open: brokenMemory('customers', () => customersBy(recordFact, recordKeyOf, true)),
    breaks: ['concurrent facts of one id are all kept'],
  },
  {
    defect: 'ignores letter case',
    open: brokenMemory('customers', () => customersBy(recordFact, (id) => id.toLowerCase())),
    breaks: ['letter case and length of user ids count'],
  },
  {
    defect: 'cuts long ids',
    open: brokenMemory('customers', () => customersBy(recordFact, (id) => id.slice(0, 130))),
    breaks: ['letter case and length of user ids count'],
  },
  { defect: 'keeps names in Latin letters', open: renamed((text) => text.replace(/[^ -~]/g, '?')), breaks: ['names of every script are kept, and no name makes a fact fail'] },
  { defect: 'trims names', open: renamed((text) => text.trim()), breaks: ['names of every script are kept, and no name makes a fact fail'] },
  {
    defect: 'fails by a name that it cannot store',
    open: brokenMemory('customers', ({ learn }) => ({
      learn: async (workspace, id, fact) => fact._tag === 'Named' && fact.name?.includes('\0')
        ? E.left({ _tag: 'PortFailure', port: 'Customers', cause: 'the name cannot be stored' })
        : learn(workspace, id, fact),
    })),
    breaks: ['names of every script are kept, and no name makes a fact fail'],
  },
  {
    defect: 'ignores the workspace',
    open: brokenMemory('customers', ({ find, learn }) => ({
      find: (_workspace, id) => find(WORKSPACE, id), learn: (_workspace, id, fact) => learn(WORKSPACE, id, fact),
    })),
    breaks: ['ids are apart, and so are workspaces'],
  },
])
