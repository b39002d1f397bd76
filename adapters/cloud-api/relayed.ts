import { hash } from 'node:crypto'
import type { RelayedChange } from '../../core/events/relay.js'
import { isDeeperThan } from '../../core/kernel/json.js'
import { senderOf } from './notification.js'
import { hasProperty, isObject, itemsOf, propertyOf } from './transport.js'

/** The lists of a change whose items contain messages of customers. */
const CONTENT_LISTS = ['messages', 'message_echoes', 'standby'] as const

/** The properties of an item that name a customer. */
const CUSTOMER_IDS = ['from', 'from_user_id', 'to', 'to_user_id', 'recipient_id', 'recipient_user_id', 'wa_id', 'user_id'] as const

/** The maximum number of levels of a change; the platform's own changes have some ten. */
const LEVELS = 64

/** The changes of a notification for one sender, each as a separate notification. */
export const relayedIn = (body: unknown): ReadonlyArray<RelayedChange> =>
  propertyOf(body, 'object') !== 'whatsapp_business_account' || isDeeperThan(LEVELS, body)
    ? []
    : itemsOf(propertyOf(body, 'entry')).flatMap((entry) =>
        itemsOf(propertyOf(entry, 'changes')).flatMap((change) => relayedChange(entry, change)))

const relayedChange = (entry: unknown, change: unknown): ReadonlyArray<RelayedChange> => {
  const value = propertyOf(change, 'value')
  const phoneNumberId = senderOf(value)
  if (phoneNumberId === undefined || !isObject(entry) || !isObject(change) || !isObject(value)) return []
  const items = Object.values(value).flatMap((list) => itemsOf(list))
  return [{
    phoneNumberId,
    notification: { object: 'whatsapp_business_account', entry: [{ ...entry, changes: [change] }] },
    digest: () => hash('sha256', JSON.stringify(change)),
    customers: items.flatMap((item) => CUSTOMER_IDS.map((name) => propertyOf(item, name))).filter((id) => typeof id === 'string'),
    hasContent: CONTENT_LISTS.some((name) => hasProperty(value, name)),
  }]
}
