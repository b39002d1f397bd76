import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { QueueHold } from '../../core/messages/queue-holds.js'
import { queueHoldsLaws } from '../laws/queue-holds.js'
import { brokenMemory, withResult } from './broken-memory.js'
import { describeMutations, namesOf } from './mutation.js'

const broken = (defect: Parameters<typeof brokenMemory<'queueHolds'>>[1]) => brokenMemory('queueHolds', defect)

const LAWS = namesOf(queueHoldsLaws)
const at = (...indexes: ReadonlyArray<number>): ReadonlyArray<string> => indexes.map((index) => LAWS[index] ?? '')

describeMutations('the holds of the queue', queueHoldsLaws, [
  { defect: 'lists no holds', open: broken(() => ({ list: async () => E.right([]) })), breaks: at(0, 1, 3, 12, 14) },
  {
    defect: 'loses the note', breaks: at(0, 1),
    open: broken(({ hold }) => ({ hold: ({ note: _lost, ...given }, ...along) => hold(given, ...along) })),
  },
  {
    defect: 'replaces a hold that is in force', breaks: at(1, 14),
    open: broken(({ hold, resume }) => ({
      hold: async (given, ...along) => {
        await resume(given.workspace)
        return hold(given, ...along)
      },
    })),
  },
  {
    defect: 'resumes every workspace with one', breaks: at(0),
    open: broken(({ resume, list }) => ({
      resume: async (workspace, ...along) => {
        const all = await list()
        const removed = await resume(workspace, ...along)
        if (E.isRight(all)) for (const one of all.right) await resume(one.workspace)
        return removed
      },
    })),
  },
  {
    defect: 'reports a removed hold that was not there', breaks: at(0, 2),
    open: broken(({ resume }) => ({
      resume: (workspace, ...along) =>
        withResult(resume(workspace, ...along), O.alt(() => O.some<QueueHold>({ since: 0, why: 'operator', by: { type: 'system' } }))),
    })),
  },
  {
    defect: 'holds nothing after a sleep', breaks: at(3, 5, 6, 11, 12, 13, 14),
    open: broken(({ heartbeat }) => ({ heartbeat: (beat, ...along) => heartbeat({ ...beat, heldAfterMs: undefined }, ...along) })),
  },
  {
    defect: 'takes every installation for the same', breaks: at(5, 6),
    open: broken(({ heartbeat }) => ({ heartbeat: (beat, ...along) => heartbeat({ ...beat, installation: 'same' }, ...along) })),
  },
  {
    defect: 'holds the queue at every heartbeat after the first one', breaks: at(3, 4, 7, 8, 9, 10, 11),
    open: broken(({ heartbeat, hold, list }) => {
      let beats = 0
      return {
        heartbeat: async (beat, ...along) => {
          beats += 1
          const beaten = await heartbeat(beat, ...along)
          if (beats === 1) return beaten
          await hold({ since: beat.at, why: 'asleep', by: { type: 'system' } })
          return withResult(list(), (holds) => ({ holds, isNew: false }))
        },
      }
    }),
  },
  {
    defect: 'stores no entries', breaks: at(14),
    open: broken(({ heartbeat, hold, resume }) => ({
      heartbeat: (beat) => heartbeat(beat), hold: (given) => hold(given), resume: (workspace) => resume(workspace),
    })),
  },
])
