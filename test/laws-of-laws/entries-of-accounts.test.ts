import * as E from 'fp-ts/lib/Either.js'
import { type EntriesOf, eventsIn } from '../../core/kernel/outbox.js'
import type { TemplateDiff } from '../../core/templates/template.js'
import { accountEntriesLaws } from '../laws/entries-of-accounts.js'
import { andThen, brokenMemory, followedBy, withResult } from './broken-memory.js'
import { broken } from './broken-template-catalogue.js'
import { describeMutations } from './mutation.js'

type AlongTemplates = EntriesOf<ReadonlyArray<TemplateDiff>> | undefined

/** A catalogue whose events are made by a rule of its own. */
const telling = (change: (entriesOf: AlongTemplates) => AlongTemplates) =>
  broken(({ replaceAll, replaceNamed, change: changeOne }) => ({
    replaceAll: (account, listed, at, entriesOf) => replaceAll(account, listed, at, change(entriesOf)),
    replaceNamed: (account, name, listed, at, entriesOf) => replaceNamed(account, name, listed, at, change(entriesOf)),
    change: (account, part, entriesOf) => changeOne(account, part, change(entriesOf)),
  }))

describeMutations('the events of senders and templates', accountEntriesLaws, [
  {
    defect: 'forgets the events of senders',
    open: brokenMemory('senders', ({ noteHealth }) => ({ noteHealth: (workspace, isFailing, at) => noteHealth(workspace, isFailing, at) })),
    breaks: ['a change of a sender\'s health stores what was made of when it began to fail, once'],
  },
  {
    defect: 'tells each note of a sender\'s health',
    open: brokenMemory('senders', ({ noteHealth }, { eventOutbox }) => ({
      noteHealth: (workspace, isFailing, at, entriesOf) => followedBy(noteHealth(workspace, isFailing, at), () =>
        eventOutbox.append(workspace, eventsIn(entriesOf?.({ phoneNumberId: '1', failingSince: at }) ?? []))),
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
    open: telling((entriesOf) => entriesOf && ((diffs) => entriesOf(diffs).slice(0, 1))),
    breaks: ['a list stores what was made of the known templates whose status, category or quality it changes, in every workspace that is named'],
  },
  {
    defect: 'tells what a template was as what it is',
    open: telling((entriesOf) => entriesOf && ((diffs) => entriesOf(diffs.map(({ before }) => ({ before, after: before }))))),
    breaks: ['concurrent changes of one template store one event for each, in the order of the changes'],
  },
  {
    defect: 'tells changes that change nothing',
    open: broken(({ find, change }, { eventOutbox }) => ({
      change: (account, part, entriesOf) => andThen(find(account, part.name), ({ templates: [before] }) =>
        followedBy(change(account, part), async (isKnown) => {
          const events = eventsIn(isKnown && before !== undefined ? entriesOf?.([{ before, after: before }]) ?? [] : [])
          return events[0] === undefined ? E.right(undefined) : eventOutbox.append(events[0].workspace, events)
        })),
    })),
    breaks: ['a change of a template stores what was made of it before and afterwards, and any other change nothing'],
  },
  {
    defect: 'takes the templates of one name for a whole list',
    open: broken(({ replaceAll }) => ({
      replaceNamed: (account, _name, listed, at, entriesOf) => withResult(replaceAll(account, listed, at, entriesOf), () => undefined),
    })),
    breaks: ['a list of one name stores what was made of the templates of that name alone'],
  },
])
