import type { Customer } from '../customers.js'
import { userIdFor, type SimulatorState } from '../state.js'

/** How a notification names a customer. */
export type CustomerFields = {
  readonly name: string
  /** Undefined if the number is left out. */
  readonly number: string | undefined
  readonly userId: string
  readonly username: string | undefined
}

/** How the platform names a customer to a business number now. */
export const customerFields = (state: SimulatorState, phoneNumberId: string, customer: Customer): CustomerFields => ({
  name: 'A customer',
  number: customer.isNumberHidden ? undefined : customer.number,
  userId: userIdFor(state, phoneNumberId, customer),
  username: customer.username,
})

/** An entry of `contacts`. */
export const contactOf = ({ name, number, userId, username }: CustomerFields) => ({
  profile: { name, ...(username !== undefined && { username }) }, ...(number !== undefined && { wa_id: number }), user_id: userId,
})
