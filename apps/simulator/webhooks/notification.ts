import { webhookJson } from '../json.js'

/** One change that the platform reports, independent of the other changes in the notification. */
export type Update = {
  readonly field: string
  /** The business number it is about; undefined if it is about the account. */
  readonly phoneNumberId: string | undefined
  readonly value: Readonly<Record<string, unknown>>
  /** When something happened to the account, in milliseconds; the platform says no moment of a message's updates here. */
  readonly at?: number
}

/** The business account that reports. */
export type Account = { readonly id: string; readonly displayPhoneNumber: string }

const ITEMS_PER_CHANGE = 10

/** The bytes of a notification with these updates, in the platform's envelope and JSON format. */
export const notificationOf = (account: Account, updates: ReadonlyArray<Update>): Buffer =>
  Buffer.from(webhookJson({ object: 'whatsapp_business_account', entry: entriesOf(account, updates) }))

/** The updates in one entry, and those about the account in an entry for each moment. */
const entriesOf = ({ id, displayPhoneNumber }: Account, updates: ReadonlyArray<Update>) => {
  const moments = [...new Set(updates.map(({ at }) => at))]
  return moments.map((moment) => ({
    id,
    ...(moment !== undefined && { time: Math.floor(moment / 1000) }),
    changes: mergeUpdates(updates.filter(({ at }) => at === moment)).map(({ field, phoneNumberId, value }) => ({
      field,
      value: phoneNumberId === undefined ? value : {
        messaging_product: 'whatsapp',
        metadata: { display_phone_number: displayPhoneNumber, phone_number_id: phoneNumberId },
        ...value,
      },
    })),
  }))
}

/** Consecutive updates about the same business number share a change, up to ten, so that receivers must read every list. */
const mergeUpdates = (updates: ReadonlyArray<Update>): ReadonlyArray<Update> => {
  const changes: Update[] = []
  let shared = 0
  for (const update of updates) {
    const last = changes.at(-1)
    const canMerge = last !== undefined && shared < ITEMS_PER_CHANGE && update.field === 'messages'
      && last.field === 'messages' && last.phoneNumberId === update.phoneNumberId
    if (canMerge) changes[changes.length - 1] = { ...last, value: mergeValues(last.value, update.value) }
    else changes.push(update)
    shared = canMerge ? shared + 1 : 1
  }
  return changes
}

const mergeValues = (left: Update['value'], right: Update['value']): Update['value'] =>
  Object.fromEntries([...new Set([...Object.keys(left), ...Object.keys(right)])].map((key) => [key, mergeField(left[key], right[key])]))

const mergeField = (left: unknown, right: unknown): unknown =>
  Array.isArray(left) && Array.isArray(right) ? left.concat(right) as ReadonlyArray<unknown> : right ?? left
