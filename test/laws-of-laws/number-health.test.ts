import * as E from 'fp-ts/lib/Either.js'
import { eventsIn } from '../../core/kernel/outbox.js'
import { afterReading, hasNumberChanged, type KnownNumber, type NumberHealth, READ_EVERY_MS } from '../../core/senders/number-health.js'
import type { SenderOf } from '../../core/senders/sender.js'
import { numberHealthLaws } from '../laws/number-health.js'
import { andThen, brokenMemory, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const broken = (defect: (numberHealth: NumberHealth) => Partial<NumberHealth>) => brokenMemory('numberHealth', defect)
const nothing = async () => E.right(undefined)

/** Numbers that are known as `change` says. */
const shown = (change: (number: KnownNumber) => ReadonlyArray<KnownNumber>) =>
  broken(({ of }) => ({ of: (workspace) => withResult(of(workspace), (numbers) => numbers.flatMap(change)) }))

const COMES_BACK = 'a reading comes back as it was given'
const REPLACES = 'a later reading replaces the facts that it has and keeps the others'
const CHANGES = 'a reading with a new quality or a new limit of a known number stores what was made of the change, and any other reading nothing'
const WANTED = 'wanted numbers are due at the given time: those of senders of the account, and those with the digits'
const EARLIER = 'a wanted number that is due earlier stays due, and a reading that started before does not postpone it'

describeMutations('the health of numbers', numberHealthLaws, [
  {
    defect: 'shows a number that was never read',
    open: broken(({ of, claim }) => {
      const taken: Array<SenderOf> = []
      return {
        claim: (at, until, limit) => withResult(claim(at, until, limit), (numbers) => {
          taken.push(...numbers)
          return numbers
        }),
        of: (workspace) => withResult(of(workspace), (numbers) =>
          (numbers.length > 0
            ? numbers
            : taken.flatMap((one) => (one.workspace === workspace ? { phoneNumberId: one.sender, readAt: 0 } : [])))),
      }
    }),
    breaks: ['a number that was never read is not known, even after it was taken or wanted'],
  },
  {
    defect: 'lists one number of a workspace',
    open: broken(({ of }) => ({ of: (workspace) => withResult(of(workspace), (numbers) => numbers.slice(0, 1)) })),
    breaks: ['the numbers of a workspace are listed by their ids, and those of others are not'],
  },
  {
    defect: 'loses the limit of a number without one',
    open: shown(({ customersPerDay, ...number }) => [{ ...number, ...(typeof customersPerDay === 'number' && { customersPerDay }) }]),
    breaks: [COMES_BACK],
  },
  {
    defect: 'forgets the facts that a reading does not have',
    open: broken(({ note, of }) => {
      const last = new Map<string, KnownNumber>()
      return {
        note: (number, reading, outboxEntries) => {
          const { at, ...facts } = reading
          last.set(number.sender, { ...facts, phoneNumberId: number.sender, readAt: at })
          return note(number, reading, outboxEntries)
        },
        of: (workspace) => withResult(of(workspace), (numbers) => numbers.map((number) => last.get(number.phoneNumberId) ?? number)),
      }
    }),
    breaks: [REPLACES],
  },
  {
    defect: 'counts the quality from the latest reading', open: shown((number) => [{ ...number, qualitySince: number.readAt }]),
    breaks: [REPLACES],
  },
  {
    defect: 'stores a reading that is older',
    open: broken(({ note }) => ({ note: (number, reading, outboxEntries) => note(number, { ...reading, at: Date.now() }, outboxEntries) })),
    breaks: ['an older reading changes nothing'],
  },
  {
    defect: 'says that every reading is stored',
    open: broken(({ note }) => ({ note: (...args) => withResult(note(...args), () => true) })),
    breaks: ['a reading of a number that is not a sender of the workspace changes nothing', 'an older reading changes nothing'],
  },
  {
    defect: 'makes no event of a change', open: broken(({ note }) => ({ note: (number, reading) => note(number, reading) })),
    breaks: [CHANGES, 'of concurrent identical readings only one finds a change'],
  },
  {
    defect: 'makes an event of every reading',
    open: broken(({ note }) => ({
      note: (number, reading, outboxEntries) =>
        andThen(note(number, { ...reading, quality: 'unknown' }), () => note(number, reading, outboxEntries)),
    })),
    breaks: [CHANGES],
  },
  {
    defect: 'compares a reading with what was known before other readings were stored',
    open: brokenMemory('numberHealth', ({ note, of }, { eventOutbox }) => ({
      note: async (number, reading, outboxEntries) => {
        const known = await of(number.workspace)
        const [before] = E.isRight(known) ? known.right : []
        const stored = await note(number, reading)
        const after = afterReading(number.sender, before, reading)
        if (before !== undefined && after !== undefined && outboxEntries !== undefined && hasNumberChanged({ before, after })) {
          await eventOutbox.append(number.workspace, eventsIn(outboxEntries({ before, after })))
        }
        return stored
      },
    })),
    breaks: ['of concurrent identical readings only one finds a change'],
  },
  {
    defect: 'lets others take a number at the same time',
    open: broken(({ claim }) => ({ claim: (at, _until, limit) => claim(at, at, limit) })),
    breaks: ['a number that is taken is due again at the end of the claim', 'of concurrent claims one takes a number'],
  },
  {
    defect: 'reads a number again soon after every reading',
    open: broken(({ note, want }) => ({
      note: (number, reading, outboxEntries) => andThen(note(number, reading, outboxEntries), (isStored) =>
        withResult(want({ accountId: '', digits: '15550783881' }, reading.at + READ_EVERY_MS / 2), () => isStored)),
    })),
    breaks: ['a number that was read is due after the usual time'],
  },
  {
    defect: 'makes no number due', open: broken(() => ({ want: nothing })), breaks: [WANTED, EARLIER],
  },
  {
    defect: 'does not know a number by its digits', open: broken(({ want }) => ({ want: ({ accountId }, at) => want({ accountId }, at) })),
    breaks: [WANTED],
  },
  {
    defect: 'delays a number that is due', open: broken(({ want }) => ({ want: (wanted, at) => want(wanted, at + 5) })),
    breaks: [WANTED, EARLIER],
  },
  {
    defect: 'takes more numbers than it should', open: broken(({ claim }) => ({ claim: (at, until) => claim(at, until, 10_000) })),
    breaks: ['at most the given number is taken, longest due first'],
  },
  {
    defect: 'takes the numbers of removed senders',
    open: broken(({ claim, note }) => {
      const read: Array<SenderOf> = []
      return {
        note: (number, ...rest) => {
          read.push(number)
          return note(number, ...rest)
        },
        claim: (...args) => withResult(claim(...args), (numbers) => [...numbers, ...read]),
      }
    }),
    breaks: ['the numbers of archived workspaces and of removed senders are not taken'],
  },
])
