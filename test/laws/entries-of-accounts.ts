import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { MakeOutboxEntries } from '../../core/kernel/outbox.js'
import { type FailingSender, senderIdOf } from '../../core/senders/sender.js'
import type { Template, TemplateDiff } from '../../core/templates/template.js'
import { type EntriesFixture, newEvent, nodeOf, NOON, storedData, telling } from './entries-fixture.js'
import { done, same } from './expect.js'
import { newDigits, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'
import { newAccount, templateOf } from './template-fixture.js'

const healthData = ({ phoneNumberId, failingSince }: FailingSender) => ({ phone_number_id: phoneNumberId, failing_since: failingSince })

/** The data of an event about changed templates. */
const diffsData = (diffs: ReadonlyArray<TemplateDiff>) => ({
  changed: diffs.map(({ before, after }) => `${after.name} ${stateOf(before)} > ${stateOf(after)}`).sort(),
})
const stateOf = ({ status, category, quality }: TemplateDiff['after']): string => [status, category, quality ?? 'none'].join('/')

const assigned = async ({ senders }: EntriesFixture, workspace: WorkspaceId): Promise<string> => {
  const phoneNumberId = newDigits(15)
  await done(
    'a workspace is given its sender',
    senders.assign(workspace, { phoneNumberId: senderIdOf(phoneNumberId), accessToken: newDigits(30), businessAccountId: undefined }),
  )
  return phoneNumberId
}

/** Which events writes of senders and templates store. */
export const accountEntriesLaws: ReadonlyArray<Law<EntriesFixture>> = [
  {
    name: 'a change of a sender\'s health stores what was made of when it began to fail, once',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const phoneNumberId = await assigned(fixture, workspace)
      const note = (index: number, isFailing: boolean, at: number): Promise<boolean> =>
        done('the health is noted', nodeOf(fixture, index).senders.noteHealth(
          { workspace, sender: senderIdOf(phoneNumberId) }, isFailing, at, telling(workspace, healthData),
        ))
      await note(0, false, NOON)
      await Promise.all(times(8, (index) => note(index, true, NOON + 1)))
      await note(0, true, NOON + 2)
      await Promise.all(times(8, (index) => note(index, false, NOON + 3)))
      const since = { phone_number_id: phoneNumberId, failing_since: NOON + 1 }
      same('what is stored of the failure and of the recovery', await storedData(fixture, workspace), [since, since])
    },
  },
  {
    name: 'the health of a workspace without a sender stores nothing',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      for (const one of [workspace, newWorkspaceId()]) {
        const note = fixture.senders.noteHealth({ workspace: one, sender: senderIdOf('1') }, true, NOON, telling(one, healthData))
        await done('the health is noted', note)
        same('what is stored', await storedData(fixture, one), [])
      }
    },
  },
  {
    name: 'a list stores what was made of the known templates whose status, category or quality it changes, in every workspace that is named',
    check: async (fixture) => {
      const [ours, theirs] = [(await fixture.openWorkspace()).workspace, (await fixture.openWorkspace()).workspace]
      const outboxEntries: MakeOutboxEntries<ReadonlyArray<TemplateDiff>> = (diffs) =>
        [ours, theirs].map((workspace) => newEvent(workspace, diffsData(diffs)))
      const account = newAccount()
      const [kept, paused, moved, worse, gone] = ['a', 'b', 'c', 'd', 'e'].map((name) =>
        templateOf(name)) as [Template, Template, Template, Template, Template]
      const list = (listed: ReadonlyArray<Template>, at: number): Promise<void> =>
        done('a list is taken in', fixture.templateCatalogue.replaceAll(account, listed, at, outboxEntries))
      await list([kept, paused, moved, worse, gone], NOON)
      same('new templates', await storedData(fixture, ours), [])
      await list([
        { ...kept, components: [{ type: 'BODY', text: 'Other words' }] }, { ...paused, status: 'paused' },
        { ...moved, category: 'marketing' }, { ...worse, quality: undefined }, templateOf('f'),
      ], NOON + 1)
      await list([kept, paused, moved, worse], NOON)
      const changed = ['b approved/utility/green > paused/utility/green', 'c approved/utility/green > approved/marketing/green', 'd approved/utility/green > approved/utility/none']
      for (const workspace of [ours, theirs]) same('what is stored', await storedData(fixture, workspace), [{ changed }])
    },
  },
  {
    name: 'a list of one name stores what was made of the templates of that name alone',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const account = newAccount()
      const [named, other] = [templateOf('a'), templateOf('b')]
      await done('a list is taken in', fixture.templateCatalogue.replaceAll(account, [named, other], NOON))
      const listed = [{ ...named, status: 'rejected' }, { ...other, status: 'rejected' }]
      for (const at of [NOON + 1, NOON + 2, NOON - 1]) {
        await done('a name is taken in', fixture.templateCatalogue.replaceNamed(account, 'a', listed, at, telling(workspace, diffsData)))
      }
      same('what is stored', await storedData(fixture, workspace), [{ changed: ['a approved/utility/green > rejected/utility/green'] }])
    },
  },
  {
    name: 'a change of a template stores what was made of it before and afterwards, and any other change nothing',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const account = newAccount()
      await done('a list is taken in', fixture.templateCatalogue.replaceAll(account, [templateOf('a')], NOON))
      const parts = [
        { status: 'paused', at: NOON + 2 }, { status: 'paused', at: NOON + 3 }, { status: 'approved', at: NOON + 1 },
        { category: 'marketing', at: NOON + 1 }, { quality: 'red', at: NOON + 1 }, { quality: 'green', at: NOON - 1 },
      ]
      for (const part of parts) {
        await done(
          'a change', fixture.templateCatalogue.change(account, { name: 'a', language: 'en', ...part }, telling(workspace, diffsData)),
        )
      }
      await done(
        'a change of none',
        fixture.templateCatalogue.change(
          account, { name: 'b', language: 'en', status: 'paused', at: NOON + 9 }, telling(workspace, diffsData),
        ),
      )
      same('what is stored', await storedData(fixture, workspace), [
        { changed: ['a approved/utility/green > paused/utility/green'] }, { changed: ['a paused/utility/green > paused/marketing/green'] },
        { changed: ['a paused/marketing/green > paused/marketing/red'] },
      ])
    },
  },
  {
    name: 'concurrent changes of one template store one event for each, in the order of the changes',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const account = newAccount()
      await done('a list is taken in', fixture.templateCatalogue.replaceAll(account, [templateOf('a', { status: '0' })], NOON))
      const outboxEntries = telling(workspace, ([diff]: ReadonlyArray<TemplateDiff>) => ({
        from: diff?.before.status ?? null, to: diff?.after.status ?? null,
      }))
      await Promise.all(times(10, (index) =>
        done(
          'a change',
          nodeOf(fixture, index).templateCatalogue.change(
            account, { name: 'a', language: 'en', status: `${index + 1}`, at: NOON + 1 }, outboxEntries,
          ),
        )))
      const moves = await storedData(fixture, workspace)
      same('every change is stored', moves.map(({ to }) => Number(to)).sort((a, b) => a - b), times(10, (index) => index + 1))
      same('each begins where the one before it ended', moves.map(({ from }) => from), ['0', ...moves.slice(0, -1).map(({ to }) => to)])
    },
  },
]
