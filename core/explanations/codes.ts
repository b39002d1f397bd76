import type { Explanation } from './explanation.js'

/** The codes of the HTTP contract, each with its status and its explanation. A refusal with a code that is not listed here does not compile. */
export const CODES = {
  missing_parameters: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'Required parameters are absent or empty.',
    cause: 'A field is misspelt, its value is empty, or the Content-Type does not match the body: curl sends JSON as a form unless the header says `application/json`.',
    fix: 'Send every parameter that the message names. `/docs` lists the fields of each operation.',
  },
  invalid_parameter: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'A parameter has the wrong type, length or format.',
    cause: 'A number was sent instead of a string, a text is too long, or a date, an address or an id has the wrong format.',
    fix: 'The message names the parameter and its rule. Correct it, and send the request again.',
  },
  invalid_phone_number: {
    status: 400, retry: 'changed', charged: 'no',
    means: '`to` is neither a phone number with its country code nor a user id of the platform.',
    cause: 'The country code is missing, the number begins with 0 or 00, it has a `(0)` that is dialled only within the country, or it contains characters that this operation does not accept: `send-text` accepts digits only.',
    fix: 'Send 7 to 15 digits that begin with the country code, such as `4915123456789`, or a user id such as `DE.13491208655302741918`. An authentication template needs a phone number.',
  },
  malformed_body: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'The body cannot be parsed as the type that its Content-Type declares.',
    cause: 'JSON that was written by hand has a missing or surplus comma or quotation mark, a form is incomplete, or the text is not UTF-8.',
    fix: 'The message says where the JSON parser stopped: the fault is there or just before. Use a library to create the JSON.',
  },
  content_invalid: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'The content breaks limits of its type, and the platform would refuse it.',
    cause: 'A title is too long, a list has too many rows, a required field is absent, or an address is not http or https.',
    fix: '`errors` lists each field with its rule and the value received. Correct them all, and send the request again.',
  },
  media_invalid: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'The file is empty, too large, incomplete, or not of its declared type.',
    cause: 'The first bytes of the file show a different type from the declared one, or this type of message accepts only smaller files.',
    fix: 'The message says what is wrong with the file. Convert it or make it smaller, and declare its actual type.',
  },
  window_closed: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'The customer service window is closed, so only templates can be sent.',
    cause: 'The customer wrote more than 24 hours ago, or never. The message says when the window closed.',
    fix: 'Send an approved template with `POST /v1/messages/send-template`, or wait until the customer writes: that opens the window for 24 hours. `GET /v1/windows/{to}` shows the window.',
  },
  timezone_unknown: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'The hours of `deliver_between` cannot be computed, because the time zone of the customer is not known for sure.',
    cause: 'The calling code or the area code of the number has no time zone of its own, such as that of a satellite phone, the hours never begin in all of its zones at the same time, or only the user id of the customer is known.',
    fix: 'Name a time zone as `deliver_between.timezone`, such as `Europe/Berlin`, and send the request again.',
  },
  template_not_found: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'The business account has no approved template of this name in this language.',
    cause: 'The name or the language is misspelt (`en` is not `en_US`), or the template is in another business account.',
    fix: 'Use one of the languages or names that the message suggests. `GET /v1/templates` lists all of them.',
  },
  template_not_approved: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'The template exists, but the platform does not send it in its current state.',
    cause: 'It is still being reviewed, was rejected, or was paused or disabled after complaints. The message names the state.',
    fix: 'Send another template, or this one in a language in which it is approved; or wait until the platform has approved it.',
  },
  template_parameters: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'The components do not fill the placeholders of the template.',
    cause: 'Too many or too few parameters were sent, or one has the wrong type. The template may have been changed.',
    fix: '`expected` lists the placeholders of the template. Send a parameter for each entry, in that order.',
  },
  customer_opted_out: {
    status: 400, retry: 'never', charged: 'no',
    means: 'The customer has stopped marketing messages and this is one, or has stopped all messages. The message says which.',
    cause: 'The customer chose it in the app or wrote a word such as STOP, or a person or an application of your company recorded it.',
    fix: 'If only marketing messages are stopped, send no marketing templates: utility templates, and replies while the window is open, can still be sent. If all messages are stopped, send nothing until the customer allows it again, then record that with `PUT /v1/customers/{to}/consent`.',
  },
  consent_required: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'This is a marketing message, and the workspace requires that the customer has consented to marketing messages.',
    cause: 'No consent of this customer to marketing messages is recorded.',
    fix: 'Ask the customer, and record the consent with `PUT /v1/customers/{to}/consent`. `GET /v1/customers/{to}` shows what is recorded. An operator switches the requirement off with `postern workspace set WORKSPACE --marketing-needs-consent off`.',
  },
  platform_rejected: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'The platform refused the message or the request.',
    cause: '`platform_error` is the platform’s own error. A page below `/errors/platform/` explains its `code`.',
    fix: 'Follow the page of that number. The same request would be refused again.',
  },
  unreadable_file: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'The file of lines cannot be read from one line on, so the gateway kept none of its lines.',
    cause: 'The first line of a CSV names no column `to` or an unknown column, a quotation mark is not closed, the file is empty, or it has more lines than a file may have. `line` and `column` say where.',
    fix: 'Correct the place that the message names, and send the whole file again. What was stored before the file is unchanged.',
  },
  content_gone: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'What the recipients of the earlier batch were sent is not kept any more.',
    cause: 'The earlier batch ended more than `BATCH_CONTENT_DAYS` days ago, 7 by default, so the parameters of its lines were deleted.',
    fix: 'Create a batch and add the recipients as a file with `PUT /v1/batches/{id}/recipients`. `GET /v1/batches/{id}/results` lists those of the earlier batch.',
  },
  nothing_to_send: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'No line of the batch can be sent.',
    cause: 'The batch has no recipients, or each of them has a problem.',
    fix: 'Add recipients with `PUT /v1/batches/{id}/recipients`. `POST /v1/batches/{id}/preflight` lists the problems and their lines.',
  },
  unauthenticated: {
    status: 401, retry: 'changed', charged: 'no',
    means: 'The request has no valid API key.',
    cause: 'The key is missing, sent in the wrong place, truncated, expired, revoked, or belongs to another gateway. A webhook of the platform gets this answer if its signature is wrong.',
    fix: 'Send the key as the header `Authorization: Bearer pst_…`. If it is lost or revoked, create a new one in the dashboard or with `postern key mint`.',
  },
  insufficient_balance: {
    status: 402, retry: 'changed', charged: 'no',
    means: 'The wallet of the workspace cannot cover the price of the message.',
    cause: '`required` is more than `available`. The amount in `held` is reserved for messages that are on their way.',
    fix: 'An operator has to add at least `shortfall` to the wallet, in the dashboard or with `postern wallet top-up`. Then send the same request again, with the same Idempotency-Key if it had one.',
  },
  spending_limit_reached: {
    status: 402, retry: 'after', charged: 'no',
    means: 'The API key has reached its daily spending limit.',
    cause: 'The key has a daily limit, and this message would exceed it. Days begin at midnight UTC.',
    fix: 'Wait until `resets_at`, or send with a key that has a higher limit.',
  },
  forbidden: {
    status: 403, retry: 'changed', charged: 'no',
    means: 'The API key is valid, but does not permit this.',
    cause: 'The key lacks the scope that the message names, or its workspace is archived.',
    fix: 'Use a key with that scope: create one in the dashboard or with `postern key mint --scopes`. `GET /v1/key` shows the scopes of a key.',
  },
  not_found: {
    status: 404, retry: 'changed', charged: 'no',
    means: 'No operation exists at the address, or the workspace has no object with this id.',
    cause: 'The address is mistyped, the id belongs to another workspace, or its object is no longer stored.',
    fix: 'Compare the address with `/docs`, and the id with the list from which it was copied. An id in an address must be URL-encoded.',
  },
  method_not_allowed: {
    status: 405, retry: 'changed', charged: 'no',
    means: 'The address does not accept this method.',
    cause: 'A POST became a GET, often by a redirect from http to https.',
    fix: 'Use a method that the header `Allow` lists, and call the https address directly.',
  },
  request_timeout: {
    status: 408, retry: 'after', charged: 'no',
    means: 'The request did not arrive completely before the timeout, so the connection was closed.',
    cause: 'The network was slow or failed, or `Content-Length` is larger than the body that was sent.',
    fix: 'Send the request again. If it happens each time, compare `Content-Length` with the body.',
  },
  idempotency_in_progress: {
    status: 409, retry: 'same_key', charged: 'no',
    means: 'Another request with this Idempotency-Key is still being processed.',
    cause: 'The request was repeated before the first one was answered.',
    fix: 'Repeat it with the same key after `Retry-After`. You then get the answer of the first request, and nothing is sent twice.',
  },
  already_sent: {
    status: 409, retry: 'never', charged: 'no',
    means: 'The message cannot be canceled any more.',
    cause: 'It has left the queue: it is being sent, was sent, or was refused. Or it was never queued. The message names its state.',
    fix: '`GET /v1/messages/{id}` shows what happened to the message. A message that was sent cannot be taken back.',
  },
  batch_state: {
    status: 409, retry: 'changed', charged: 'no',
    means: 'The state of the batch does not permit this.',
    cause: 'Recipients are added to a batch, and a batch is checked and confirmed, only while it is a draft. A batch that is done or canceled does not change any more. The message names its state.',
    fix: '`GET /v1/batches/{id}` shows the batch. To send to other recipients, create another batch.',
  },
  preflight_changed: {
    status: 409, retry: 'changed', charged: 'no',
    means: 'The batch costs another total than the one that was confirmed.',
    cause: 'Since the preflight its recipients or a price changed, or customers stopped messages. Or the batch is confirmed already, with another total. `total` is the current one.',
    fix: 'Check the batch again with `POST /v1/batches/{id}/preflight`. If the new total is right, confirm that one.',
  },
  endpoint_disabled: {
    status: 409, retry: 'changed', charged: 'no',
    means: 'The endpoint is disabled, so nothing is delivered to it.',
    cause: 'It was disabled by hand, failed for five days, or answered 410.',
    fix: 'Enable it with `PATCH /v1/event-endpoints/{id}` and `{"status":"enabled"}`, then repeat the request.',
  },
  too_many_endpoints: {
    status: 409, retry: 'changed', charged: 'no',
    means: 'The workspace has the maximum number of endpoints.',
    cause: 'Endpoints were added and never removed.',
    fix: 'Remove an unused endpoint with `DELETE /v1/event-endpoints/{id}`, then repeat the request.',
  },
  payload_too_large: {
    status: 413, retry: 'changed', charged: 'no',
    means: 'The body has more bytes than the operation accepts.',
    cause: 'A file was embedded in JSON, or a file is larger than its type of message accepts.',
    fix: 'The message names the limit. Send a file as a form, or put its address into `link`.',
  },
  unsupported_media_type: {
    status: 415, retry: 'changed', charged: 'no',
    means: 'The operation does not accept a body of this type, charset or encoding.',
    cause: 'The header `Content-Type` is absent or names another type, or the body is compressed.',
    fix: 'Send the type that the message names, in UTF-8 and uncompressed.',
  },
  range_not_satisfiable: {
    status: 416, retry: 'changed', charged: 'no',
    means: 'The requested range is outside the attachment.',
    cause: 'The range begins after the end of the file.',
    fix: '`Content-Range` contains the size. Request a range within it, or omit `Range`.',
  },
  idempotency_key_reused: {
    status: 422, retry: 'changed', charged: 'no',
    means: 'The Idempotency-Key already belongs to another request.',
    cause: 'In the last 24 hours the same key was used with a different body or operation, or a batch was made with this key and another body at any time.',
    fix: 'Create a new key for each message and each batch, and repeat a request only with its own key and the same body.',
  },
  platform_throttled: {
    status: 429, retry: 'after', charged: 'no',
    means: 'The platform is throttling the sender, the business account or the customer.',
    cause: 'Too many messages were sent in a short time, or too many to one customer. `platform_error` names the limit.',
    fix: 'Repeat the request after `Retry-After`, and wait longer each time it is refused again.',
  },
  pair_limit: {
    status: 429, retry: 'after', charged: 'no',
    means: 'The sender has sent this customer as many messages as it may in a short time.',
    cause: 'The platform accepts one message every 6 seconds from a sender to the same customer, and bursts of up to 45 that use up the time after them. It would refuse this message with 131056.',
    fix: 'Repeat the request after `Retry-After`, with the same Idempotency-Key if it had one. Put several short messages to one customer into one.',
  },
  sender_limit: {
    status: 429, retry: 'after', charged: 'no',
    means: 'The sender sends as many messages a second as it may, or its business account has sent to as many customers in 24 hours as it may.',
    cause: 'All requests through this sender together are faster than the platform accepts from its number, 80 messages a second unless it has another level, or the platform has just refused messages for that. Outside of customer service windows, the platform also limits how many customers the senders of one business portfolio may reach in 24 hours.',
    fix: 'Repeat the request after `Retry-After`, with the same Idempotency-Key if it had one, and send more slowly or through several senders. If `Retry-After` is long, the limit of customers is reached: set `queue` to let messages wait for it, or write to customers who have written within 24 hours.',
  },
  rate_limited: {
    status: 429, retry: 'after', charged: 'no',
    means: 'The gateway received more requests than it accepts from one workspace, key or address.',
    cause: 'A client sends requests in a loop or all at the same time, or reads documents and lists repeatedly.',
    fix: 'Repeat the request after `Retry-After`. Receive events instead of polling lists.',
  },
  internal: {
    status: 500, retry: 'same_key', charged: 'held',
    means: 'The gateway has a defect and did not finish the request.',
    cause: 'Only the log of the gateway contains the cause, under the `X-Request-Id` of the reply.',
    fix: 'Repeat a send only with its own Idempotency-Key: the message may have been sent. Tell the operator the `X-Request-Id`.',
  },
  platform_credentials: {
    status: 502, retry: 'changed', charged: 'no',
    means: 'The platform refuses the sender of the workspace.',
    cause: 'Its access token has expired, was revoked or lacks a permission, or the platform has locked the business account.',
    fix: 'An operator has to check the sender in the dashboard and store a new access token. `postern doctor` shows what the platform answers. Then send the same request again.',
  },
  platform_unreachable: {
    status: 503, retry: 'after', charged: 'no',
    means: 'The platform cannot be reached, or too many sends are waiting for it.',
    cause: 'The network of the gateway or the platform has a fault, or the platform answers slowly.',
    fix: 'Repeat the request after `Retry-After`. Nothing was sent, so a retry cannot send it twice.',
  },
  storage_unavailable: {
    status: 503, retry: 'after', charged: 'no',
    means: 'The database of the gateway cannot be reached.',
    cause: 'It is being restarted or moved, or is overloaded.',
    fix: 'Repeat the request after `Retry-After`. If the error persists, the operator has to check `/health/ready` and the log.',
  },
  message_not_known_yet: {
    status: 503, retry: 'after', charged: 'no',
    means: 'A notification of the platform reports on a message that the gateway does not know yet.',
    cause: 'A send through the same number still waits for its answer, and the status may be about its message.',
    fix: 'No action is needed: the platform delivers the notification again.',
  },
  sender_not_configured: {
    status: 503, retry: 'changed', charged: 'no',
    means: 'The workspace has no sender yet, so it can send nothing.',
    cause: 'No phone number of the platform was connected, or it was removed.',
    fix: 'An operator has to connect one in the dashboard or with `postern sender set`. Then send the same request again.',
  },
  overloaded: {
    status: 503, retry: 'after', charged: 'no',
    means: 'The gateway is already reading as many request bodies as its memory allows.',
    cause: 'Many large requests arrived at the same time.',
    fix: 'Repeat the request after `Retry-After`.',
  },
  outcome_unknown: {
    status: 504, retry: 'same_key', charged: 'held',
    means: 'The platform did not confirm the message. It may or may not have been sent.',
    cause: 'The platform did not answer before the timeout, the connection broke after the message was transmitted, or the platform had an internal error.',
    fix: 'Do not send it again with a new key, or it may be sent twice. Repeat the request with the same Idempotency-Key, or call `GET /v1/messages/{id}` with the id in `Postern-Message`: it shows the outcome once the platform has reported it.',
  },
} as const satisfies Readonly<Record<string, Explanation & { readonly status: number }>>

/** A code of the HTTP contract. */
export type ErrorCode = keyof typeof CODES

export const ERROR_CODES = Object.keys(CODES) as ReadonlyArray<ErrorCode>

/** The codes of temporary refusals; their replies contain the number of seconds to wait. */
export type PassingCode = { readonly [Code in ErrorCode]: (typeof CODES)[Code]['retry'] extends 'after' ? Code : never }[ErrorCode]
