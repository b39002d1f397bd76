import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { type CustomerId, isUserId } from '../../core/customers/customer.js'
import { describePlatformCode, type PlatformError } from '../../core/kernel/failure.js'
import type { JsonObject } from '../../core/kernel/json.js'
import { beginningOf } from '../../core/kernel/text.js'
import type { Conversation, ConversationError } from '../../core/messages/conversation.js'
import type { Message } from '../../core/messages/message.js'
import type { Sender } from '../../core/senders/sender.js'
import type { Outbound, Platform } from '../../core/sending/dispatch.js'
import { makeOpenMedia, type MediaDeps } from './media.js'
import { readAnswer, readBody } from './read-answer.js'
import {
  baseOf, type CloudApiDeps, type Endpoint, headersOf, type HttpRequest, makeReadMarkRequest, makeSenderRequest, propertyOf, repeatable,
  unanswered,
} from './transport.js'
import { makeUploadMedia, type UploadDeps } from './upload.js'

/** What the platform reports about a sender's phone number, in its own words; a value that it does not report is absent. */
export type SenderFacts = {
  readonly name?: string
  readonly number?: string
  /** `GREEN`, `YELLOW`, `RED` or `UNKNOWN`. */
  readonly quality?: string
  /** How many customers may be messaged outside of windows in 24 hours, such as `TIER_2K`. */
  readonly limit?: string
  /** The throughput in messages a second: `STANDARD` or `HIGH`. */
  readonly throughput?: string
}

/** Checks a sender as `CheckSender` does, and reads the platform's details of its number. Left: a sentence that describes the problem. */
export type ReadSender = (sender: Sender) => Promise<E.Either<string, SenderFacts>>

const FIELDS = ['verified_name', 'display_phone_number', 'quality_rating', 'throughput']
/** Newer than the other fields; a version of the platform without it refuses the whole request. */
const LIMIT_FIELD = 'whatsapp_business_manager_messaging_limit'
const LONGEST_TEXT = 100

/** Creates the reading of a sender: the check, then one request for the fields that older versions of the platform know too, and one for the limit. */
export const makeReadSender = (deps: CloudApiDeps): ReadSender => {
  const { transport, now = Date.now, ...endpoint } = deps
  const check = makeCheckSender(deps)
  const ask = async (sender: Sender, fields: ReadonlyArray<string>): Promise<JsonObject> => {
    const answer = readBody(await transport(makeSenderRequest(endpoint, fields)(sender)), now())
    return E.isRight(answer) ? answer.right : {}
  }
  return async (sender) => {
    const checked = await check(sender)
    if (E.isLeft(checked)) return checked
    const [said, limits] = await Promise.all([ask(sender, FIELDS), ask(sender, [LIMIT_FIELD])])
    const [name, number, quality] = [textOf(said, 'verified_name'), textOf(said, 'display_phone_number'), textOf(said, 'quality_rating')]
    const [throughput, limit] = [textOf(propertyOf(said, 'throughput'), 'level'), textOf(limits, LIMIT_FIELD)]
    return E.right({
      ...(name !== undefined && { name }), ...(number !== undefined && { number }), ...(quality !== undefined && { quality }),
      ...(throughput !== undefined && { throughput }), ...(limit !== undefined && { limit }),
    })
  }
}

const textOf = (said: unknown, field: string): string | undefined => {
  const value = propertyOf(said, field)
  return typeof value === 'string' && value !== '' ? beginningOf(value, LONGEST_TEXT) : undefined
}

/** Checks that the platform knows a sender and accepts its token; sends no message. Left: a sentence that describes the problem. */
export type CheckSender = (sender: Sender) => Promise<E.Either<string, void>>

/** Creates the check of a sender, which reads the sender's phone number from the platform. */
export const makeCheckSender = ({ transport, now = Date.now, ...endpoint }: CloudApiDeps): CheckSender => {
  const senderRequest = makeSenderRequest(endpoint)
  return async (sender) => {
    const answer = readBody(await transport(senderRequest(sender)), now())
    if (E.isLeft(answer)) return E.left(sentenceOf(answer.left))
    return answer.right['id'] === sender.phoneNumberId ? E.right(undefined) : E.left('The platform did not return the requested number')
  }
}

