import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { Forbidden } from '../../../core/access/access.js'
import {
  type ConsentStatus, type ConsentTopic, MAX_SOURCE_LENGTH, type OptOut,
} from '../../../core/consent/consent.js'
import { type ConsentView, customerConsentView, type CustomerConsentView } from '../../../core/consent/use-cases.js'
import { MAX_OPT_OUT_WORD_LENGTH, MAX_OPT_OUT_WORDS, type OptOutWords } from '../../../core/consent/words.js'
import type { CustomerId } from '../../../core/customers/customer.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import { MAX_NOTE_LENGTH, MAX_TEXT_LENGTH } from '../../../core/kernel/text.js'
import { Moment, notBlank, Time, wellFormed, withoutControls, WrittenCustomerId } from '../codecs.js'
import { type Outcome, served, type UseCases, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import type { InvalidParameter } from '../reply.js'
import {
  array, type Codec, codec, described, fields, length, named, type NoFields, nullable, record, string, type TypeOf, word,
} from '../schema.js'

const TopicWord: Codec<ConsentTopic> = word<ConsentTopic>({ marketing: 'marketing messages', all: 'every message' })

const StatusWord: Codec<ConsentStatus> = word<ConsentStatus>({
  granted: 'the customer allows them', withdrawn: 'the customer stopped them',
})

const Consent: Codec<ConsentView> = named('Consent', record({
  status: word<ConsentView['status']>({
    granted: 'the customer allows them', withdrawn: 'the customer stopped them', unknown: 'the customer has said nothing',
  }),
  since: nullable(Time, 'Since when; null if nothing is known.'),
  source: nullable(string(), 'The source of the consent: `word` if the customer wrote a word that stops messages, `platform` if the customer chose it in the app of the platform, otherwise the source that the application or a person recorded.'),
  note: nullable(string(), 'For people, such as what the customer wrote.'),
}))

/** What a customer allowed and stopped, in a reply. */
export const CustomerConsentBody: Codec<CustomerConsentView> = named('CustomerConsent', described(
  record({ marketing: described(Consent, 'Marketing messages.'), all: described(Consent, 'Every message.') }),
  'What a customer allowed and stopped, under every id of the customer.',
))

const NOTHING: ConsentView = { status: 'unknown', since: null, source: null, note: null }

/** An example of it. */
export const CONSENT_EXAMPLE: CustomerConsentView = {
  marketing: { status: 'withdrawn', since: '2026-03-01T12:00:00.000Z', source: 'word', note: 'Stop!' }, all: NOTHING,
}

const SetConsentRequest = named('SetConsentRequest', described(fields({
  of: described(TopicWord, 'What it is about.'),
  status: StatusWord,
  source: described(
    string(length(MAX_SOURCE_LENGTH), wellFormed, withoutControls), 'The source of the consent, such as `signup form`.', 'signup form',
  ),
}, {
  note: described(string(length(MAX_NOTE_LENGTH), wellFormed, withoutControls), 'For people: one line.'),
  at: described(Moment, 'When the customer said it; now if it is omitted. It must not be in the future.'),
}), 'What a customer allowed or stopped. Unknown fields are ignored.'))

/** `PUT /customers/{to}/consent` */
export const setConsent = workspaceOperation({
  id: 'setConsent',
  method: 'put',
  path: '/customers/{to}/consent',
  part: 'consent',
  tag: 'Sending',
  act: 'consent.record',
  summary: 'Record what a customer allowed or stopped',
  description:
    'Records that a customer allowed or stopped marketing messages, or all messages. What the customer said last counts, so an `at` before what is known changes nothing. The reply is what is known '
      + 'then. The same request again changes nothing if it has the same `at`.',
  pathParameters: { to: described(WrittenCustomerId, 'The number or the user id of a customer, URL-encoded.', '33639980001') },
  body: {
    codec: SetConsentRequest, forms: false,
    examples: {
      stop: { value: { of: 'all', status: 'withdrawn', source: 'phone call' } },
      allow: { value: { of: 'marketing', status: 'granted', source: 'signup form', at: '2026-03-01T12:00:00Z' } },
    },
  },
  reply: { description: 'What is known of the customer now.', codec: CustomerConsentBody, example: CONSENT_EXAMPLE },
  failures: { InvalidParameter: true },
  run: async (
    { postern: { consent } }: UseCases,
    { workspace, by, parameters: { to: customer }, body: { of: topic, ...given } }:
    WorkspaceRequest<{ readonly to: CustomerId }, TypeOf<typeof SetConsentRequest>>,
  ): Outcome<InvalidParameter | Forbidden | PortFailure, CustomerConsentView> => {
    const recorded = await served(consent).recordConsent({ by, workspace, customer, topic, ...given })
    if (E.isRight(recorded)) return E.right({ value: customerConsentView(recorded.right) })
    const { left } = recorded
    return E.left(left._tag === 'InvalidConsent' ? { _tag: 'InvalidParameter', sentence: left.reason } : left)
  },
})

const optOutWord = string(length(MAX_OPT_OUT_WORD_LENGTH), wellFormed, withoutControls)

const Words: Codec<OptOutWords> = described(codec('an object of arrays of words', {
  schema: { type: 'object', additionalProperties: array(optOutWord).schema },
}, (value, context) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return t.failure(value, context)
  const lists = Object.entries(value).map(([language, list]) => [language, array(optOutWord).decode(list)] as const)
  const wrong = lists.find(([, list]) => E.isLeft(list))
  return wrong === undefined
    ? t.success(Object.fromEntries(lists.map(([language, list]) => [language, E.isRight(list) ? list.right : []])))
    : t.failure(value, context, `an object of arrays of words of at most ${MAX_OPT_OUT_WORD_LENGTH} characters`)
}), `The words by language, such as \`en\` or \`pt-BR\`: at most ${MAX_OPT_OUT_WORDS} in all. A word is a whole message; case, accents and punctuation do not matter.`)

