import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { CustomerOptedOut, PhoneNumberRequired } from '../../../core/customers/customer.js'
import type { KeyPrincipal } from '../../../core/kernel/actor.js'
import type { Sent } from '../../../core/messages/message.js'
import type { SendingKey } from '../../../core/money/wallet.js'
import type { DeliverError, ReplayError } from '../../../core/sending/send.js'
import type { PreflightRefusal } from '../../../core/templates/use-cases.js'
import type { Failures, HttpFailure } from '../failures.js'
import type { HeaderName } from '../openapi-headers.js'
import { messageHeaders } from '../reply.js'
import { type Codec, described, form, literal, named, record, string } from '../schema.js'
import type { Outcome } from '../workspace-operation.js'

/** How every send can fail. */
export const SEND_FAILURES: Failures<Exclude<DeliverError | ReplayError, { readonly _tag: 'PortFailure' }>> = {
  SenderNotConfigured: true, InsufficientBalance: true, SpendingLimitReached: true, IdempotencyInProgress: true, IdempotencyKeyReused: true,
  PlatformRejected: true, PlatformThrottled: true, CredentialsRefused: true, PlatformUnreachable: true, OutcomeUnknown: true,
}

/** What a template is refused for before its payment. */
export const TEMPLATE_REFUSALS: Failures<PreflightRefusal | PhoneNumberRequired | CustomerOptedOut> = {
  TemplateNotFound: true, TemplateNotApproved: true, TemplateParameters: true, PhoneNumberRequired: true, CustomerOptedOut: true,
}

/** The key that a message is sent with. */
export const sendingKey = ({ key, spendingLimit, spendingId }: KeyPrincipal): SendingKey => ({
  id: key, ...(spendingLimit !== undefined && { spendingLimit }), ...(spendingId !== undefined && { spendingId }),
})

/** The reply's body of a send. */
export type SentView = { readonly status: 'success'; readonly message_id: string }

const SentCodec: Codec<SentView> = named('Sent', record({
  status: literal('success'),
  message_id: described(string(form(/^wamid\./, "the platform's id of a message")), "The platform's id of the message."),
}))

const EXAMPLE: SentView = { status: 'success', message_id: 'wamid.HBgNNTUxMTk4NzY1NDMyMRUCABEYEjE2' }
const HEADERS: ReadonlyArray<HeaderName> = ['Postern-Message', 'Idempotency-Replayed']

/** The reply of a send, for the document. */
export const sentReply = {
  description: 'The platform has accepted the message, and its price is captured.',
  codec: SentCodec,
  example: EXAMPLE,
  headers: HEADERS,
}

/** The result of a send, for its reply. */
export const sentResult = <Failure extends HttpFailure>(sent: E.Either<Failure, Sent>): Awaited<Outcome<Failure, SentView>> =>
  pipe(sent, E.map(({ id, platformId, replayed }) => ({
    value: { status: 'success', message_id: platformId }, headers: messageHeaders(id, replayed),
  })))

/** The order in which a send is refused, for the document. */
export const ORDER_OF_REFUSALS =
  'Refusals come in this order: the key (401), the limit (429), the request (413, 415, 400), the window (400), the template (400), the wallet ' +
  '(402), the spending limit of the key (402), the platform.'
