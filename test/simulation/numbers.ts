import type { PhoneNumber } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'

/** A customer of a workspace who is dialled under one number, and whom the platform may know by another one. */
export type Renumbered = {
  readonly workspace: WorkspaceId
  readonly phoneNumberId: string
  readonly dialled: PhoneNumber
  /** The other numbers by which the platform comes to know the customer. */
  readonly others: readonly [PhoneNumber, PhoneNumber]
  /** The number by which the platform knows the customer now. */
  knownBy: PhoneNumber
  /** What becomes of a message to the customer is reported hours late. */
  isReportedLate: boolean
}

/** One number by which the platform names the customer, at a moment that is certain only to within `give`. */
export type Naming = { readonly of: Renumbered; readonly number: PhoneNumber; readonly at: Instant; readonly give: number }

/** What gateways may have learned of customers who are dialled under another number, and what they must have learned. */
export type Numbers = {
  readonly people: ReadonlyArray<Renumbered>
  readonly find: (workspace: string, number: string) => Renumbered | undefined
  /** The platform names a customer in something that a gateway may keep. The answer is called once a gateway has confirmed that it is kept. */
  readonly onNamed: (naming: Naming) => () => void
  /** What was kept of a customer, or of everyone, may be gone. */
  readonly onGone: (of?: Renumbered) => void
  /**
   * The number to which a dialled one leads by what a gateway has confirmed. Undefined where something that is not confirmed may say otherwise, or where the
   * number is the platform's own.
   */
  readonly leadsTo: (of: Renumbered) => PhoneNumber | undefined
  /** Grows with everything that may change what a dialled number leads to, except that the customer alone is erased. */
  readonly seenOf: (of: Renumbered) => number
}

type Kept = Naming & { isConfirmed: boolean }

/** Records the number under which the platform knows each customer. The judge applies its own rule: the number that the platform named last counts. */
export const makeNumbers = (people: ReadonlyArray<Renumbered>, onChange: (of: Renumbered) => void): Numbers => {
  const kept = new Map(people.map((of) => [of, { namings: new Array<Kept>(), seen: 0, gone: 0 }]))
  const stateOf = (of: Renumbered) => {
    const state = kept.get(of)
    if (state === undefined) throw new Error('the simulation does not have this customer')
    return state
  }
  return {
    people,
    find: (workspace, number) => people.find((of) => of.workspace === workspace && [of.dialled, ...of.others].some((one) => one === number)),
    onNamed: (naming) => {
      const state = stateOf(naming.of)
      const [one, gone]: [Kept, number] = [{ ...naming, isConfirmed: false }, state.gone]
      state.namings.push(one)
      state.seen += 1
      onChange(naming.of)
      return () => {
        // What was kept before an erasure is not known any more.
        if (gone === state.gone) one.isConfirmed = true
      }
    },
    onGone: (only) => {
      for (const of of only === undefined ? people : [only]) {
        const state = stateOf(of)
        state.gone += 1
        if (only === undefined) state.seen += 1
        for (const one of state.namings) one.isConfirmed = false
        onChange(of)
      }
    },
    leadsTo: (of) => {
      const { namings } = stateOf(of)
      const latest = namings.filter(({ isConfirmed }) => isConfirmed).reduce<Kept | undefined>((last, one) => (last === undefined || one.at > last.at ? one : last), undefined)
      if (latest === undefined || latest.number === of.dialled) return undefined
      return namings.every(({ number, at, give }) => number === latest.number || at + give < latest.at) ? latest.number : undefined
    },
    seenOf: (of) => stateOf(of).seen,
  }
}
