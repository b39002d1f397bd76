import type { FreeMessages, FreeTaking } from '../../core/money/wallet.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { done, same } from './expect.js'
import { newDigits, newMessageId, newName, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'

/** The free messages of senders. */
export type FreeMessagesFixture = {
  readonly freeMessages: FreeMessages
  /** The same counts as another node sees them, if there are several nodes. */
  readonly elsewhere?: FreeMessages
}

const NOVEMBER = '2026-11'
const DECEMBER = '2026-12'

/** A take of a new message through a new sender; `more` replaces parts of it. */
const newTaking = (more: Partial<FreeTaking> = {}): FreeTaking => ({
  workspace: newWorkspaceId(), message: newMessageId(Date.now()), phoneNumberId: senderIdOf(newDigits(15)), month: NOVEMBER, limit: 5,
  ...more,
})

/** Another message of the same sender, workspace and month. */
const another = (taking: FreeTaking): FreeTaking => ({ ...taking, message: newMessageId(Date.now()) })

const take = ({ freeMessages }: Pick<FreeMessagesFixture, 'freeMessages'>, taking: FreeTaking): Promise<boolean> =>
  done('a free message is asked for', freeMessages.take(taking))

const giveBack = ({ freeMessages }: Pick<FreeMessagesFixture, 'freeMessages'>, { workspace, message }: FreeTaking): Promise<void> =>
  done('a free message is given back', freeMessages.giveBack({ workspace, message }))

const taken = ({ freeMessages }: FreeMessagesFixture, { phoneNumberId, month }: FreeTaking): Promise<number> =>
  done('the free messages that were taken are counted', freeMessages.taken(phoneNumberId, month))

/** The nodes alternately, so that half of the calls come from another one. */
const nodeOf = (
  { freeMessages, elsewhere = freeMessages }: FreeMessagesFixture, index: number,
): Pick<FreeMessagesFixture, 'freeMessages'> =>
  ({ freeMessages: index % 2 === 0 ? freeMessages : elsewhere })

const numberOf = (answers: ReadonlyArray<boolean>): number => answers.filter(Boolean).length

/** The promises of every `FreeMessages`. */
export const freeMessagesLaws: ReadonlyArray<Law<FreeMessagesFixture>> = [
  {
    name: 'a sender has as many free messages in a month as the limit says',
    check: async (fixture) => {
      const first = newTaking({ limit: 3 })
      same('none is taken at first', await taken(fixture, first), 0)
      for (const [index, expected] of [true, true, true, false, false].entries()) {
        same(`whether message ${index + 1} of 3 is free`, await take(fixture, another(first)), expected)
      }
      same('the free messages that are taken', await taken(fixture, first), 3)
      same('a message under a limit of none', await take(fixture, newTaking({ limit: 0 })), false)
    },
  },
  {
    name: 'of 256 concurrent takes exactly as many are free as are left',
    check: async (fixture) => {
      const first = newTaking({ limit: 100 })
      const answers = await Promise.all(times(256, (index) => take(nodeOf(fixture, index), another(first))))
      same('the free ones of 256', numberOf(answers), 100)
      same('the free messages that are taken', await taken(fixture, first), 100)
    },
  },
  {
    name: 'concurrent takes of many senders are counted for each',
    check: async (fixture) => {
      const senders = times(16, () => newTaking({ limit: 3 }))
      const answers = await Promise.all(times(64, (index) => take(nodeOf(fixture, index), another(senders[index % 16] ?? newTaking()))))
      same('the free ones of 64', numberOf(answers), 48)
      same('the free messages of each sender', await Promise.all(senders.map((one) => taken(fixture, one))), times(16, () => 3))
    },
  },
  {
    name: 'a repeated take of one message takes one, and is free again even if none is left',
    check: async (fixture) => {
      const taking = newTaking({ limit: 2 })
      same(
        'each of twenty takes of one message', await Promise.all(times(20, (index) => take(nodeOf(fixture, index), taking))),
        times(20, () => true),
      )
      same('the free messages that are taken', await taken(fixture, taking), 1)
      same('another message', await take(fixture, another(taking)), true)
      same('a third message', await take(fixture, another(taking)), false)
      same('the first message again', await take(fixture, taking), true)
      same('the first message again, in the next month', await take(fixture, { ...taking, month: DECEMBER }), true)
      same('the free messages that are taken in the next month', await taken(fixture, { ...taking, month: DECEMBER }), 0)
    },
  },
  {
    name: 'each month and each sender has its own count, and the workspaces of a sender share it',
    check: async (fixture) => {
      const phoneNumberId = `${newName()}a`
      const first = newTaking({ limit: 1, phoneNumberId: senderIdOf(phoneNumberId) })
      same('the first message of November', await take(fixture, first), true)
      same(
        'a message of another workspace in November',
        await take(fixture, newTaking({ limit: 1, phoneNumberId: senderIdOf(phoneNumberId) })), false,
      )
      same('the first message of December', await take(fixture, { ...another(first), month: DECEMBER }), true)
      same(
        'the first message of a sender whose id differs in letter case',
        await take(fixture, { ...another(first), phoneNumberId: senderIdOf(phoneNumberId.toUpperCase()) }), true,
      )
      same('the free messages of November', await taken(fixture, first), 1)
      for (const unknown of [newDigits(15), '', '__proto__', '\u0000', '%']) {
        same('an unknown sender', await taken(fixture, { ...first, phoneNumberId: senderIdOf(unknown) }), 0)
      }
    },
  },
  {
    name: 'a limit that has changed counts from the next take on',
    check: async (fixture) => {
      const first = newTaking({ limit: 3 })
      for (const _ of times(3, () => undefined)) await take(fixture, another(first))
      same('a message under a lower limit', await take(fixture, { ...another(first), limit: 2 }), false)
      same('the free messages that are taken', await taken(fixture, first), 3)
      same('a message under a higher limit', await take(fixture, { ...another(first), limit: 4 }), true)
    },
  },
  {
    name: 'what a message gives back another message can take',
    check: async (fixture) => {
      const first = newTaking({ limit: 1 })
      await take(fixture, first)
      same('a message while none is left', await take(fixture, another(first)), false)
      await giveBack(nodeOf(fixture, 1), first)
      same('the free messages that are taken', await taken(fixture, first), 0)
      same('a message after one was given back', await take(fixture, another(first)), true)
    },
  },
  {
    name: 'a message gives back once, and none that it did not take',
    check: async (fixture) => {
      const first = newTaking({ limit: 3 })
      const messages = times(3, () => another(first))
      for (const message of messages) await take(fixture, message)
      const paid = another(first)
      await take(fixture, paid)
      await Promise.all(times(20, (index) => giveBack(nodeOf(fixture, index), messages[0] ?? first)))
      for (const other of [
        messages[0] ?? first, paid, another(first),
        { ...first, message: messages[1]?.message ?? first.message, workspace: newWorkspaceId() },
      ]) {
        await giveBack(fixture, other)
      }
      same('the free messages that are taken', await taken(fixture, first), 2)
    },
  },
  {
    name: 'concurrent takes and give-backs leave an exact count',
    check: async (fixture) => {
      const first = newTaking({ limit: 1_000 })
      const before = times(64, () => another(first))
      for (const answer of await Promise.all(before.map((one) => take(fixture, one)))) same('a message while some are left', answer, true)
      const after = times(64, () => another(first))
      await Promise.all([
        ...before.map((one, index) => giveBack(nodeOf(fixture, index), one)),
        ...after.map((one, index) => take(nodeOf(fixture, index + 1), one)),
      ])
      same('the free messages that are taken', await taken(fixture, first), 64)
      await Promise.all(after.map((one) => giveBack(fixture, one)))
      same('the free messages that are taken after all are given back', await taken(fixture, first), 0)
    },
  },
]
