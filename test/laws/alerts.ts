import * as O from 'fp-ts/lib/Option.js'
import { type Alerts, MAX_WAITING_ALERTS, REPEATED_AFTER_MS, type Trouble, type WaitingAlert } from '../../core/alerts/alert.js'
import type { Member } from '../../core/access/members.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { done, holds, same } from './expect.js'
import { longAgo, newName, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'
import { invitation, joined, type MembersFixture, newMemberId, OPERATOR, roleIn } from './member-fixture.js'

/** The alerts and the members over one storage, and the control over the environment that their laws need. */
export type AlertsFixture = Pick<MembersFixture, 'members' | 'openWorkspace'> & { readonly alerts: Alerts }

const HOOK = 'https://hooks.example/T000/B000'
const LOW: Trouble = { kind: 'balance', topic: 'wallet.low', sentence: 'The balance is low.', fact: { _tag: 'WalletLow' } }
const DOWN: Trouble = {
  kind: 'endpoint', topic: 'endpoint.failing ep_1', sentence: 'An endpoint fails.', fact: { _tag: 'EndpointFailing', endpoint: 'ep_1' },
}

const raise = ({ alerts }: AlertsFixture, workspace: WorkspaceId, troubles: ReadonlyArray<Trouble>, at: number): Promise<number> =>
  done('troubles are noted', alerts.note(workspace, troubles, at, newName))

/** The due alerts of a workspace; laws run in fixtures in which others may wait, too. */
const claimed = async (
  { alerts }: AlertsFixture, workspace: WorkspaceId, at: number, until = at + 9,
): Promise<ReadonlyArray<WaitingAlert>> =>
  (await done('alerts are claimed', alerts.claim(at, until, 10_000))).filter((alert) => alert.workspace === workspace)

/** A workspace with a member who chose the balance; the channel is set if asked for. */
const watched = async (fixture: AlertsFixture, hasChannel = false) => {
  const { workspace } = await fixture.openWorkspace()
  const member: Member = await joined(fixture, invitation(roleIn(workspace, 'viewer')))
  await done('kinds are chosen', fixture.alerts.choose(member.id, ['balance']))
  if (hasChannel) await done('a channel is set', fixture.alerts.setChannel(workspace, HOOK))
  return { workspace, member, at: longAgo() }
}

/** The promises of every `Alerts` over the same storage as its `Members`. */
export const alertsLaws: ReadonlyArray<Law<AlertsFixture>> = [
  {
    name: 'a member gets no kind of alert until they choose, and then those that they chose last',
    check: async ({ alerts }) => {
      const member = newMemberId()
      same('at first', await done('choices are read', alerts.choicesOf(member)), [])
      for (const kinds of [['sending', 'balance'], ['quality'], []] as const) {
        await done('kinds are chosen', alerts.choose(member, kinds))
        same('after a choice', await done('choices are read', alerts.choicesOf(member)), kinds.toSorted())
      }
    },
  },
  {
    name: 'the channel of a workspace is the one set last, and none after its removal',
    check: async ({ alerts, openWorkspace }) => {
      const { workspace } = await openWorkspace()
      same('at first', await done('the channel is read', alerts.channelOf(workspace)), O.none)
      for (const url of [HOOK, `${HOOK}2`, undefined]) {
        await done('a channel is set', alerts.setChannel(workspace, url))
        same('after a change', await done('the channel is read', alerts.channelOf(workspace)), O.fromNullable(url))
      }
      same('of no workspace', await alerts.setChannel(newWorkspaceId(), HOOK), { _tag: 'Left', left: { _tag: 'UnknownWorkspace' } })
    },
  },
  {
    name: 'alerts reach a channel, and the members with access who chose a kind',
    check: async (fixture) => {
      const { workspace, member } = await watched(fixture)
      const reaches = (of: WorkspaceId) => done('who is reached is read', fixture.alerts.reaches(of))
      same('a member', await reaches(workspace), true)
      await done('nothing is chosen', fixture.alerts.choose(member.id, []))
      const { workspace: other } = await fixture.openWorkspace()
      await done('a channel is set', fixture.alerts.setChannel(other, HOOK))
      same('a channel', await reaches(other), true)
    },
  },
  {
    name: 'new trouble is alerted once to each recipient, with the kinds that a member chose and every kind in the channel',
    check: async (fixture) => {
      const { workspace, member, at } = await watched(fixture, true)
      const operator = await joined(fixture, invitation(OPERATOR))
      const raised = await raise(fixture, workspace, [LOW, DOWN], at)
      holds('a member and the channel', raised >= 2, raised)
      same('again', await raise(fixture, workspace, [LOW, DOWN], at + 1), 0)
      const alerts = await claimed(fixture, workspace, at)
      const of = (email: string) => alerts.filter(({ to }) => to._tag === 'Member' && to.email === email)
      const { kind, sentence, fact } = LOW
      same('the member', of(member.email).map(({ troubles, raisedAt, attempts }) => ({ troubles, raisedAt, attempts })), [
        { troubles: [{ kind, sentence, fact }], raisedAt: at, attempts: 0 },
      ])
      same('an operator who chose nothing', of(operator.email), [])
      const inChannel = alerts.filter(({ to }) => to._tag === 'Channel')
      same('the channel', inChannel.map(({ to, troubles }) => [to, troubles.length]), [[{ _tag: 'Channel', url: HOOK }, 2]])
    },
  },
  {
    name: 'trouble that lasts is alerted again only after a time, and after it was resolved immediately',
    check: async (fixture) => {
      const { workspace, at } = await watched(fixture)
      const raises = async (troubles: ReadonlyArray<Trouble>, later: number) => (await raise(fixture, workspace, troubles, at + later)) > 0
      same('new', await raises([LOW], 0), true)
      same('lasting', await raises([LOW], REPEATED_AFTER_MS - 1), false)
      same('lasting for long', await raises([LOW], REPEATED_AFTER_MS), true)
      same('resolved', await raises([], REPEATED_AFTER_MS + 1), false)
      same('back', await raises([LOW], REPEATED_AFTER_MS + 2), true)
    },
  },
  {
    name: 'of concurrent notes of the same trouble one raises alerts',
    check: async (fixture) => {
      const { workspace, at } = await watched(fixture)
      const raised = await Promise.all(times(4, () => raise(fixture, workspace, [LOW], at)))
      same('those that raised some', raised.filter((count) => count > 0).length, 1)
    },
  },
  {
    name: 'a claimed alert is not due before the end of its claim, and is gone once it is settled',
    check: async (fixture) => {
      const { workspace, at } = await watched(fixture, true)
      await raise(fixture, workspace, [LOW], at)
      const [one, two] = await claimed(fixture, workspace, at, at + 100)
      same('during the claim', await claimed(fixture, workspace, at + 99), [])
      if (one !== undefined) await done('an alert is settled', fixture.alerts.settle(one.id, undefined))
      const others = await claimed(fixture, workspace, at + 100, at + 200)
      same('after the claim', others.some(({ id }) => id === one?.id), false)
      same('its attempts', others.find(({ id }) => id === two?.id)?.attempts, 1)
      if (two !== undefined) await done('an alert is put off', fixture.alerts.settle(two.id, at + 500))
      same('before its next attempt', (await claimed(fixture, workspace, at + 499)).some(({ id }) => id === two?.id), false)
      same('at its next attempt', (await claimed(fixture, workspace, at + 500)).some(({ id }) => id === two?.id), true)
    },
  },
  {
    name: 'an alert for a member has their language at the time of the claim, if it is known',
    check: async (fixture) => {
      const { workspace, member, at } = await watched(fixture)
      await raise(fixture, workspace, [LOW], at)
      const languages = async (from: number) =>
        (await claimed(fixture, workspace, from)).flatMap(({ to }) => (to._tag === 'Member' ? [to.language] : []))
      same('at first', await languages(at), [undefined])
      for (const [index, language] of (['de', 'pt-BR'] as const).entries()) {
        await done('a language is set', fixture.members.setLanguage(member.id, language))
        same('after it was set', await languages(at + 9 * (index + 1)), [language])
      }
    },
  },
  {
    name: 'an alert is dropped if its recipient has no access any more, or the channel was removed',
    check: async (fixture) => {
      const { workspace, member, at } = await watched(fixture, true)
      await raise(fixture, workspace, [LOW], at)
      await done('a member is removed', fixture.members.remove(member.id, workspace))
      await done('a channel is removed', fixture.alerts.setChannel(workspace, undefined))
      const left = await claimed(fixture, workspace, at)
      same('for them', left.filter(({ to }) => to._tag === 'Channel' || to.email === member.email), [])
    },
  },
  {
    name: 'no alert is added to more than the maximum of a workspace',
    check: async (fixture) => {
      const { workspace, at } = await watched(fixture)
      let waiting = 0
      for (let turn = 0; turn <= MAX_WAITING_ALERTS && waiting < MAX_WAITING_ALERTS; turn += 1) {
        const raised = await raise(fixture, workspace, [{ ...LOW, topic: `wallet.low ${turn}` }], at)
        if (raised === 0) break
        waiting += raised
      }
      holds('no more wait', waiting <= MAX_WAITING_ALERTS && waiting > MAX_WAITING_ALERTS / 2, waiting)
      same('one more', await raise(fixture, workspace, [{ ...LOW, topic: 'wallet.low again' }], at), 0)
    },
  },
]