/** The words as JSON. */
type OptOutWordsView = { readonly words: OptOutWords; readonly of: ConsentTopic; readonly reply: string | null }

const optOutView = ({ words, topic, reply }: OptOut): OptOutWordsView => ({ words, of: topic, reply: reply ?? null })

const OptOutWordsBody: Codec<OptOutWordsView> = named('OptOutWords', record({
  words: Words, of: described(TopicWord, 'What a word stops.'),
  reply: nullable(string(), 'The text that is sent once to a customer who stops messages by a word; null if none is.'),
}))

const OPT_OUT_EXAMPLE: OptOutWordsView = { words: { en: ['STOP', 'UNSUBSCRIBE'], de: ['ABMELDEN'] }, of: 'marketing', reply: null }

/** `GET /opt-out-words` */
export const getOptOutWords = workspaceOperation({
  id: 'getOptOutWords',
  method: 'get',
  path: '/opt-out-words',
  part: 'consent',
  tag: 'Reading',
  act: 'customer.view',
  summary: 'Look up the words that stop messages',
  description: 'The words by which customers of the workspace stop messages. A workspace that has set none has those that Postern ships.',
  reply: { description: 'The words.', codec: OptOutWordsBody, example: OPT_OUT_EXAMPLE },
  failures: {},
  run: async ({ postern: { consent } }: UseCases, { workspace }: WorkspaceRequest): Outcome<PortFailure, OptOutWordsView> =>
    E.map(({ optOut }: { readonly optOut: OptOut }) => ({ value: optOutView(optOut) }))(await served(consent).showSettings(workspace)),
})

const replyText = string(length(MAX_TEXT_LENGTH), notBlank, wellFormed)

const SetOptOutWordsRequest = named('SetOptOutWordsRequest', described(fields({
  words: Words, of: described(TopicWord, 'What a word stops.'),
}, {
  reply: nullable(
    replyText,
    `The text that is sent once to a customer who stops messages by a word, priced as a text: 1 to ${MAX_TEXT_LENGTH} characters; null or omitted if none is.`,
  ),
}), 'All words: they replace the earlier ones. Unknown fields are ignored.'))

/** `PUT /opt-out-words` */
export const setOptOutWords = workspaceOperation({
  id: 'setOptOutWords',
  method: 'put',
  path: '/opt-out-words',
  part: 'consent',
  tag: 'Sending',
  act: 'consent.set_words',
  summary: 'Set the words that stop messages',
  description: 'Sets the words by which customers of the workspace stop messages, what a word stops, and what is answered. The answer is sent once for each stop, through the number that the customer wrote to; it is not sent to a customer who had already stopped messages, nor if the wallet does not cover it. Words that customers wrote before stay recorded.',
  body: { codec: SetOptOutWordsRequest, forms: false, examples: { words: { value: OPT_OUT_EXAMPLE } } },
  reply: { description: 'The words as they are now.', codec: OptOutWordsBody, example: OPT_OUT_EXAMPLE },
  failures: { InvalidParameter: true },
  run: async (
    { postern: { consent } }: UseCases,
    { workspace, by, body: { words, of: topic, reply } }: WorkspaceRequest<NoFields, TypeOf<typeof SetOptOutWordsRequest>>,
  ): Outcome<InvalidParameter | Forbidden | PortFailure, OptOutWordsView> => {
    const optOut = { words, topic, ...(reply !== null && reply !== undefined && { reply }) }
    const set = await served(consent).setOptOut({ by, workspace, optOut })
    if (E.isRight(set)) return E.right({ value: optOutView(set.right) })
    const { left } = set
    return E.left(left._tag === 'InvalidOptOut' ? { _tag: 'InvalidParameter', sentence: left.reason } : left)
  },
})
