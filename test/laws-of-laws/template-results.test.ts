import * as E from 'fp-ts/lib/Either.js'
import { DAY_MS } from '../../core/kernel/time.js'
import type { CustomerReply, ResultCount } from '../../core/templates/results.js'
import { templateResultsLaws } from '../laws/template-results.js'
import { brokenMemory, withResult } from './broken-memory.js'
import { describeMutations, namesOf } from './mutation.js'

const broken = (defect: Parameters<typeof brokenMemory<'templateResults'>>[1]) => brokenMemory('templateResults', defect)

const LAWS = namesOf(templateResultsLaws)
const at = (...indexes: ReadonlyArray<number>): ReadonlyArray<string> => indexes.map((index) => LAWS[index] ?? '')

const reading = (change: (counts: ReadonlyArray<ResultCount>) => ReadonlyArray<ResultCount>) => broken(({ counts }) => ({
  counts: (workspace, query) => withResult(counts(workspace, query), change),
}))

const noting = (change: (reply: CustomerReply) => CustomerReply) => broken(({ noteReply }) => ({
  noteReply: (reply) => noteReply(change(reply)),
}))

describeMutations('what template messages achieve', templateResultsLaws, [
  {
    defect: 'charges every message, in any state', breaks: at(0),
    open: reading((counts) => counts.map((count) => ({ ...count, micros: count.micros === 0n ? 62_500n : count.micros }))),
  },
  { defect: 'gives only the first day', breaks: at(0, 1), open: reading((counts) => counts.filter(({ day }) => day === counts[0]?.day)) },
  {
    defect: 'counts the end of the period, too', breaks: at(1),
    open: broken(({ counts }) => ({ counts: (workspace, query) => counts(workspace, { ...query, to: query.to + 1 }) })),
  },
  {
    defect: 'counts every language', breaks: at(1, 2, 3, 5, 6, 7),
    open: broken(({ counts }) => ({ counts: (workspace, { language: _lost, ...query }) => counts(workspace, query) })),
  },
  { defect: 'notes no reply', breaks: at(2, 3, 4, 5, 6, 9), open: broken(() => ({ noteReply: async () => E.right(undefined) })) },
  { defect: 'takes a reply for a day later', breaks: at(2, 3), open: noting((reply) => ({ ...reply, at: reply.at + DAY_MS - 2_000 })) },
  {
    defect: 'takes a message without a sender for one of every sender', breaks: at(5),
    open: noting((reply) => ({ ...reply, to: { ...reply.to, orNone: true } })),
  },
  {
    defect: 'forgets since when a number belongs to the customer', breaks: at(5),
    open: noting((reply) => ({ ...reply, from: reply.from.map(({ id }) => ({ id })) })),
  },
  {
    defect: 'counts each note of a reply', breaks: at(4),
    open: broken(({ noteReply, counts }) => {
      let notes = 0
      return {
        noteReply: (reply) => {
          notes += 1
          return noteReply(reply)
        },
        counts: (workspace, query) => withResult(counts(workspace, query), (read) =>
          read.map((count) => ({ ...count, replied: count.replied === 0 ? 0 : notes }))),
      }
    }),
  },
  {
    defect: 'takes every failed or refused message for an answered one', breaks: at(6),
    open: reading((counts) => counts.map((count) =>
      (count.state === 'failed' || count.state === 'refused' ? { ...count, replied: count.messages } : count))),
  },
  { defect: 'sees no opt-outs', breaks: at(6, 7, 8), open: reading((counts) => counts.map((count) => ({ ...count, optedOut: 0 }))) },
  {
    defect: 'takes every message with a reply for one with an opt-out', breaks: at(2, 4),
    open: reading((counts) => counts.map((count) => ({ ...count, optedOut: Math.max(count.optedOut, count.replied) }))),
  },
])
