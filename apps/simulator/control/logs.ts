/** A request to send, as the simulator received it. */
export type ReceivedMessage = {
  /** When it arrived, in milliseconds since the Unix epoch. */
  readonly at: number
  /** Whether the message was accepted, independent of the response to the client. */
  readonly outcome: 'accepted' | 'refused'
  readonly phoneNumberId: string
  /** The digits of `to`, or `to` unchanged if it is not a phone number; empty if it is absent. */
  readonly to: string
  /** The request's `recipient`. */
  readonly recipient?: string
  /** The user id of the customer when the message was accepted. */
  readonly userId?: string
  readonly type: string
  /** The request's `biz_opaque_callback_data`. */
  readonly callback?: string
  readonly wamid?: string
  /** The text, or the template's name and language. */
  readonly text?: string
  /** The error code of a refusal. */
  readonly code?: number
  /** The names of the faults that applied. */
  readonly faults: ReadonlyArray<string>
  /** The statuses reported so far, in order. */
  readonly statuses: ReadonlyArray<string>
  /** How the platform bills the message, as it was reported when the message arrived. */
  readonly pricing?: { readonly type: string; readonly category: string }
}

/** The latest requests to send. */
export type RequestLog = {
  readonly add: (message: ReceivedMessage) => void
  /** Adds a reported status to its message, and the billing if the status contains it. */
  readonly reported: (wamid: string, status: string, pricing?: ReceivedMessage['pricing']) => void
  /** Oldest first. */
  readonly all: () => ReadonlyArray<ReceivedMessage>
  readonly latest: () => ReceivedMessage | undefined
  /** How many there were since the last reset, including those no longer kept. */
  readonly counts: () => { readonly accepted: number; readonly refused: number }
  readonly clear: () => void
}

const KEEP = 200_000

/** An empty log; it keeps the latest 200,000 requests. */
export const makeRequestLog = (): RequestLog => {
  const kept = new Map<number, ReceivedMessage>()
  const numberOf = new Map<string, number>()
  let added = 0
  let counts = { accepted: 0, refused: 0 }
  const remove = (number: number): void => {
    const wamid = kept.get(number)?.wamid
    if (wamid !== undefined) numberOf.delete(wamid)
    kept.delete(number)
  }
  return {
    add: (message) => {
      const number = added++
      kept.set(number, message)
      if (message.wamid !== undefined) numberOf.set(message.wamid, number)
      remove(number - KEEP)
      counts = { ...counts, [message.outcome]: counts[message.outcome] + 1 }
    },
    reported: (wamid, status, pricing) => {
      const number = numberOf.get(wamid)
      const message = number === undefined ? undefined : kept.get(number)
      if (number === undefined || message === undefined) return
      kept.set(number, { ...message, statuses: [...message.statuses, status], ...(pricing && { pricing }) })
    },
    all: () => [...kept.values()],
    latest: () => kept.get(added - 1),
    counts: () => counts,
    clear: () => {
      kept.clear()
      numberOf.clear()
      counts = { accepted: 0, refused: 0 }
    },
  }
}

/** A message of a customer, as the simulator reported it to the business. */
export type InboundMessage = {
  /** Its `wamid`. */
  readonly id: string
  /** When it was written, in milliseconds since the Unix epoch. */
  readonly at: number
  readonly phone_number_id: string
  /** The customer's number, or the user id if the number is hidden. */
  readonly from: string
  readonly type: string
  readonly text: string | null
  /** The id of its attachment. */
  readonly media_id: string | null
  /** When the business marked it, or a later message of the customer, as read. */
  readonly read_at: number | null
  /** Until when the customer sees that the business is typing. */
  readonly typing_until: number | null
}

/** The latest messages of customers. */
export type InboundLog = {
  /** Adds a message of a conversation, as `conversationOf` names it. */
  readonly add: (conversation: string, message: Omit<InboundMessage, 'read_at' | 'typing_until'>) => void
  /** Marks a message and the earlier ones of its conversation as read; false if the business number received no such message. */
  readonly markRead: (mark: { readonly phoneNumberId: string; readonly id: string; readonly typing: boolean }, now: number) => boolean
  /** The business wrote in a conversation, so its typing indicator is removed. */
  readonly answered: (conversation: string) => void
  readonly find: (id: string) => InboundMessage | undefined
  /** Oldest first. */
  readonly all: () => ReadonlyArray<InboundMessage>
  readonly clear: () => void
}

const KEEP_INBOUND = 10_000

/** The platform shows the typing indicator for at most this long. */
const TYPING_MS = 25_000

type Kept = { readonly conversation: string; message: InboundMessage }

/** An empty log; it keeps the latest 10,000 messages. */
export const makeInboundLog = (): InboundLog => {
  const kept = new Map<string, Kept>()
  const typing = new Map<string, Kept>()
  const stopTyping = (conversation: string): void => {
    const shown = typing.get(conversation)
    if (shown !== undefined) shown.message = { ...shown.message, typing_until: null }
    typing.delete(conversation)
  }
  return {
    add: (conversation, message) => {
      kept.set(message.id, { conversation, message: { ...message, read_at: null, typing_until: null } })
      const [oldest] = kept.keys()
      if (kept.size > KEEP_INBOUND && oldest !== undefined) kept.delete(oldest)
    },
    markRead: (mark, now) => {
      const marked = kept.get(mark.id)
      if (marked?.message.phone_number_id !== mark.phoneNumberId) return false
      const messages = [...kept.values()].filter(({ conversation }) => conversation === marked.conversation)
      for (const one of messages.slice(0, messages.indexOf(marked) + 1)) {
        one.message = { ...one.message, read_at: one.message.read_at ?? now }
      }
      if (!mark.typing) return true
      stopTyping(marked.conversation)
      marked.message = { ...marked.message, typing_until: now + TYPING_MS }
      typing.set(marked.conversation, marked)
      return true
    },
    answered: stopTyping,
    find: (id) => kept.get(id)?.message,
    all: () => Array.from(kept.values(), ({ message }) => message),
    clear: () => [kept, typing].forEach((map) => map.clear()),
  }
}
