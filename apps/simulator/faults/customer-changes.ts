import type { Customer } from '../customers.js'
import type { SimulatorState } from '../state.js'
import { changeNumber, changeUserId, chooseMarketing, shareNumber } from '../webhooks/customer-updates.js'
import { reportInbound } from '../webhooks/report.js'
import { MAGIC_PREFIX } from './faults.js'

/** What the customer with a magic number does after a message to it was accepted. */
export type MagicChange = {
  /** The last three digits of the recipient. */
  readonly digits: string
  /** What happens, in one sentence. */
  readonly about: string
  /** Whether it happens before the statuses are reported; otherwise it happens after them. */
  readonly first?: true
  readonly happen: (state: SimulatorState, customer: Customer, phoneNumberId: string) => void
}

/** A new number is the first free number after this one. */
const BEFORE_NEW_NUMBERS = 15_550_200_000

/** Every magic recipient whose ids or preferences change. */
export const MAGIC_CHANGES: ReadonlyArray<MagicChange> = [
  {
    digits: '850', about: 'the customer hides the number', first: true,
    happen: (state, customer) => state.customers.hideNumber(customer),
  },
  {
    digits: '851', about: 'the customer changes the number, to `15550200001` the first time, and gets a new user id',
    happen: (state, customer, phoneNumberId) => void changeNumber(nextNumber(state))(state, customer, { phoneNumberId }),
  },
  {
    digits: '852', about: 'the customer gets a new user id',
    happen: (state, customer, phoneNumberId) => void changeUserId(state, customer, { phoneNumberId }),
  },
  {
    digits: '853', about: 'the number belongs to another person from then on, which is not reported',
    happen: (state, customer) => {
      if (customer.number !== undefined) state.customers.giveNumberAway(customer)
    },
  },
  {
    digits: '854', about: 'the customer shares the number, as in answer to a request for it',
    happen: (state, customer, phoneNumberId) => {
      if (customer.number !== undefined) shareNumber(state, customer, { phoneNumberId })
    },
  },
  {
    digits: '855', about: 'the customer stops marketing messages',
    happen: (state, customer, phoneNumberId) => void chooseMarketing('stop')(state, customer, { phoneNumberId }),
  },
  {
    digits: '856', about: 'the customer writes while another app answers, so that the text comes in the field `standby`',
    happen: (state, customer, phoneNumberId) => void reportInbound(state, phoneNumberId, customer, { text: 'Thank you!', standby: true }),
  },
]

const nextNumber = ({ customers }: SimulatorState): string => {
  const taken = new Set(customers.all().map(({ number }) => number))
  let number = BEFORE_NEW_NUMBERS + 1
  while (taken.has(String(number))) number += 1
  return String(number)
}

const byNumber: ReadonlyMap<string, MagicChange> = new Map(MAGIC_CHANGES.map((change) => [`${MAGIC_PREFIX}${change.digits}`, change]))

/** What the customer with a number does after a message was accepted; undefined for an ordinary number. */
export const magicChange = (number: string | undefined): MagicChange | undefined =>
  number === undefined ? undefined : byNumber.get(number)
