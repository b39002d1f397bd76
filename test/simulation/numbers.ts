import type { PhoneNumber } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import type { SimulatedSender } from './senders.js'

/** A customer of a workspace with a dialled number, whom the platform may know by another number. */
export type Renumbered = {
  readonly workspace: WorkspaceId
  /** The sender to which the customer writes. */
  readonly sender: SimulatedSender
  readonly dialled: PhoneNumber
  /** The other numbers by which the platform will know the customer. */
  readonly others: readonly [PhoneNumber, PhoneNumber]
  /** The number by which the platform knows the customer now. */
  knownBy: PhoneNumber
  /** Statuses of messages to the customer are reported hours late. */
  isReportedLate: boolean
}

/** One number by which the platform names the customer, with a timestamp that is accurate only to within `give`. */
export type Naming = { readonly of: Renumbered; readonly number: PhoneNumber; readonly at: Instant; readonly give: number }

/** The facts that gateways may have recorded about renumbered customers, and those that they must have recorded. */
export type Numbers = {
  readonly people: ReadonlyArray<Renumbered>
  readonly find: (workspace: string, number: string) => Renumbered | undefined
  /** The platform names a customer in data that a gateway may keep. The returned function is called when a gateway has confirmed that it is kept. */
  readonly onNamed: (naming: Naming) => () => void
  /** The recorded facts about a customer, or about everyone, may be gone. */
  readonly onGone: (of?: Renumbered) => void
  /**
   * The number that a dialled one leads to, according to the facts that a gateway has confirmed. Undefined if an unconfirmed fact may contradict it, or if the
   * number is the platform's own.
   */
  readonly leadsTo: (of: Renumbered) => PhoneNumber | undefined
  /** Increases with every event that may change the number that a dialled one leads to, except an erasure of this customer alone. */
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
    find: (workspace, number) =>
      people.find((of) => of.workspace === workspace && [of.dialled, ...of.others].some((one) => one === number)),
    onNamed: (naming) => {
      const state = stateOf(naming.of)
      const [one, gone]: [Kept, number] = [{ ...naming, isConfirmed: false }, state.gone]
      state.namings.push(one)
      state.seen += 1
      onChange(naming.of)
      return () => {
        // Facts from before an erasure are no longer known.
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
      const latest = namings.filter(({ isConfirmed }) => isConfirmed).reduce<Kept | undefined>(
        (last, one) => (last === undefined || one.at > last.at ? one : last), undefined,
      )
      if (latest === undefined || latest.number === of.dialled) return undefined
      return namings.every(({ number, at, give }) => number === latest.number || at + give < latest.at) ? latest.number : undefined
    },
    seenOf: (of) => stateOf(of).seen,
  }
}
