import type { Customer } from '../customers.js'
import { conversationOf, type SimulatorState, userIdFor } from '../state.js'
import type { ChatEntry } from './chat-log.js'
import { type Content, contentOfEntry, excerptOf, quotedIn, reactionIn } from './content.js'
import { inboundText, type InboundText, LIKE } from './inbound.js'
import { shownCustomers, type View } from './view.js'

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
  /** Whether the simulator delivers free-form messages even if the window is closed, by its setting `windows`. */
  readonly ignoresWindows: boolean
  readonly bubbles: ReadonlyArray<Bubble>
  readonly isBusinessTyping: boolean
  /** How many messages were sent from this page; when the number changes, the field for the next message is emptied. */
  readonly written: number
}

/** One line of a conversation. */
export type Bubble =
  | Said & { readonly _tag: 'Theirs'; readonly content: Content; readonly failure: string | undefined }
  | Said & { readonly _tag: 'Mine'; readonly said: InboundText; readonly mediaId: string | undefined; readonly isPicture: boolean }
  | { readonly _tag: 'Note'; readonly at: number; readonly text: string; readonly isBad: boolean }

/** The common fields of messages of both sides. */
type Said = {
  readonly id: string
  readonly at: number
  readonly tick: Tick
  readonly quote: Quote | undefined
  /** The emoji of each side that reacted to it. */
  readonly reactions: ReadonlyArray<string>
}

/** The message that a message replies to: its author, and a few of its words. */
export type Quote = { readonly isMine: boolean; readonly text: string }

export type Tick = 'accepted' | 'sent' | 'delivered' | 'read' | 'played' | 'failed' | 'unheard'

export const WINDOW_MS = 24 * 3_600_000
const SHOWN = 80
const TICKS: ReadonlyArray<Tick> = ['failed', 'played', 'read', 'delivered', 'sent']
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
/** The sample pictures are too small to be seen. */
const SMALLEST_PICTURE = 512

/** The phones of a view, as they are now. */
export const phonesOf = (state: SimulatorState, view: View, now: number): ReadonlyArray<Phone> => {
  const entries = state.chats.all()
  return shownCustomers(state, view).map(({ customer, index }) => {
    const conversation = conversationOf(view.business, customer)
    const closesAt = (state.lastInbound.get(conversation) ?? -Infinity) + WINDOW_MS
    const all = withoutEarlierNotes(entries.filter((entry) => belongs(state, view, customer, entry)))
    const latest = all.slice(-SHOWN)
    const reactions = reactionsIn(latest)
    const own = latest.filter((entry) => !isShownElsewhere(reactions, entry))
    const quoted = new Map(all.flatMap((entry) => ('id' in entry ? [[entry.id, entry] as const] : [])))
    return {
      key: customer.key, index, customer, name: state.people.nameOf(customer.key), userId: userIdFor(state, view.business, customer),
      closesAt: closesAt > now ? closesAt : undefined, ignoresWindows: state.settings().windows === 'ignored',
      bubbles: own.map((entry) => bubbleOf(state, entry, { reactions, quoted })),
      isBusinessTyping: own.some((entry) => entry._tag === 'Customer' && (state.inboundLog.find(entry.id)?.typing_until ?? 0) > now),
      written: state.people.writtenBy(customer.key),
    }
  })
}

/** Notes about all conversations from before this conversation began are omitted. */
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

/** The reactions in a conversation. */
type Reactions = {
  /** The emoji of each side, by the message that they react to. */
  readonly emojis: ReadonlyMap<string, Readonly<Record<'mine' | 'theirs', string | undefined>>>
  /** The messages that are shown and can have reactions. */
  readonly targets: ReadonlySet<string>
}

