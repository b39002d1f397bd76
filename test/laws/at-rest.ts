import { type SenderAssignment, senderIdOf } from '../../core/senders/sender.js'
import { done, holds } from './expect.js'
import { newDigits, newName, newPhoneNumber } from './ids.js'
import { minted, MINTED_AT, type KeyStoreFixture } from './key-fixture.js'
import type { Law } from './law.js'
import { newKey, NOON, openMessageWorkspace, type MessageLogFixture } from './message-fixture.js'
import type { SendersFixture } from './senders-fixture.js'

/** Shows what a thief of the storage would see. */
export type AtRest = {
  /** All data that the adapter keeps, as text, including columns of bytes. */
  readonly atRest: () => Promise<string>
}

/** Checks that the kept data contain a known text, and none of the secrets. */
export const hides = async (promise: string, { atRest }: AtRest, known: string, secrets: ReadonlyArray<string>): Promise<void> => {
  const text = await atRest()
  holds('what is kept can be seen at all', text.includes(known), `nothing of ${known}`)
  for (const secret of secrets) holds(promise, !text.includes(secret), 'it at rest')
}

/** The words that are long enough to be an encrypted content; ids and names are shorter. */
export const longWordsIn = (text: string): ReadonlyArray<string> => text.match(/[\w.+/=-]{80,}/g) ?? []

/** The promises of every `KeyStore` about its stored data; separate lists, because not every fixture can show that data. */
export const keyStoreAtRestLaws: ReadonlyArray<Law<KeyStoreFixture & AtRest>> = [
  {
    name: 'only a digest of a key is stored',
    check: async (fixture) => {
      const { id, key } = await minted(fixture, (await fixture.openWorkspace()).workspace)
      const successor = await done('a successor', fixture.keyStore.rotate(id, { at: MINTED_AT + 1, overlapMs: 0 }))
      await hides('a key is not stored', fixture, id, [key, key.slice(`pst_${id}_`.length)])
      await hides('a successor is not stored', fixture, successor.id, [successor.key, successor.key.slice(`pst_${successor.id}_`.length)])
    },
  },
]

/** The promises of every `MessageLog` about its stored data. */
export const messageLogAtRestLaws: ReadonlyArray<Law<MessageLogFixture & AtRest>> = [
  {
    name: 'the text of a message, a template\'s variables and a request are never stored',
    check: async (fixture) => {
      const { opened } = await openMessageWorkspace(fixture)
      const [text, variable, request] = [newName(), newName(), newName()]
      const message = { _tag: 'Text', to: newPhoneNumber(), text } as const
      const one = await opened({ message, claim: { key: newKey(), request } })
      const components = [{ type: 'body', parameters: [{ type: 'text', text: variable }] }]
      const template = { _tag: 'Template', to: newPhoneNumber(), name: 'order', language: 'en', components } as const
      await opened({ message: template, at: NOON + 1 })
      await hides('what a message says is not stored', fixture, one.id.slice('msg_'.length), [text, variable, request])
    },
  },
]

/** The ports for assigning a sender. */
export type AssignedFixture = Pick<SendersFixture, 'openWorkspace'> & { readonly senders: Pick<SenderAssignment, 'assign'> }

/** The promises of every `Senders` that stores its senders on disk about its stored data. */
export const sendersAtRestLaws: ReadonlyArray<Law<AssignedFixture & AtRest>> = [
  {
    name: 'access tokens are encrypted at rest',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const sender = { phoneNumberId: senderIdOf(newDigits(15)), accessToken: `EAAG${newName()}`, businessAccountId: undefined }
      await done('a workspace is given its sender', fixture.senders.assign(workspace, sender))
      const { accessToken } = sender
      const spellings = [accessToken, btoa(accessToken).replaceAll('=', '')]
      await hides('an access token is not stored as it is', fixture, sender.phoneNumberId, spellings)
    },
  },
]
