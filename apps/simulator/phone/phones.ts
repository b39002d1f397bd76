import type { Customer } from '../customers.js'
import { conversationOf, type SimulatorState, userIdFor } from '../state.js'
import type { ChatEntry } from './chat-log.js'
import { inboundText, type InboundText } from './inbound.js'
import { type Content, contentOfEntry, shownCustomers, type View } from './view.js'

/** What one customer's phone shows. */
export type Phone = {
  readonly key: string
  /** Stays the same, for the ids of elements. */
  readonly index: number
  readonly customer: Customer
  readonly name: string
  readonly userId: string
  /** When the customer service window closes; undefined if it is closed, or was never open. */
  readonly closesAt: number | undefined
  readonly bubbles: ReadonlyArray<Bubble>
  readonly isBusinessTyping: boolean
  /** How many messages were sent from this page; a new number empties the field for the next one. */
  readonly written: number
}

/** One line of a conversation. */
export type Bubble =
  | { readonly _tag: 'Theirs'; readonly id: string; readonly at: number; readonly content: Content; readonly tick: Tick; readonly failure: string | undefined }
  | { readonly _tag: 'Mine'; readonly id: string; readonly at: number; readonly said: InboundText; readonly tick: Tick; readonly mediaId: string | undefined; readonly isPicture: boolean }
  | { readonly _tag: 'Note'; readonly at: number; readonly text: string; readonly isBad: boolean }

export type Tick = 'accepted' | 'sent' | 'delivered' | 'read' | 'failed' | 'unheard'

export const WINDOW_MS = 24 * 3_600_000
const SHOWN = 80
const TICKS: ReadonlyArray<Tick> = ['failed', 'read', 'delivered', 'sent']
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
/** The samples are too small to be seen. */
const SMALLEST_PICTURE = 512

/** The phones of a view, as they are now. */
export const phonesOf = (state: SimulatorState, view: View, now: number): ReadonlyArray<Phone> => {
  const entries = state.chats.all()
  return shownCustomers(state, view).map(({ customer, index }) => {
    const conversation = conversationOf(view.business, customer)
    const closesAt = (state.lastInbound.get(conversation) ?? -Infinity) + WINDOW_MS
    const own = withoutEarlierNotes(entries.filter((entry) => belongs(state, view, customer, entry))).slice(-SHOWN)
    return {
      key: customer.key, index, customer, name: state.people.nameOf(customer.key), userId: userIdFor(state, view.business, customer),
      closesAt: closesAt > now ? closesAt : undefined,
      bubbles: own.map((entry) => bubbleOf(state, entry)),
      isBusinessTyping: own.some((entry) => entry._tag === 'Customer' && (state.inboundLog.find(entry.id)?.typing_until ?? 0) > now),
      written: state.people.writtenBy(customer.key),
    }
  })
}

/** What happened to all conversations before this one began is not part of it. */
const withoutEarlierNotes = (entries: ReadonlyArray<ChatEntry>): ReadonlyArray<ChatEntry> => {
  const first = entries.findIndex((entry) => entry._tag !== 'Note' || entry.conversation !== undefined)
  return first < 0 ? [] : entries.slice(first)
}

const belongs = (state: SimulatorState, { business }: View, customer: Customer, entry: ChatEntry): boolean => {
  switch (entry._tag) {
    case 'Business': case 'Customer': return entry.conversation === conversationOf(business, customer)
    case 'Note': return entry.conversation === undefined || entry.conversation === conversationOf(business, customer)
    case 'Refused': return entry.phoneNumberId === business && [customer.number, userIdFor(state, business, customer)].includes(entry.to)
  }
}

const bubbleOf = ({ inboundLog, media, webhooks }: SimulatorState, entry: ChatEntry): Bubble => {
  switch (entry._tag) {
    case 'Business': return {
      _tag: 'Theirs', id: entry.id, at: entry.at, content: contentOfEntry(entry),
      tick: TICKS.find((tick) => entry.statuses.includes(tick)) ?? 'accepted',
      failure: entry.failure && `${entry.failure.code}: ${entry.failure.title}`,
    }
    case 'Customer': {
      const attachment = entry.mediaId === undefined ? undefined : media.find(entry.mediaId)
      const isRead = typeof inboundLog.find(entry.id)?.read_at === 'number'
      return {
        _tag: 'Mine', id: entry.id, at: entry.at, said: inboundText(entry),
        tick: isRead ? 'read' : webhooks.target() === undefined ? 'unheard' : 'delivered', mediaId: attachment?.id,
        isPicture: attachment !== undefined && PICTURES.includes(attachment.type) && attachment.size >= SMALLEST_PICTURE,
      }
    }
    case 'Refused': return { _tag: 'Note', at: entry.at, text: entry.why, isBad: true }
    case 'Note': return { _tag: 'Note', at: entry.at, text: entry.text, isBad: false }
  }
}