/** The latest reaction of each side to a message counts, and an empty one removes it. */
const reactionsIn = (entries: ReadonlyArray<ChatEntry>): Reactions => {
  const emojis = new Map<string, Readonly<Record<'mine' | 'theirs', string | undefined>>>()
  for (const entry of entries) {
    const reaction = reactionOf(entry)
    if (reaction === undefined) continue
    const before = emojis.get(reaction.to) ?? { mine: undefined, theirs: undefined }
    emojis.set(reaction.to, {
      ...before, [entry._tag === 'Customer' ? 'mine' : 'theirs']: reaction.emoji === '' ? undefined : reaction.emoji,
    })
  }
  return { emojis, targets: new Set(entries.flatMap((entry) => ('id' in entry && reactionOf(entry) === undefined ? [entry.id] : []))) }
}

const reactionOf = (entry: ChatEntry): { readonly to: string; readonly emoji: string } | undefined => {
  if (entry._tag === 'Business') return entry.failure === undefined ? reactionIn(entry) : undefined
  if (entry._tag !== 'Customer' || entry.message.type !== 'reaction' || entry.message.reply_to === undefined) return undefined
  return { to: entry.message.reply_to, emoji: entry.message.emoji ?? LIKE }
}

/** A reaction is shown on its message, if that message is shown. */
const isShownElsewhere = ({ targets }: Reactions, entry: ChatEntry): boolean => targets.has(reactionOf(entry)?.to ?? '')

const NAME_THEIR_MESSAGE = ['reaction', 'edit', 'revoke']
const LONGEST_QUOTE = 120

type Around = { readonly reactions: Reactions; readonly quoted: ReadonlyMap<string, ChatEntry> }

const quoteOf = ({ media }: SimulatorState, id: string | undefined, quoted: Around['quoted']): Quote | undefined => {
  const entry = quoted.get(id ?? '')
  if (entry?._tag === 'Business') return { isMine: false, text: excerptOf(contentOfEntry(entry, media.find)).slice(0, LONGEST_QUOTE) }
  if (entry?._tag !== 'Customer') return undefined
  const { what, text } = inboundText(entry)
  return { isMine: true, text: [what, text].filter((words) => words !== undefined && words !== '').join(': ').slice(0, LONGEST_QUOTE) }
}

const bubbleOf = (state: SimulatorState, entry: ChatEntry, { reactions, quoted }: Around): Bubble => {
  const { inboundLog, media, webhooks } = state
  const reactionsTo = (id: string): ReadonlyArray<string> =>
    Object.values(reactions.emojis.get(id) ?? {}).filter((emoji) => emoji !== undefined)
  switch (entry._tag) {
    case 'Business': return {
      _tag: 'Theirs', id: entry.id, at: entry.at, content: contentOfEntry(entry, media.find), reactions: reactionsTo(entry.id),
      tick: TICKS.find((tick) => entry.statuses.includes(tick)) ?? 'accepted', quote: quoteOf(state, quotedIn(entry), quoted),
      failure: entry.failure && `${entry.failure.code}: ${entry.failure.title}`,
    }
    case 'Customer': {
      const attachment = entry.mediaId === undefined ? undefined : media.find(entry.mediaId)
      const isRead = typeof inboundLog.find(entry.id)?.read_at === 'number'
      const { type = 'text', reply_to: answered } = entry.message
      return {
        _tag: 'Mine', id: entry.id, at: entry.at, said: inboundText(entry), reactions: reactionsTo(entry.id),
        quote: NAME_THEIR_MESSAGE.includes(type) ? undefined : quoteOf(state, answered, quoted),
        tick: isRead ? 'read' : webhooks.target() === undefined ? 'unheard' : 'delivered', mediaId: attachment?.id,
        isPicture: attachment !== undefined && PICTURES.includes(attachment.type) && attachment.size >= SMALLEST_PICTURE,
      }
    }
    case 'Refused': return { _tag: 'Note', at: entry.at, text: entry.why, isBad: true }
    case 'Note': return { _tag: 'Note', at: entry.at, text: entry.text, isBad: false }
  }
}
