import { type CustomerId, isUserId } from '../../core/customers/customer.js'
import type { Instant } from '../../core/kernel/time.js'
import type { Message } from '../../core/messages/message.js'
import type { Outbound, Platform } from '../../core/sending/transmit.js'
import { readAnswer } from './read-answer.js'
import { baseOf, type Endpoint, headersOf } from './request.js'
import type { HttpRequest, Transport } from './transport.js'

/** What the platform needs: its address, and a transport that reaches it. */
export type CloudApiDeps = Endpoint & {
  readonly transport: Transport
  /** The present moment; the system clock where none is given. */
  readonly now?: () => Instant
}

/** The WhatsApp Business Cloud API as the platform. One send is one call; a call is never repeated. */
export const makeCloudApi = ({ transport, now = Date.now, ...endpoint }: CloudApiDeps): Platform => {
  const messageRequest = makeMessageRequest(endpoint)
  return {
    send: (outbound) => async () => readAnswer(await transport(messageRequest(outbound)), now()),
  }
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

const addressOf = (to: CustomerId): object => (isUserId(to) ? { recipient: to } : { to: `+${to}` })

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
