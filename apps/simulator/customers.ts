import { makeUserId } from './ids.js'

/** A person who writes to businesses; it remains the same person if the ids change. */
export type Customer = {
  /** Stays the same when the ids change. */
  readonly key: string
  /** The `wa_id`; undefined if only a user id is known, or if the number belongs to another person now. */
  readonly number: string | undefined
  readonly isNumberHidden: boolean
  /** The username with its `@`; undefined without one. */
  readonly username: string | undefined
  readonly hasStoppedMarketing: boolean
  /** Whether the user id is no longer in use, so that messages to it fail. */
  readonly isGone: boolean
  /** The business numbers with which there is a conversation; they are notified of changes. */
  readonly businesses: ReadonlySet<string>
}

/** Every customer that the simulator knows. */
export type Customers = {
  /** The person to whom a number belongs now; a new person if the number is new. */
  readonly withNumber: (number: string) => Customer
  /** The person with a user id in a portfolio. An unknown id belongs to a person without a number. An unused id, or an id of another portfolio, is a person who is gone. */
  readonly withUserId: (userId: string, portfolio: string) => Customer
  readonly userIdOf: (customer: Customer, portfolio: string) => string
  readonly withKey: (key: string) => Customer | undefined
  readonly converse: (customer: Customer, phoneNumberId: string) => void
  /** Hides the number in webhooks; from then on the customer has a username. */
  readonly hideNumber: (customer: Customer, username?: string) => void
  readonly showNumber: (customer: Customer) => void
  /** Gives the person another number and a new user id; another person loses that number. */
  readonly changeNumber: (customer: Customer, number: string) => void
  readonly changeUserId: (customer: Customer) => void
  /** Gives a person's number to a new person, who is returned. */
  readonly giveNumberAway: (customer: Customer) => Customer
  readonly setMarketing: (customer: Customer, hasStopped: boolean) => void
  /** In the order in which the simulator first saw them. */
  readonly all: () => ReadonlyArray<Customer>
  readonly clear: () => void
}

type Person = { -readonly [Key in keyof Customer]: Customer[Key] } & {
  readonly businesses: Set<string>
  /** The text that the user ids are computed from. */
  seed: string
  readonly userIds: Map<string, string>
}

/** No customers yet. */
export const makeCustomers = (): Customers => {
  const people = new Map<string, Person>()
  const byNumber = new Map<string, Person>()
  const byUserId = new Map<string, { readonly person: Person; readonly portfolio: string }>()
  /** How many user ids were created for a number, so that each differs from the previous ones. */
  const made = new Map<string, number>()
  let usernames = 0

  const person = (key: string, number: string | undefined): Person => ({
    key, number, seed: key, isNumberHidden: false, username: undefined, hasStoppedMarketing: false, isGone: false,
    businesses: new Set(), userIds: new Map(),
  })
  const personOf = ({ key }: Customer): Person => {
    const found = people.get(key)
    if (found === undefined) throw new Error('The customer is not known')
    return found
  }
  const newSeed = (number: string): string => {
    const before = made.get(number) ?? 0
    made.set(number, before + 1)
    return before === 0 ? number : `${number} ${before}`
  }
  const renew = (known: Person, number: string): void => {
    known.seed = newSeed(number)
    known.userIds.clear()
  }
  const loseNumber = (known: Person): void => {
    if (known.number !== undefined) byNumber.delete(known.number)
    known.number = undefined
  }
  const giveUserId = (known: Person, userId: string, portfolio: string): void => {
    known.userIds.set(portfolio, userId)
    byUserId.set(userId, { person: known, portfolio })
  }

  const withNumber: Customers['withNumber'] = (number) => {
    const known = byNumber.get(number)
    if (known !== undefined) return known
    const added = person(newSeed(number), number)
    people.set(added.key, added)
    byNumber.set(number, added)
    return added
  }
  const userIdOf: Customers['userIdOf'] = (customer, portfolio) => {
    const known = personOf(customer)
    const userId = known.userIds.get(portfolio)
    if (userId !== undefined) return userId
    const next = makeUserId(portfolio, known.seed)
    giveUserId(known, next, portfolio)
    return next
  }
  return {
    withNumber, userIdOf,
    withKey: (key) => people.get(key),
    withUserId: (userId, portfolio) => {
      const found = byUserId.get(userId)
      const isCurrent = found?.portfolio === portfolio && found.person.userIds.get(portfolio) === userId
      if (found !== undefined && isCurrent) return found.person
      const key = found === undefined ? userId : `${userId} in ${portfolio}`
      const added = people.get(key) ?? person(key, undefined)
      people.set(key, added)
      added.isGone = found !== undefined
      if (found === undefined) giveUserId(added, userId, portfolio)
      else added.userIds.set(portfolio, userId)
      return added
    },
    converse: (customer, phoneNumberId) => void personOf(customer).businesses.add(phoneNumberId),
    hideNumber: (customer, username) => {
      const known = personOf(customer)
      known.isNumberHidden = true
      known.username = username ?? known.username ?? `@customer_${++usernames}`
    },
    showNumber: (customer) => { personOf(customer).isNumberHidden = false },
    changeNumber: (customer, number) => {
      const known = personOf(customer)
      const before = byNumber.get(number)
      if (before !== undefined && before !== known) {
        loseNumber(before)
        before.isGone = true
      }
      loseNumber(known)
      known.number = number
      byNumber.set(number, known)
      renew(known, number)
    },
    changeUserId: (customer) => {
      const known = personOf(customer)
      renew(known, known.number ?? known.seed)
    },
    giveNumberAway: (customer) => {
      const known = personOf(customer)
      const { number } = known
      if (number === undefined) throw new Error('The customer has no number')
      loseNumber(known)
      known.isGone = true
      return withNumber(number)
    },
    setMarketing: (customer, hasStopped) => { personOf(customer).hasStoppedMarketing = hasStopped },
    all: () => [...people.values()],
    clear: () => {
      [people, byNumber, byUserId, made].forEach((map) => map.clear())
      usernames = 0
    },
  }
}
