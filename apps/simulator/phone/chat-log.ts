import type { Template } from '../templates/template.js'
import type { CustomerMessage } from '../webhooks/customer-message.js'

/** What the page knows about the people whose phones it shows, by their keys. */
export type People = {
  /** The name in the profile. */
  readonly nameOf: (key: string) => string
  /** Whether a customer has a name, from the page or from a message: then the page shows this phone for every business. */
  readonly isKnown: (key: string) => boolean
  readonly rename: (key: string, name: string) => void
  /** How many messages were sent from the page. */
  readonly writtenBy: (key: string) => number
  readonly wrote: (key: string) => void
  readonly clear: () => void
}

/** No names yet. */
export const makePeople = (): People => {
  const names = new Map<string, string>()
  const written = new Map<string, number>()
  return {
    nameOf: (key) => names.get(key) ?? 'A customer',
    isKnown: (key) => names.has(key),
    rename: (key, name) => void names.set(key, name),
    writtenBy: (key) => written.get(key) ?? 0,
    wrote: (key) => void written.set(key, (written.get(key) ?? 0) + 1),
    clear: () => [names, written].forEach((map) => map.clear()),
  }
}

/** A message of the business that the platform accepted. */
export type BusinessEntry = {
  readonly _tag: 'Business'
  readonly at: number
  readonly conversation: string
  /** Its `wamid`. */
  readonly id: string
  /** The request that sent it, as JSON. */
  readonly body: string
  /** Undefined for a text. */
  readonly template: Template | undefined
  /** The statuses reported so far, in order. */
  readonly statuses: ReadonlyArray<string>
  /** Why it failed. */
  readonly failure: Failure | undefined
}

/** A message of a customer. */
export type CustomerEntry = {
  readonly _tag: 'Customer'
  readonly at: number
  readonly conversation: string
  readonly id: string
  readonly message: Omit<CustomerMessage, 'data' | 'fields'>
  readonly mediaId: string | undefined
}

/** A message of the business that was refused and never reached the customer; `to` is the number or the user id of the request. */
export type RefusedEntry = {
  readonly _tag: 'Refused'
  readonly at: number
  readonly phoneNumberId: string
  readonly to: string
  readonly why: string
}

/** Something that happened in one conversation, or in all of them. */
export type NoteEntry = { readonly _tag: 'Note'; readonly at: number; readonly conversation: string | undefined; readonly text: string }

export type ChatEntry = BusinessEntry | CustomerEntry | RefusedEntry | NoteEntry

/** Why a message failed, in the platform's words. */
export type Failure = { readonly code: number; readonly title: string }

/** The log that the phone shows: the latest entries of all conversations. */
export type ChatLog = {
  readonly add: (entry: ChatEntry) => void
  /** Adds a reported status to a message of the business. */
  readonly reported: (wamid: string, status: string, failure: Failure | undefined) => void
  /** The message of the business with an id. */
  readonly sent: (wamid: string) => BusinessEntry | undefined
  /** Oldest first. */
  readonly all: () => ReadonlyArray<ChatEntry>
  readonly clear: () => void
}

const KEEP = 2_000

/** For larger requests the text is not kept, so that the log stays small. */
const LONGEST_BODY = 65_536

/** An empty log; it keeps the latest 2,000 entries. */
export const makeChatLog = (): ChatLog => {
  const kept = new Map<number, ChatEntry>()
  const numberOf = new Map<string, number>()
  let added = 0
  const remove = (number: number): void => {
    const entry = kept.get(number)
    if (entry?._tag === 'Business') numberOf.delete(entry.id)
    kept.delete(number)
  }
  const sent: ChatLog['sent'] = (wamid) => {
    const entry = kept.get(numberOf.get(wamid) ?? -1)
    return entry?._tag === 'Business' ? entry : undefined
  }
  return {
    sent,
    add: (entry) => {
      const number = added++
      if (entry._tag === 'Business') numberOf.set(entry.id, number)
      kept.set(number, entry._tag === 'Business' && entry.body.length > LONGEST_BODY ? { ...entry, body: '' } : entry)
      remove(number - KEEP)
    },
    reported: (wamid, status, failure) => {
      const [number, entry] = [numberOf.get(wamid), sent(wamid)]
      if (number !== undefined && entry !== undefined) {
        kept.set(number, { ...entry, statuses: [...entry.statuses, status], failure: failure ?? entry.failure })
      }
    },
    all: () => [...kept.values()],
    clear: () => [kept, numberOf].forEach((map) => map.clear()),
  }
}
