import * as E from 'fp-ts/lib/Either.js'
import type { ConsentItem, Consents } from '../../core/consent/consent.js'
import { consentsLaws } from '../laws/consents.js'
import { brokenMemory, withResult } from './broken-memory.js'
import { describeMutations, namesOf } from './mutation.js'

const broken = (defect: Parameters<typeof brokenMemory<'consents'>>[1]) => brokenMemory('consents', defect)

const LAWS = namesOf(consentsLaws)
const at = (...indexes: ReadonlyArray<number>): ReadonlyArray<string> => indexes.map((index) => LAWS[index] ?? '')

/** Records other items than the given ones. */
const recording = (change: (item: ConsentItem, index: number) => ConsentItem) => broken(({ record }) => ({
  record: (workspace, items, ...along) => record(workspace, items.map(change), ...along),
}))

describeMutations('what customers allowed and stopped', consentsLaws, [
  {
    defect: 'finds nothing', breaks: at(1, 2, 4, 5, 7, 12),
    open: broken(() => ({ find: async (_workspace, ids) => E.right(ids.map(() => ({}))) })),
  },
  {
    defect: 'takes an unknown customer for one who stopped marketing', breaks: at(0, 1, 5),
    open: broken(({ find }) => ({
      find: (workspace, ids) => withResult(find(workspace, ids), (found) =>
        found.map((one) => ({ marketing: { status: 'withdrawn', since: 0, source: 'word' }, ...one }))),
    })),
  },
  {
    defect: 'finds the consents in another order', breaks: at(1),
    open: broken(({ find }) => ({ find: (workspace, ids) => withResult(find(workspace, ids), (found) => found.toReversed()) })),
  },
  { defect: 'records only the first id', open: recording((item) => ({ ...item, ids: item.ids.slice(0, 1) })), breaks: at(1, 5, 7) },
  {
    defect: 'loses the note', breaks: at(1, 9),
    open: recording(({ fact: { note: _lost, ...fact }, ...item }) => ({ ...item, fact })),
  },
  {
    defect: 'takes every topic for marketing', breaks: at(1, 8, 9),
    open: recording((item) => ({ ...item, fact: { ...item.fact, topic: 'marketing' } })),
  },
  {
    defect: 'lets the fact count that came last', breaks: at(2, 3, 5, 6, 7, 12),
    open: broken(({ record }) => {
      let later = 0
      const asLatest = (item: ConsentItem): ConsentItem => {
        later += 10_000_000_000
        return { ...item, fact: { ...item.fact, since: item.fact.since + later } }
      }
      return { record: (workspace, items, ...along) => record(workspace, items.map(asLatest), ...along) }
    }),
  },
  {
    defect: 'lets a grant count before a withdrawal of the same time', breaks: at(2),
    open: recording((item) => ({ ...item, fact: { ...item.fact, since: item.fact.since + (item.fact.status === 'granted' ? 0.5 : 0) } })),
  },
  {
    defect: 'lets a fact of unknown time count', breaks: at(5, 12),
    open: recording(({ onlyIfUnknown: _lost, ...item }) => item),
  },
  {
    defect: 'stores no entries', breaks: at(8),
    open: broken(({ record }) => ({ record: (workspace, items) => record(workspace, items) })),
  },
  {
    defect: 'has no history', breaks: at(1, 3, 4, 12),
    open: broken(() => ({ history: async () => E.right([]) })),
  },
  {
    defect: 'has the whole history', breaks: at(3),
    open: broken(({ history }) => ({ history: (workspace, id) => history(workspace, id, 1_000) })),
  },
  {
    defect: 'lists only the first page', breaks: at(9),
    open: broken(({ list }) => ({
      list: (workspace, query) => withResult(list(workspace, query), ({ items }) => ({ items, next: undefined })),
    })),
  },
  {
    defect: 'lists every status', breaks: at(9),
    open: broken(({ list }) => ({ list: (workspace, { status: _lost, ...query }) => list(workspace, query) })),
  },
  {
    defect: 'sets what was not given to its default', breaks: at(10),
    open: broken(({ set }) => ({
      set: (workspace, change, ...along) => set(workspace, { marketingNeedsConsent: false, ...change }, ...along),
    })),
  },
  {
    defect: 'never tells of withdrawals', breaks: at(11, 12),
    open: broken(({ rules }) => ({ rules: (workspace) => withResult(rules(workspace), (found) => ({ ...found, hasWithdrawals: false })) })),
  },
  {
    defect: 'remembers the first rules', breaks: at(10, 11),
    open: broken(({ rules }) => {
      const kept = new Map<string, ReturnType<Consents['rules']>>()
      return {
        rules: (workspace) => {
          const first = kept.get(workspace) ?? rules(workspace)
          kept.set(workspace, first)
          return first
        },
      }
    }),
  },
  {
    defect: 'lists erased persons', breaks: at(12),
    open: broken(({ list, rules }) => ({
      list: async (workspace, query) => {
        const [listed, known] = [await list(workspace, query), await rules(workspace)]
        if (E.isLeft(listed) || E.isLeft(known) || !known.right.hasWithdrawals || query.limit !== 10) return listed
        return E.right({ ...listed.right, items: [...listed.right.items, ...listed.right.items] })
      },
    })),
  },
])
