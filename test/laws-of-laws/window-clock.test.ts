import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { countedIdOf, type CustomerId, type PhoneNumber, type UserId } from '../../core/customers/customer.js'
import { workspaceIdOf } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import { windowClockLaws } from '../laws/window-clock.js'
import { andThen, brokenMemory, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const CUSTOMER = '1234567' as PhoneNumber
const WORKSPACE = workspaceIdOf('019c0000000070008000000000000000')

describeMutations('window clock', windowClockLaws, [
  { defect: 'gives the time in seconds', open: brokenMemory('windowClock', ({ now }) => ({ now: () => now() / 1_000 })), breaks: ['the present moment is a whole number of milliseconds since the epoch'] },
  {
    defect: 'knows an inbound message of every customer',
    open: brokenMemory('windowClock', ({ lastInbound }) => ({
      lastInbound: (...of) => withResult(lastInbound(...of), O.alt(() => O.some(0))),
    })),
    breaks: ['a customer who never wrote has no last inbound message'],
  },
  {
    defect: 'keeps times in whole seconds',
    open: brokenMemory('windowClock', ({ recordInbound }) => ({
      recordInbound: (workspace, customer, at) => recordInbound(workspace, customer, Math.floor(at / 1_000) * 1_000),
    })),
    breaks: [
      'an inbound message is remembered to the millisecond',
      'the window is open at 23:59:59.999 after an inbound message and closed at 24:00:00.000',
    ],
  },
  {
    defect: 'keeps the first inbound message',
    open: brokenMemory('windowClock', ({ lastInbound, recordInbound }) => ({
      recordInbound: (workspace, customer, at) =>
        andThen(lastInbound(workspace, countedIdOf(customer) ?? CUSTOMER), async (last) =>
          O.isSome(last) ? E.right(undefined) : recordInbound(workspace, customer, at)),
    })),
    breaks: [
      'a later inbound message moves the moment on',
      'a message that is dated later than its arrival counts at its arrival',
      'a message without a later date counts, whatever date another one stated',
    ],
  },
  {
    defect: 'keeps the inbound message that is recorded last',
    open: brokenMemory('windowClock', () => {
      const last = new Map<string, Instant>()
      return {
        recordInbound: async (workspace, customer, at) => E.right(void last.set(`${workspace} ${countedIdOf(customer)}`, at)),
        lastInbound: async (workspace, customer) => E.right(O.fromNullable(last.get(`${workspace} ${customer}`))),
      }
    }),
    breaks: [
      'an earlier inbound message, or the same again, changes nothing',
      'a message that is dated later than its arrival counts once, however often and however late it comes again',
      'a date that is not later than the latest stated one changes nothing, and a later one counts',
    ],
  },
  {
    defect: 'reads, waits and writes',
    open: brokenMemory('windowClock', () => {
      const last = new Map<string, Instant>()
      return {
        recordInbound: async (workspace, customer, at) => {
          const name = `${workspace} ${countedIdOf(customer)}`
          const before = last.get(name) ?? 0
          await new Promise((resolve) => { setImmediate(resolve) })
          last.set(name, Math.max(before, at))
          return E.right(undefined)
        },
        lastInbound: async (workspace, customer) => E.right(O.fromNullable(last.get(`${workspace} ${customer}`))),
      }
    }),
    breaks: ['concurrent recordings keep the latest', 'concurrent recordings keep the latest that counts'],
  },
  {
    defect: 'ignores the customer',
    open: brokenMemory('windowClock', ({ lastInbound, recordInbound }) => ({
      lastInbound: (of) => lastInbound(of, CUSTOMER),
      recordInbound: (of, _customer, at) => recordInbound(of, { phoneNumber: CUSTOMER }, at),
    })),
    breaks: ['customers are apart'],
  },
  {
    defect: 'counts a message for every id that it names',
    open: brokenMemory('windowClock', ({ recordInbound }) => ({
      recordInbound: (workspace, { phoneNumber, userId }, ...when) => andThen(
        phoneNumber ? recordInbound(workspace, { phoneNumber }, ...when) : Promise.resolve(E.right(undefined)),
        async () => (userId ? recordInbound(workspace, { userId }, ...when) : E.right(undefined)),
      ),
    })),
    breaks: [
      'a message that names a user id counts for the user id alone',
      'what counts for a number stays, whatever counts for a user id that is named with it',
      'concurrent messages of a number and of its user id count for each',
    ],
  },
  {
    defect: 'forgets a number once a user id is named with it',
    open: brokenMemory('windowClock', ({ lastInbound, recordInbound }) => {
      const paired = new Set<string>()
      return {
        recordInbound: (workspace, ids, ...when) => {
          if (ids.userId !== undefined) paired.add(`${workspace} ${ids.phoneNumber}`)
          return recordInbound(workspace, ids, ...when)
        },
        lastInbound: async (workspace, id) => (paired.has(`${workspace} ${id}`) ? E.right(O.none) : lastInbound(workspace, id)),
      }
    }),
    breaks: ['what counts for a number stays, whatever counts for a user id that is named with it'],
  },
  {
    defect: 'ignores letter case',
    open: brokenMemory('windowClock', ({ lastInbound, recordInbound }) => ({
      recordInbound: (workspace, { phoneNumber, userId }, ...when) =>
        recordInbound(workspace, { phoneNumber, userId: userId?.toLowerCase() as UserId }, ...when),
      lastInbound: (workspace, id) => lastInbound(workspace, id.toLowerCase() as CustomerId),
    })),
    breaks: ['letter case and length of user ids count'],
  },
  {
    defect: 'ignores the workspace',
    open: brokenMemory('windowClock', ({ lastInbound, recordInbound }) => ({
      lastInbound: (_workspace, customer) => lastInbound(WORKSPACE, customer),
      recordInbound: (_workspace, customer, at) => recordInbound(WORKSPACE, customer, at),
    })),
    breaks: ['workspaces are apart'],
  },
])
