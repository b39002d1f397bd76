import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Alerts } from '../../core/alerts/alert.js'
import { alertsLaws } from '../laws/alerts.js'
import { andThen, brokenMemory, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const broken = (defect: (alerts: Alerts) => Partial<Alerts>) => brokenMemory('alerts', defect)
const nothing = async () => E.right(undefined)

describeMutations('the alerts', alertsLaws, [
  {
    defect: 'forgets what a member chose', open: broken(() => ({ choicesOf: async () => E.right([]) })),
    breaks: ['a member gets no kind of alert until they choose, and then those that they chose last'],
  },
  {
    defect: 'shows no channel', open: broken(() => ({ channelOf: async () => E.right(O.none) })),
    breaks: ['the channel of a workspace is the one set last, and none after its removal'],
  },
  {
    defect: 'says that alerts reach no person', open: broken(() => ({ reaches: async () => E.right(false) })),
    breaks: ['alerts reach a channel, and the members with access who chose a kind'],
  },
  {
    defect: 'alerts of every trouble each time',
    open: broken(({ note }) => ({
      note: (workspace, troubles, at, newId) => andThen(note(workspace, [], at, newId), () => note(workspace, troubles, at, newId)),
    })),
    breaks: [
      'new trouble is alerted once to each recipient, with the kinds that a member chose and every kind in the channel',
      'trouble that lasts is alerted again only after a time, and after it was resolved immediately',
    ],
  },
  {
    defect: 'lets others claim an alert at the same time',
    open: broken(({ claim }) => ({ claim: (at, _until, limit) => claim(at, at, limit) })),
    breaks: ['a claimed alert is not due before the end of its claim, and is gone once it is settled'],
  },
  {
    defect: 'forgets the language of a member',
    open: broken(({ claim }) => ({
      claim: (at, until, limit) => withResult(claim(at, until, limit), (alerts) => alerts.map((alert) => {
        if (alert.to._tag === 'Channel') return alert
        const { language: _, ...to } = alert.to
        return { ...alert, to }
      })),
    })),
    breaks: ['an alert for a member has their language at the time of the claim, if it is known'],
  },
  {
    defect: 'keeps an alert that is settled', open: broken(() => ({ settle: nothing })),
    breaks: ['a claimed alert is not due before the end of its claim, and is gone once it is settled'],
  },
  {
    defect: 'keeps a channel that is removed',
    open: broken(({ setChannel }) => ({
      setChannel: (workspace, url, outboxEntries) => (url === undefined ? nothing() : setChannel(workspace, url, outboxEntries)),
    })),
    breaks: [
      'the channel of a workspace is the one set last, and none after its removal',
      'an alert is dropped if its recipient has no access any more, or the channel was removed',
    ],
  },
  {
    defect: 'counts an alert that it did not add',
    open: broken(({ note }) => ({
      note: (workspace, troubles, at, newId) =>
        withResult(note(workspace, troubles, at, newId), (count) => Math.max(count, troubles.length)),
    })),
    breaks: [
      'new trouble is alerted once to each recipient, with the kinds that a member chose and every kind in the channel',
      'trouble that lasts is alerted again only after a time, and after it was resolved immediately',
      'of concurrent notes of the same trouble one raises alerts', 'no alert is added to more than the maximum of a workspace',
    ],
  },
])
