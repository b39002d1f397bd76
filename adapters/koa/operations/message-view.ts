import type { MessageView } from '../../../core/messages/message.js'
import { Amount, Currency, CustomerId, MessageId, State, Time } from '../codecs.js'
import { anyObject, array, type Codec, described, named, nullable, record, string, word } from '../schema.js'

/** A message in a reply. */
export const Message: Codec<MessageView> = named('Message', described(record({
  id: MessageId,
  platform_id: nullable(string(), "The platform's id, `wamid.…`; null until the platform has accepted the message."),
  kind: word({ text: 'a text', template: 'a template' }),
  to: described(CustomerId, 'The customer, as the request named it.'),
  state: State,
  price: Amount,
  currency: Currency,
  template_name: nullable(string(), 'The name of the template; null for a text.'),
  language: nullable(string(), 'The language of the template; null for a text.'),
  error: nullable(anyObject, 'Why it was refused or failed, as the platform said it; else null.'),
  created_at: Time,
  history: described(array(record({ state: State, at: Time })), 'The states it has been in, oldest first; each appears once.'),
}), 'An outbound message and what became of it. Its text and variables are never stored.'))

/** A message as examples show it. */
export const MESSAGE_EXAMPLE: MessageView = {
  id: 'msg_0199c3a87c2e7b1f9d5a4e6b8c0d2f41', platform_id: 'wamid.HBgNNTUxMTk4NzY1NDMyMRUCABEYEjE2', kind: 'template', to: '5511987654321',
  state: 'delivered', price: '0.062500', currency: 'USD', template_name: 'order_update', language: 'pt_BR', error: null,
  created_at: '2026-03-01T12:00:00.000Z',
  history: [
    { state: 'pending', at: '2026-03-01T12:00:00.000Z' },
    { state: 'accepted', at: '2026-03-01T12:00:00.412Z' },
    { state: 'sent', at: '2026-03-01T12:00:01.000Z' },
    { state: 'delivered', at: '2026-03-01T12:00:03.000Z' },
  ],
}
