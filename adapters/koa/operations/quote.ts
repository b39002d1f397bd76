import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { CustomerWindowsView, SenderWindowView } from '../../../core/customers/use-cases.js'
import type { WindowView } from '../../../core/customers/window.js'
import type { Category } from '../../../core/kernel/money.js'
import type { Message } from '../../../core/messages/message.js'
import { type PreviewView, type QuoteError, quoteView, type QuoteView } from '../../../core/sending/quote.js'
import { Amount, Currency, Time } from '../codecs.js'
import { type Outcome, served, type UseCases, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import type { ContentInvalid } from '../reply.js'
import { array, boolean, type Codec, described, literal, named, type NoFields, nullable, record, string, word } from '../schema.js'
import { messageBody, messageOf, type MessageRequest } from './send-message.js'
import {
  sendingKey, TEMPLATE_REFUSALS, templateBody, templateOf, type TemplateRequest, textBody, textOf, type TextRequest, type ThroughSender,
} from './send.js'

/** The fields of a customer service window. */
const WINDOW_FIELDS = {
  open: described(boolean, 'Whether a text may be sent now.'),
  last_inbound_at: nullable(Time, "When the customer's latest message came; null where there was none."),
  closes_at: nullable(Time, '24 hours after that; null if the customer never wrote, or if the network of the gateway has no such window, so that `open` is always true.'),
}

/** A customer service window in a reply. */
export const Window: Codec<WindowView> = named('Window', described(record(WINDOW_FIELDS), 'The customer service window of one customer.'))

const SenderWindow: Codec<SenderWindowView> = named('SenderWindow', described(record({
  phone_number_id: described(string(), 'The phone number id of the sender.'), ...WINDOW_FIELDS,
}), 'The customer service window of one customer at one sender.'))

/** The customer service windows of a customer in a reply, one for each sender. */
export const SenderWindows: Codec<ReadonlyArray<SenderWindowView>> = array(SenderWindow)

/** The customer service windows of a customer in a reply: that of one sender, and the list. */
export const CustomerWindows: Codec<CustomerWindowsView> = named('CustomerWindows', described(record({
  ...WINDOW_FIELDS,
  senders: described(SenderWindows, 'The window at each sender of the workspace, at its default sender first; only at the requested sender if the request names one.'),
}), 'The customer service windows of one customer. The fields next to `senders` are those of the requested sender, or of the default sender.'))

/** A window as shown in examples. */
export const WINDOW_EXAMPLE: WindowView = { open: true, last_inbound_at: '2026-03-01T12:00:00.000Z', closes_at: '2026-03-02T12:00:00.000Z' }

/** The windows of senders as shown in examples. */
export const SENDER_WINDOWS_EXAMPLE: ReadonlyArray<SenderWindowView> = [
  { phone_number_id: '106540352242922', ...WINDOW_EXAMPLE },
  { phone_number_id: '111222333444555', open: false, last_inbound_at: null, closes_at: null },
]

/** The reply's body of a quote. */
export type QuotedView = { readonly status: 'success'; readonly quote: QuoteView }

const Preview: Codec<PreviewView> = named('Preview', described(record({
  header: nullable(string(), 'The text of the header, or its content, such as `image: https://…`; null if there is none.'),
  body: nullable(string(), 'The text of the body; null if it is not known.'),
  footer: nullable(string(), 'The text of the footer; null if there is none.'),
  buttons: described(array(string()), 'The label of each button, with the address or the code behind it.'),
}), 'What the customer would read of a template, with the parameters filled in. Cards of a carousel are left out.'))

const QuoteCodec: Codec<QuoteView> = named('Quote', record({
  price: described(Amount, 'What the message would cost.'),
  currency: Currency,
  category: word<Category>({
    service: 'free-form content', marketing: 'a marketing template', marketing_lite: 'a marketing template that the platform optimises',
    utility: 'a utility template', authentication: 'an authentication template',
    authentication_international: 'an authentication template to a market with international rates',
  }),
  market: nullable(string(), 'The market of the rate card that sets the price: a calling-code prefix, or `default`; null if no rate card sets the price.'),
  available: described(Amount, 'The available balance now.'),
  available_after: described(Amount, 'The available balance after the message.'),
  window: nullable(Window, "The customer's window, of free-form content; null where none is needed: of a template, and of any message where the network of the gateway has no such window."),
  preview: nullable(Preview, 'What the customer would read, for a template; null for free-form content, or if the template is not known.'),
}))

const QUOTE: QuoteView = {
  price: '0.006800', currency: 'USD', category: 'service', market: '55', available: '12.340000', available_after: '12.333200',
  window: WINDOW_EXAMPLE, preview: null,
}

/** The quote of a text, as shown in examples. */
export const TEXT_QUOTE: QuotedView = { status: 'success', quote: QUOTE }

/** The quote of a template, as shown in examples. */
export const TEMPLATE_QUOTE: QuotedView = {
  status: 'success',
  quote: {
    ...QUOTE, category: 'utility', window: null,
    preview: {
      header: null, body: 'Hello Ana, your order 1742 is on its way.', footer: null, buttons: ['Track it: https://shop.example/t/1742'],
    },
  },
}

/** The reply of a quote, for the document, without its example. */
export const quotedReply = {
  description: 'The message would be sent now, at this price.',
  codec: named('Quoted', record({ status: literal('success'), quote: QuoteCodec })),
}

/** Quotes the message of a request. */
const quoteOf = async <Of extends Message>(
  { postern: { sending, clock } }: UseCases, { workspace, principal, body: { sender } }: WorkspaceRequest<NoFields, ThroughSender>,
  message: Of,
): Outcome<QuoteError<Of>, QuotedView> =>
  pipe(
    await served(sending.quote)({ workspace, sender, message, key: sendingKey(principal) }),
    E.map((value) => ({ value: { status: 'success', quote: quoteView(clock.now(), value) } })),
  )

/** The description of a quote, for the document. */
export const AS_THE_SEND =
  'The request is the same as for the send, and is refused for the same reasons as the send would be now, up to the call to the platform. Nothing is sent, held or stored.'

/** `POST /quotes/send-text` */
export const quoteText = workspaceOperation({
  id: 'quoteText',
  method: 'post',
  path: '/quotes/send-text',
  part: 'quoting',
  tag: 'Sending',
  act: 'message.send',
  summary: 'Quote a text',
  description: `What a text would cost now. ${AS_THE_SEND}`,
  body: textBody,
  reply: { ...quotedReply, example: TEXT_QUOTE },
  failures: {
    CustomerOptedOut: true, WindowClosed: true, SenderNotConfigured: true, UnknownSender: true, InsufficientBalance: true,
    SpendingLimitReached: true,
  },
  run: (deps: UseCases, request: TextRequest) => quoteOf(deps, request, textOf(request)),
})

/** `POST /quotes/send-template` */
export const quoteTemplate = workspaceOperation({
  id: 'quoteTemplate',
  method: 'post',
  path: '/quotes/send-template',
  part: 'quoting',
  tag: 'Sending',
  act: 'message.send',
  summary: 'Quote a template',
  description: `What a template would cost now, and what the customer would read. ${AS_THE_SEND}`,
  body: templateBody,
  reply: { ...quotedReply, example: TEMPLATE_QUOTE },
  failures: { ...TEMPLATE_REFUSALS, SenderNotConfigured: true, UnknownSender: true, InsufficientBalance: true, SpendingLimitReached: true },
  run: (deps: UseCases, request: TemplateRequest) => quoteOf(deps, request, templateOf(request)),
})

/** `POST /quotes/send` */
export const quoteMessage = workspaceOperation({
  id: 'quoteMessage',
  method: 'post',
  path: '/quotes/send',
  part: 'quoting',
  tag: 'Sending',
  act: 'message.send',
  summary: 'Quote a message of any type',
  description: `What a message of any type would cost now. ${AS_THE_SEND}`,
  body: messageBody,
  reply: { ...quotedReply, example: TEXT_QUOTE },
  failures: {
    ...TEMPLATE_REFUSALS, ContentInvalid: true, WindowClosed: true, SenderNotConfigured: true, UnknownSender: true,
    InsufficientBalance: true, SpendingLimitReached: true,
  },
  run: async (deps: UseCases, request: MessageRequest): Outcome<ContentInvalid | QuoteError, QuotedView> => {
    const message = messageOf(request)
    return E.isLeft(message) ? message : quoteOf(deps, request, message.right)
  },
})
