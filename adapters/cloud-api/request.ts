import { isUserId, type CustomerId } from '../../core/customer.js'
import type { ReadMark } from '../../core/ports/conversation.js'
import type { Message, Outbound, Sender } from '../../core/ports/platform.js'
import type { HttpRequest } from './transport.js'

/** Where the platform's API is: its address without the version, and the version, e.g. `v25.0`. */
export type Endpoint = {
  readonly baseUrl: string
  readonly version: string
  /** How long one call may wait for its answer, in milliseconds. */
  readonly timeoutMs: number
}

/** Splits the base of every call into origin and path. Throws where the address is not a URL, since that is a mistake in the configuration. */
export const baseOf = ({ baseUrl, version }: Endpoint): { readonly origin: string; readonly prefix: string } => {
  const { origin, pathname } = new URL(baseUrl)
  return { origin, prefix: `${pathname.replace(/\/+$/, '')}/${encodeURIComponent(version)}` }
}

/**
 * Makes the calls that send: `POST {base}/{version}/{phone number id}/messages` with the envelope of the Cloud API.
 *
 * A number goes into `to` with its `+`, without which the platform may put the sender's own country code before the number. A user id goes
 * into `recipient`; in `to` it is reported to be accepted and then dropped: <https://developers.facebook.com/docs/whatsapp/business-scoped-user-ids>.
 */
export const makeMessageRequest = (endpoint: Endpoint): ((outbound: Outbound) => HttpRequest) => {
  const { origin, prefix } = baseOf(endpoint)
  return ({ id, sender, message }) => ({
    method: 'POST',
    origin,
    path: `${prefix}/${encodeURIComponent(sender.phoneNumberId)}/messages`,
    headers: { 'content-type': 'application/json', ...headersOf(sender) },
    body: JSON.stringify({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      ...addressOf(message.to),
      ...contentOf(message),
      biz_opaque_callback_data: id,
    }),
    timeoutMs: endpoint.timeoutMs,
  })
}

/**
 * Makes the calls that mark a customer's message as read, to the address that messages are sent to. The platform has one kind of typing indicator:
 * <https://developers.facebook.com/documentation/business-messaging/whatsapp/typing-indicators>.
 */
export const makeReadMarkRequest = (endpoint: Endpoint): ((mark: ReadMark) => HttpRequest) => {
  const { origin, prefix } = baseOf(endpoint)
  return ({ sender, message, typing }) => ({
    method: 'POST',
    origin,
    path: `${prefix}/${encodeURIComponent(sender.phoneNumberId)}/messages`,
    headers: { 'content-type': 'application/json', ...headersOf(sender) },
    body: JSON.stringify({
      messaging_product: 'whatsapp', status: 'read', message_id: message, ...(typing && { typing_indicator: { type: 'text' } }),
    }),
    timeoutMs: endpoint.timeoutMs,
  })
}

/** Makes the call that reads a sender's own name, which succeeds only with a valid token for an existing number. */
export const makeSenderRequest = (endpoint: Endpoint): ((sender: Sender) => HttpRequest) => {
  const { origin, prefix } = baseOf(endpoint)
  return (sender) => ({
    method: 'GET',
    origin,
    path: `${prefix}/${encodeURIComponent(sender.phoneNumberId)}?fields=verified_name`,
    headers: headersOf(sender),
    timeoutMs: endpoint.timeoutMs,
  })
}

const addressOf = (to: CustomerId): object => (isUserId(to) ? { recipient: to } : { to: `+${to}` })

const headersOf = ({ accessToken }: Sender): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${accessToken}`,
  accept: 'application/json',
  'user-agent': 'postern',
})

/** The type of a message and the object named after it. A template without variables has no `components` at all. */
const contentOf = (message: Message): object => {
  switch (message._tag) {
    case 'Text':
      return { type: 'text', text: { preview_url: false, body: message.text } }
    case 'Template': {
      const { name, language, components } = message
      return { type: 'template', template: { name, language: { code: language }, ...(components?.length && { components }) } }
    }
  }
}
