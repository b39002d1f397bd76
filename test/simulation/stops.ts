import type { Instant } from '../../core/kernel/time.js'
import { type BackUp, refill } from './backup.js'

/** A choice of a customer about marketing messages, as the platform reports it to one sender of a workspace. */
export type Choice = { readonly sender: string; readonly at: Instant; readonly stopped: boolean }

/** What the gateways must know and may know of the choices about marketing messages. A customer is a workspace and a number here. */
export type Stops = {
  /** A choice is reported to a gateway. The returned function is called when the gateway has confirmed it. */
  readonly onReported: (customer: string, choice: Choice) => () => void
  /** The choices of a customer are forgotten, or may be, except that the customer has stopped. */
  readonly onGone: (customer: string, isCertain: boolean) => void
  /**
   * Whether a customer has stopped marketing messages, as a send through a sender must see it: the latest choice at any sender counts for all of them. Undefined if it
   * is uncertain: the choice is not confirmed, another one has the same timestamp, or the customer allows them again, but not at the sender at which they stopped them.
   */
  readonly hasStopped: (customer: string, sender: string) => boolean | undefined
  /** Whether the latest choice of a customer at this sender is to stop them. */
  readonly isAt: (customer: string, sender: string) => boolean
  readonly backUp: BackUp
}

type Kept = Choice & { readonly isKept: boolean }

/** Makes the record of choices; `onChange` is called when the choices of a customer may have changed. */
export const makeStops = (onChange: (customer: string) => void): Stops => {
  const kept = new Map<string, ReadonlyArray<Kept>>()
  const gone = new Map<string, number>()
  let restores = 0
  const goneOf = (customer: string): string => `${restores} ${gone.get(customer)}`
  const isSame = (a: Choice, b: Choice): boolean => a.sender === b.sender && a.at === b.at && a.stopped === b.stopped
  const latest = (choices: ReadonlyArray<Kept>): boolean | undefined => {
    const last = Math.max(...choices.map(({ at }) => at))
    const [first, ...others] = choices.filter(({ at }) => at === last)
    if (first === undefined) return false
    return [first, ...others].every(({ stopped, isKept }) => isKept && stopped === first.stopped) ? first.stopped : undefined
  }
  const latestAt = (customer: string, sender: string): boolean | undefined =>
    latest((kept.get(customer) ?? []).filter((one) => one.sender === sender))
  return {
    onReported: (customer, choice) => {
      const before = goneOf(customer)
      const store = (isKept: boolean): void => {
        const others = kept.get(customer) ?? []
        const known = others.find((one) => isSame(one, choice))
        kept.set(customer, [...others.filter((one) => one !== known), { ...choice, isKept: isKept || known?.isKept === true }])
        if (known?.isKept !== true) onChange(customer)
      }
      store(false)
      return () => {
        if (goneOf(customer) === before) store(true)
      }
    },
    onGone: (customer, isCertain) => {
      const doubtful = (kept.get(customer) ?? []).map((one) => ({ ...one, isKept: false }))
      // That an erased customer has stopped is kept in the consents, without a name.
      kept.set(customer, isCertain ? doubtful.filter(({ stopped }) => stopped) : doubtful)
      gone.set(customer, (gone.get(customer) ?? 0) + 1)
      onChange(customer)
    },
    hasStopped: (customer, sender) => {
      const [anywhere, here] = [latest(kept.get(customer) ?? []), latestAt(customer, sender)]
      return anywhere === true ? true : anywhere === false && here === false ? false : undefined
    },
    isAt: (customer, sender) => latestAt(customer, sender) === true,
    backUp: () => {
      const copy = new Map(kept)
      return () => {
        refill(kept, copy)
        restores += 1
      }
    },
  }
}
