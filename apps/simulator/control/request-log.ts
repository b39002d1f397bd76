/** A request to send, as the simulator received it. */
export type ReceivedMessage = {
  /** When it arrived, in milliseconds since the Unix epoch. */
  readonly at: number
  /** Whether the message was accepted, whatever the answer to the client was. */
  readonly outcome: 'accepted' | 'refused'
  readonly phoneNumberId: string
  /** The digits of `to`, or `to` unchanged if it is not a phone number; empty without one. */
  readonly to: string
  /** The request's `recipient`. */
  readonly recipient?: string
  /** The user id that the customer of an accepted message had then. */
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
  /** Adds a reported status to its message, and how it is billed where the status says so. */
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
