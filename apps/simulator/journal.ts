/** A request to send, as the simulator saw it. */
export type ReceivedMessage = {
  /** When it came, in milliseconds since the Unix epoch. */
  readonly at: number
  /** Whether the platform would have taken the message on, whatever the client was told. */
  readonly outcome: 'accepted' | 'refused'
  readonly phoneNumberId: string
  /** Digits, where `to` is a number; else what it was. */
  readonly to: string
  readonly type: string
  /** What the client put into `biz_opaque_callback_data`. */
  readonly callback?: string
  readonly wamid?: string
  /** What the message says: the text, or the template's name and language. */
  readonly text?: string
  /** The error code of a refusal. */
  readonly code?: number
  /** The faults it met, by name. */
  readonly faults: ReadonlyArray<string>
  /** The statuses reported so far, in the order they were given out. */
  readonly statuses: ReadonlyArray<string>
}

/** The latest requests to send. */
export type Journal = {
  readonly add: (message: ReceivedMessage) => void
  /** Notes that a status of a message was given out. */
  readonly reported: (wamid: string, status: string) => void
  /** Oldest first. */
  readonly all: () => ReadonlyArray<ReceivedMessage>
  readonly latest: () => ReceivedMessage | undefined
  /** How many there were since the last reset, also those no longer kept. */
  readonly counts: () => { readonly accepted: number; readonly refused: number }
  readonly clear: () => void
}

const KEEP = 200_000

/** A journal with nothing in it; it keeps the latest 200,000 requests. */
export const makeJournal = (): Journal => {
  const kept = new Map<number, ReceivedMessage>()
  const numbers = new Map<string, number>()
  let added = 0
  let counts = { accepted: 0, refused: 0 }
  const forget = (number: number): void => {
    const wamid = kept.get(number)?.wamid
    if (wamid !== undefined) numbers.delete(wamid)
    kept.delete(number)
  }
  return {
    add: (message) => {
      const number = added++
      kept.set(number, message)
      if (message.wamid !== undefined) numbers.set(message.wamid, number)
      forget(number - KEEP)
      counts = { ...counts, [message.outcome]: counts[message.outcome] + 1 }
    },
    reported: (wamid, status) => {
      const number = numbers.get(wamid)
      const message = number === undefined ? undefined : kept.get(number)
      if (number !== undefined && message !== undefined) kept.set(number, { ...message, statuses: [...message.statuses, status] })
    },
    all: () => [...kept.values()],
    latest: () => kept.get(added - 1),
    counts: () => counts,
    clear: () => {
      kept.clear()
      numbers.clear()
      counts = { accepted: 0, refused: 0 }
    },
  }
}
