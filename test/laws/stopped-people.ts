import * as E from 'fp-ts/lib/Either.js'
import { askConsents } from '../../core/consent/asking.js'
import type { Consents, ConsentStatus } from '../../core/consent/consent.js'
import { hearOptOut, hearPreference, recordPerson } from '../../core/consent/hearing.js'
import type { CustomerId, PhoneNumber, UserId } from '../../core/customers/customer.js'
import { type Customers, findEverywhere } from '../../core/customers/learn.js'
import type { InboxId } from '../../core/kernel/ids.js'
import { DAY_MS, HOUR_MS, type Instant } from '../../core/kernel/time.js'
import type { PersonalData } from '../../core/privacy.js'
import { inboxOf } from '../../core/senders/sender.js'
import { done, same } from './expect.js'
import { newPhoneNumber, newUserId, times } from './ids.js'
import type { Law } from './law.js'
import { newSender, type SendersFixture } from './senders-fixture.js'

/** What customers stopped, and what is known of their ids, in one storage. */
export type StoppedPeopleFixture = SendersFixture & {
  readonly consents: Consents
  readonly customers: Customers
  readonly personalData: Pick<PersonalData, 'erase' | 'forgetBefore'>
}

const NOON = Date.UTC(2026, 10, 1, 12)

type Names = { readonly phoneNumber?: PhoneNumber; readonly userId?: UserId }

const idsIn = ({ phoneNumber, userId }: Names): ReadonlyArray<CustomerId> => [phoneNumber, userId].filter((id) => id !== undefined)

/** A workspace whose senders belong to different portfolios. */
const openPortfolios = async (fixture: StoppedPeopleFixture) => {
  const { senders } = fixture
  const { workspace } = await fixture.openWorkspace()
  for (const sender of times(3, newSender)) await done('a sender is added', senders.assign(workspace, sender))
  const inboxes = (await done('the senders are listed', senders.sendersOf(workspace))).map((sender) => inboxOf(workspace, sender))
  const [first = workspace, second = workspace, third = workspace] = inboxes.slice(-3)
  const isStopped = async (inbox: InboxId, to: CustomerId): Promise<boolean> => {
    const messages = { recipients: [{ to }], mayBeMarketing: true }
    const [asked] = await done('a consent is asked for', askConsents(fixture, { workspace, inbox }, messages))
    return asked?.consent.marketing?.status === 'withdrawn'
  }
  return {
    workspace, first, second, third, isStopped,
    says: (inbox: InboxId, names: Names, at: Instant) => done('a word is heard', hearOptOut(
      fixture, { workspace, inbox }, { ids: idsIn(names), said: 'STOP', at, isContentKept: false },
    )),
    chooses: (inbox: InboxId, names: Names, status: ConsentStatus, at: Instant) => done('a choice is heard', hearPreference(
      fixture, { workspace, inbox }, { ids: idsIn(names), stopped: status === 'withdrawn', at },
    )),
    names: (inbox: InboxId, names: Names, at: Instant) =>
      done('ids are reported', recordPerson(fixture, { workspace, inbox }, { ...names, at })),
    /** How each of some customers is seen through each portfolio. */
    seen: async (...ids: ReadonlyArray<CustomerId>): Promise<ReadonlyArray<boolean>> =>
      Promise.all([first, second, third].flatMap((inbox) => ids.map((id) => isStopped(inbox, id)))),
    erase: async (id: CustomerId): Promise<void> => {
      const people = await findEverywhere(fixture, workspace, id)
      if (E.isLeft(people)) throw new Error('a customer was not found')
      await done('a person is erased', fixture.personalData.erase(workspace, people.right))
    },
  }
}

const ordersOf = <Item>(items: ReadonlyArray<Item>): ReadonlyArray<ReadonlyArray<Item>> =>
  items.length < 2
    ? [items]
    : items.flatMap((first, index) => ordersOf(items.filter((_, other) => other !== index)).map((others) => [first, ...others]))

/** Whether each of `count` customers is seen as stopped through each of the three portfolios. */
const all = (count: number, expected: boolean): ReadonlyArray<boolean> => times(3 * count, () => expected)

