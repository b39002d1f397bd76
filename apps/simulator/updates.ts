import { webhookJson } from './wire-json.js'

/** One thing the platform reports: a change of a field, as far as it does not depend on what else is in the notification. */
export type Update = {
  readonly field: string
  /** The business number it concerns; undefined for what concerns the account. */
  readonly phoneNumberId: string | undefined
  readonly value: Readonly<Record<string, unknown>>
}

/** The business account that reports. */
export type Account = { readonly id: string; readonly displayPhoneNumber: string }

const ITEMS_PER_CHANGE = 10

/** The bytes of a notification of these updates, in the platform's envelope and spelling. */
export const notificationOf = ({ id, displayPhoneNumber }: Account, updates: ReadonlyArray<Update>): Buffer => {
  const changes = merged(updates).map(({ field, phoneNumberId, value }) => ({
    field,
    value: phoneNumberId === undefined ? value : {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: displayPhoneNumber, phone_number_id: phoneNumberId },
      ...value,
    },
  }))
  return Buffer.from(webhookJson({ object: 'whatsapp_business_account', entry: [{ id, changes }] }))
}

/** Neighbours about the same business number share a change, at most ten to one: a receiver has to walk every list there is. */
const merged = (updates: ReadonlyArray<Update>): ReadonlyArray<Update> => {
  const changes: Update[] = []
  let shared = 0
  for (const update of updates) {
    const last = changes.at(-1)
    const joins = last !== undefined && shared < ITEMS_PER_CHANGE && update.field === 'messages'
      && last.field === 'messages' && last.phoneNumberId === update.phoneNumberId
    if (joins) changes[changes.length - 1] = { ...last, value: joined(last.value, update.value) }
    else changes.push(update)
    shared = joins ? shared + 1 : 1
  }
  return changes
}

const joined = (left: Update['value'], right: Update['value']): Update['value'] =>
  Object.fromEntries([...new Set([...Object.keys(left), ...Object.keys(right)])].map((key) => [key, join(left[key], right[key])]))

const join = (left: unknown, right: unknown): unknown =>
  Array.isArray(left) && Array.isArray(right) ? left.concat(right) as ReadonlyArray<unknown> : right ?? left
