import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { countedIdOf } from '../../core/customer.js'
import type { PhoneNumber } from '../../core/phone-number.js'
import type { Instant } from '../../core/time.js'
import { workspaceIdOf } from '../../core/workspace.js'
import { windowClockLaws } from '../laws/window-clock.js'
import { brokenMemory, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const CUSTOMER = '1234567' as PhoneNumber
const WORKSPACE = workspaceIdOf('019c0000000070008000000000000000')

describeMutations('window clock', windowClockLaws, [
  { defect: 'gives the time in seconds', open: brokenMemory('windowClock', ({ now }) => ({ now: () => now() / 1_000 })), breaks: ['the present moment is a whole number of milliseconds since the epoch'] },
  {
    defect: 'knows an inbound message of every customer',
    open: brokenMemory('windowClock', ({ lastInbound }) => ({ lastInbound: (...of) => withResult(lastInbound(...of), O.alt(() => O.some(0))) })),
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
        TE.flatMap(lastInbound(workspace, countedIdOf(customer) ?? CUSTOMER), (last) => (O.isSome(last) ? TE.right(undefined) : recordInbound(workspace, customer, at))),
    })),
    breaks: ['a later inbound message moves the moment on'],
  },
  {
    defect: 'keeps the inbound message that is recorded last',
    open: brokenMemory('windowClock', () => {
      const last = new Map<string, Instant>()
      return {
        recordInbound: (workspace, customer, at) => TE.fromIO(() => void last.set(`${workspace} ${countedIdOf(customer)}`, at)),
        lastInbound: (workspace, customer) => TE.fromIO(() => O.fromNullable(last.get(`${workspace} ${customer}`))),
      }
    }),
    breaks: ['an earlier inbound message, or the same again, changes nothing'],
  },
  {
    defect: 'reads, waits and writes',
    open: brokenMemory('windowClock', () => {
      const last = new Map<string, Instant>()
      return {
        recordInbound: (workspace, customer, at) => TE.fromTask(async () => {
          const name = `${workspace} ${countedIdOf(customer)}`
          const before = last.get(name) ?? 0
          await new Promise((resolve) => { setImmediate(resolve) })
          last.set(name, Math.max(before, at))
        }),
        lastInbound: (workspace, customer) => TE.fromIO(() => O.fromNullable(last.get(`${workspace} ${customer}`))),
      }
    }),
    breaks: ['concurrent recordings keep the latest'],
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
    defect: 'ignores the workspace',
    open: brokenMemory('windowClock', ({ lastInbound, recordInbound }) => ({
      lastInbound: (_workspace, customer) => lastInbound(WORKSPACE, customer),
      recordInbound: (_workspace, customer, at) => recordInbound(WORKSPACE, customer, at),
    })),
    breaks: ['workspaces are apart'],
  },
])