/** The promises about people who are known by several ids: of every storage that has `Customers` and `Consents`. */
export const stoppedPeopleLaws: ReadonlyArray<Law<StoppedPeopleFixture>> = [
  {
    name: 'a stop counts for every id of a person in each portfolio, in whichever order the stop and the ids are learned',
    check: async (fixture) => {
      for (const order of ordersOf(['stop', 'pair', 'pair elsewhere'] as const)) {
        const { first, second, third, says, chooses, names, seen } = await openPortfolios(fixture)
        const [phoneNumber, one, other] = [newPhoneNumber(), newUserId(), newUserId()]
        const steps = {
          stop: () => says(first, { userId: one }, NOON),
          pair: () => names(first, { phoneNumber, userId: one }, NOON + 1),
          'pair elsewhere': () => names(second, { phoneNumber, userId: other }, NOON + 2),
        }
        for (const step of order) await steps[step]()
        same(`stopped after ${order.join(', ')}`, await seen(phoneNumber, one, other), all(3, true))
        same('another customer', await seen(newPhoneNumber(), newUserId()), all(2, false))
        await chooses(second, { userId: other }, 'granted', NOON + HOUR_MS)
        same('allowed again under another id', await seen(phoneNumber, one, other), all(3, false))
        await chooses(first, { userId: one }, 'withdrawn', NOON + HOUR_MS - 1)
        same('an older stop that is reported late', await seen(phoneNumber, one, other), all(3, false))
        await says(third, { phoneNumber }, NOON + 2 * HOUR_MS)
        same('stopped again under the number', await seen(phoneNumber, one, other), all(3, true))
      }
    },
  },
  {
    name: 'the latest of what a person said under different ids counts once they are known to be one person',
    check: async (fixture) => {
      for (const [stopped, allowed] of [[0, 1], [1, 0]] as const) {
        const { first, second, chooses, names, seen } = await openPortfolios(fixture)
        const [phoneNumber, one, other] = [newPhoneNumber(), newUserId(), newUserId()]
        await chooses(first, { userId: one }, 'withdrawn', NOON + stopped)
        await chooses(second, { userId: other }, 'granted', NOON + allowed)
        await names(second, { phoneNumber, userId: other }, NOON + 2)
        await names(first, { phoneNumber, userId: one }, NOON + 3)
        same('the person', await seen(phoneNumber, one, other), all(3, stopped > allowed))
      }
    },
  },
  {
    name: 'a stop stays when a person has a new number, also if it was recorded before the ids were known as one person',
    check: async (fixture) => {
      for (const id of ['phoneNumber', 'userId'] as const) {
        const { first, says, names, seen } = await openPortfolios(fixture)
        const person = { phoneNumber: newPhoneNumber(), userId: newUserId() }
        await says(first, { [id]: person[id] }, NOON)
        await names(first, person, NOON + 1)
        const next = newPhoneNumber()
        await names(first, { ...person, phoneNumber: next }, NOON + DAY_MS)
        same(`a stop of the ${id}`, await seen(person.userId, next), all(2, true))
      }
    },
  },
  {
    name: 'a stop that was recorded for one id while the ids were being linked counts for every id, and so it does after an erasure',
    check: async (fixture) => {
      const { workspace, first, second, names, seen, erase } = await openPortfolios(fixture)
      const [phoneNumber, one, other] = [newPhoneNumber(), newUserId(), newUserId()]
      await names(first, { phoneNumber, userId: one }, NOON)
      await names(second, { phoneNumber, userId: other }, NOON + 1)
      const fact = { topic: 'marketing', status: 'withdrawn', since: NOON, source: 'word' } as const
      await done('a fact is recorded', fixture.consents.record(workspace, [{ ids: [one], fact }]))
      same('the person', await seen(phoneNumber, one, other), all(3, true))
      await erase(other)
      same('the erased person', await seen(phoneNumber, one, other), all(3, true))
    },
  },
  {
    name: 'a stop of a person does not count for another person who has the number since',
    check: async (fixture) => {
      const { first, second, says, names, isStopped } = await openPortfolios(fixture)
      const [phoneNumber, before, known, after] = [newPhoneNumber(), newUserId(), newUserId(), newUserId()]
      await says(first, { userId: before }, NOON)
      await names(first, { phoneNumber, userId: before }, NOON + 1)
      await names(second, { phoneNumber, userId: known }, NOON + 2)
      await names(second, { phoneNumber, userId: after }, NOON + DAY_MS)
      same('the next person', [await isStopped(second, after), await isStopped(second, phoneNumber)], [false, false])
      same('who stopped', await isStopped(first, before), true)
    },
  },
  {
    name: 'a stop counts for every id after the person is erased, and after what links the ids is forgotten',
    check: async (fixture) => {
      for (const erased of ['number', 'one', 'other'] as const) {
        const { first, second, says, names, seen, erase } = await openPortfolios(fixture)
        const ids = { number: newPhoneNumber(), one: newUserId(), other: newUserId() }
        await says(first, { userId: ids.one }, NOON)
        await names(first, { phoneNumber: ids.number, userId: ids.one }, NOON + 1)
        await names(second, { phoneNumber: ids.number, userId: ids.other }, NOON + 2)
        await erase(ids[erased])
        same(`erased by the ${erased}`, await seen(...Object.values(ids)), all(3, true))
      }
      const { first, says, names, seen } = await openPortfolios(fixture)
      const [phoneNumber, userId] = [newPhoneNumber(), newUserId()]
      await says(first, { userId }, NOON)
      await names(first, { phoneNumber, userId }, NOON + 1)
      let cursor: string | undefined
      do {
        const step = await done('a step forgets', fixture.personalData.forgetBefore({
          before: NOON + DAY_MS, limit: 1_000, ...(cursor !== undefined && { cursor }),
        }))
        cursor = step.next
      } while (cursor !== undefined)
      same('forgotten', await seen(phoneNumber, userId), all(2, true))
    },
  },
]
