import * as E from 'fp-ts/lib/Either.js'
import { type CustomerWindow, type CustomerWindows, parseWindowCursor } from '../../core/customers/window.js'
import { portFailure } from '../../core/kernel/failure.js'
import { customerWindowsLaws } from '../laws/customer-windows.js'
import { brokenMemory, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const broken = (defect: (port: CustomerWindows) => Partial<CustomerWindows>) => brokenMemory('customerWindows', defect)
const changing = (change: (items: ReadonlyArray<CustomerWindow>) => ReadonlyArray<CustomerWindow>) =>
  broken(({ list }) => ({ list: (...of) => withResult(list(...of), ({ items, next }) => ({ items: change(items), next })) }))

describeMutations('the customers by when they last wrote', customerWindowsLaws, [
  { defect: 'lists the first to write first', open: changing((items) => items.toReversed()), breaks: ['a list has who wrote after a moment, and when, the latest first'] },
  {
    defect: 'lists each customer who wrote at any time',
    open: broken(({ list }) => ({ list: (workspace, query) => list(workspace, { ...query, since: 0 }) })),
    breaks: ['a list has who wrote after a moment, and when, the latest first', 'each id has the moment that counts for it'],
  },
  {
    defect: 'gives each id the latest moment of all',
    open: changing((items) => items.map((one) => ({ ...one, lastInbound: items[0]?.lastInbound ?? 0 }))),
    breaks: ['each id has the moment that counts for it'],
  },
  {
    defect: 'goes on after a moment, without the others who wrote then', open: broken(({ list }) => ({
      list: (workspace, query) => list(workspace, { ...query, ...(query.cursor !== undefined && { cursor: `${parseWindowCursor(query.cursor)?.lastInbound}.0` }) }),
    })),
    breaks: ['pages have each id once, even of those who wrote at one moment'],
  },
  {
    defect: 'lists the first inbox alone',
    open: broken(({ list }) => ({ list: (inboxes, query) => list(inboxes.slice(0, 1), query) })),
    breaks: ['a list of several inboxes has who wrote to each of them, in one order and in pages'],
  },
  {
    defect: 'fails for a text that is no cursor', open: broken(({ list }) => ({
      list: async (workspace, query) =>
        query.cursor !== undefined && parseWindowCursor(query.cursor) === undefined
          ? E.left(portFailure('CustomerWindows')('no cursor'))
          : list(workspace, query),
    })),
    breaks: ['a list never has who wrote to another workspace, and no cursor fails'],
  },
])