const sentenceOf = (error: PlatformError): string => {
  switch (error._tag) {
    case 'CredentialsRefused': return `The platform refuses the sender's access token or phone number id${describePlatformCode(error.error)}`
    case 'PlatformRejected': return `The platform refused the request${describePlatformCode(error.error)}`
    case 'PlatformThrottled': return 'The platform received too many requests; try again later'
    case 'PlatformUnreachable': return 'The platform cannot be reached'
    case 'OutcomeUnknown': return 'The platform sent an invalid response'
  }
}

/** What a conversation needs: the platform's address, and transports that reach it. */
export type CloudConversationDeps = MediaDeps & UploadDeps

/** The operations of the WhatsApp Business Cloud API for conversations, except sends. A call is never repeated. */
export const makeCloudConversation = (deps: CloudConversationDeps): Conversation => {
  const { transport, now = Date.now } = deps
  const readMarkRequest = makeReadMarkRequest(deps)
  return {
    markRead: async (mark) => pipe(
      readBody(await transport(readMarkRequest(mark)), now()),
      E.mapLeft(repeatable),
      E.flatMap(readSuccess),
    ),
    openMedia: makeOpenMedia(deps),
    uploadMedia: makeUploadMedia(deps),
  }
}

const readSuccess = (body: JsonObject): E.Either<ConversationError, void> =>
  (body['success'] === true ? E.right(undefined) : E.left(unanswered('The platform answered without saying that it succeeded')))

/** The WhatsApp Business Cloud API as the platform. One send is one call; a call is never repeated. */
export const makeCloudApi = ({ transport, now = Date.now, ...endpoint }: CloudApiDeps): Platform => {
  const messageRequest = makeMessageRequest(endpoint)
  return {
    send: async (outbound) => readAnswer(await transport(messageRequest(outbound)), now()),
  }
}

/**
 * Creates the calls that send: `POST {base}/{version}/{phone number id}/messages` with the envelope of the Cloud API, or `…/marketing_messages` with the same envelope:
 * <https://developers.facebook.com/docs/whatsapp/marketing-messages-lite-api>.
 *
 * A number goes into `to` with its `+`, without which the platform may put the sender's own country code before the number. A user id goes
 * into `recipient`; in `to` it is reported to be accepted and then dropped: <https://developers.facebook.com/docs/whatsapp/business-scoped-user-ids>.
 */
export const makeMessageRequest = (endpoint: Endpoint): ((outbound: Outbound) => HttpRequest) => {
  const { origin, prefix } = baseOf(endpoint)
  return ({ id, sender, message, isMarketing = false, mayBegin }) => ({
    method: 'POST',
    origin,
    path: `${prefix}/${encodeURIComponent(sender.phoneNumberId)}/${isMarketing ? 'marketing_messages' : 'messages'}`,
    headers: { 'content-type': 'application/json', ...headersOf(sender) },
    body: JSON.stringify({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      ...addressOf(message.to),
      ...(message.context && { context: message.context }),
      ...contentOf(message),
      biz_opaque_callback_data: id,
    }),
    timeoutMs: endpoint.timeoutMs,
    ...(mayBegin && { mayBegin }),
  })
}

const addressOf = (to: CustomerId): object => (isUserId(to) ? { recipient: to } : { to: `+${to}` })

/** The type of a message and the object named after it. A template without variables has no `components` at all. */
const contentOf = (message: Message): object => {
  switch (message._tag) {
    case 'Text':
      return { type: 'text', text: { preview_url: false, body: message.text } }
    case 'Content':
      return { type: message.type, [message.type]: message.content }
    case 'Template': {
      const { name, language, components } = message
      return { type: 'template', template: { name, language: { code: language }, ...(components?.length && { components }) } }
    }
  }
}
