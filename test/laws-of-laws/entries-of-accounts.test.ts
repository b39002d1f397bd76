import * as E from 'fp-ts/lib/Either.js'
import { type MakeOutboxEntries, eventsIn } from '../../core/kernel/outbox.js'
import { senderIdOf } from '../../core/senders/sender.js'
import type { TemplateDiff } from '../../core/templates/template.js'
import { accountEntriesLaws } from '../laws/entries-of-accounts.js'
import { andThen, brokenMemory, followedBy, withResult } from './broken-memory.js'
import { broken } from './broken-template-catalogue.js'
import { describeMutations } from './mutation.js'

type AlongTemplates = MakeOutboxEntries<ReadonlyArray<TemplateDiff>> | undefined

/** A catalogue whose events are made by a rule of its own. */
const telling = (change: (outboxEntries: AlongTemplates) => AlongTemplates) =>
  broken(({ replaceAll, replaceNamed, change: changeOne }) => ({
    replaceAll: (account, listed, at, outboxEntries) => replaceAll(account, listed, at, change(outboxEntries)),
    replaceNamed: (account, name, listed, at, outboxEntries) => replaceNamed(account, name, listed, at, change(outboxEntries)),
    change: (account, part, outboxEntries) => changeOne(account, part, change(outboxEntries)),
  }))

describeMutations('the events of senders and templates', accountEntriesLaws, [
  {
    defect: 'forgets the events of senders',
    open: brokenMemory('senders', ({ noteHealth }) => ({ noteHealth: (of, isFailing, at) => noteHealth(of, isFailing, at) })),
    breaks: ['a change of a sender\'s health stores what was made of when it began to fail, once'],
  },
  {
    defect: 'tells each note of a sender\'s health',
    open: brokenMemory('senders', ({ noteHealth }, { eventOutbox }) => ({
      noteHealth: (of, isFailing, at, outboxEntries) => followedBy(noteHealth(of, isFailing, at), () =>
        eventOutbox.append(of.workspace, eventsIn(outboxEntries?.({ phoneNumberId: senderIdOf('1'), failingSince: at }) ?? []))),
    })),
    breaks: ['a change of a sender\'s health stores what was made of when it began to fail, once', 'the health of a workspace without a sender stores nothing'],
  },
  {
    defect: 'forgets the events of templates',
    open: telling(() => undefined),
    breaks: [
      'a list stores what was made of the known templates whose status, category or quality it changes, in every workspace that is named',
      'a list of one name stores what was made of the templates of that name alone',
      'a change of a template stores what was made of it before and afterwards, and any other change nothing',
      'concurrent changes of one template store one event for each, in the order of the changes',
    ],
  },
  {
    defect: 'stores the first event of a list alone',
    open: telling((outboxEntries) => outboxEntries && ((diffs) => outboxEntries(diffs).slice(0, 1))),
    breaks: ['a list stores what was made of the known templates whose status, category or quality it changes, in every workspace that is named'],
  },
  {
    defect: 'tells what a template was as what it is',
    open: telling((outboxEntries) => outboxEntries && ((diffs) => outboxEntries(diffs.map(({ before }) => ({ before, after: before }))))),
    breaks: ['concurrent changes of one template store one event for each, in the order of the changes'],
  },
  {
    defect: 'tells changes that change nothing',
    open: broken(({ find, change }, { eventOutbox }) => ({
      change: (account, part, outboxEntries) => andThen(find(account, part.name), ({ templates: [before] }) =>
        followedBy(change(account, part), async (isKnown) => {
          const events = eventsIn(isKnown && before !== undefined ? outboxEntries?.([{ before, after: before }]) ?? [] : [])
          return events[0] === undefined ? E.right(undefined) : eventOutbox.append(events[0].workspace, events)
        })),
    })),
    breaks: ['a change of a template stores what was made of it before and afterwards, and any other change nothing'],
  },
  {
    defect: 'takes the templates of one name for a whole list',
    open: broken(({ replaceAll }) => ({
      replaceNamed: (account, _name, listed, at, outboxEntries) =>
        withResult(replaceAll(account, listed, at, outboxEntries), () => undefined),
    })),
    breaks: ['a list of one name stores what was made of the templates of that name alone'],
  },
])
