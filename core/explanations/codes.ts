import type { Explanation } from './explanation.js'

/** The codes of the HTTP contract, each with its status and its explanation. A refusal with a code that is not here does not compile. */
export const CODES = {
  missing_parameters: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'Required parameters are absent or empty.',
    cause: 'A field is misspelt, its value is empty, or the body came under a Content-Type that it is not: curl sends JSON as a form unless the header says `application/json`.',
    cure: 'Send every parameter that the message names. `/docs` has the fields of each operation.',
  },
  invalid_parameter: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'A parameter has the wrong type, length or form.',
    cause: 'A number was sent where a string is needed, a text is too long, or a date, an address or an id has another form.',
    cure: 'The message names the parameter and its rule. Correct it, and send the request again.',
  },
  invalid_phone_number: {
    status: 400, retry: 'changed', charged: 'no',
    means: '`to` is no phone number with its country code and no user id of the platform.',
    cause: 'The country code is missing, the number begins with 0 or 00, it has a `(0)` that is dialled only within the country, or it has signs that this operation does not take: `send-text` takes digits only.',
    cure: 'Send 7 to 15 digits that begin with the country code, such as `4915123456789`, or a user id such as `DE.13491208655302741918`. An authentication template needs a phone number.',
  },
  malformed_body: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'The body does not read as what its Content-Type says it is.',
    cause: 'JSON that was put together by hand has a comma or a quotation mark too few or too many, a form is incomplete, or the text is not UTF-8.',
    cure: 'The message says where the reading of JSON stopped: the fault is there or just before. Have a library write the JSON.',
  },
  content_invalid: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'The content breaks limits of its type, and the platform would refuse it.',
    cause: 'A title is too long, a list has too many rows, a required field is absent, or an address is not http or https.',
    cure: '`errors` lists each field with its rule and what came. Correct them all, and send the request again.',
  },
  media_invalid: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'The file is empty, too large, not of its type, or did not arrive whole.',
    cause: 'The first bytes of the file show another type than the one it was sent under, or the type of message takes smaller files.',
    cure: 'The message says what is wrong with the file. Convert it or make it smaller, and send it under its own type.',
  },
  window_closed: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'The customer service window is closed, and only templates may be sent then.',
    cause: 'The customer wrote more than 24 hours ago, or never. The message says when the window closed.',
    cure: 'Send an approved template with `POST /v1/messages/send-template`, or wait until the customer writes: that opens the window for 24 hours. `GET /v1/windows/{to}` shows it.',
  },
  template_not_found: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'The business account has no approved template of this name in this language.',
    cause: 'The name or the language is misspelt (`en` is not `en_US`), or the template is in another business account.',
    cure: 'Send one of the languages or names that the message offers. `GET /v1/templates` lists all of them.',
  },
  template_not_approved: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'The template exists, and the platform does not send it in the state it is in.',
    cause: 'It is still being reviewed, was rejected, or was paused or disabled after complaints. The message names the state.',
    cure: 'Send another template, or this one in a language in which it is approved; or wait until the platform has approved it.',
  },
  template_parameters: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'The components do not fill the placeholders of the template.',
    cause: 'Too many or too few parameters came, or one of another type; perhaps the template was changed.',
    cure: '`expected` lists what fills the template. Send a parameter for each entry, in that order.',
  },
  customer_opted_out: {
    status: 400, retry: 'never', charged: 'no',
    means: 'The customer has stopped marketing messages.',
    cause: 'The template is of the category marketing, and the customer chose in the app to get no more of them from this business.',
    cure: 'Do not send marketing templates to this customer. Utility templates, and answers while the window is open, still go.',
  },
  platform_rejected: {
    status: 400, retry: 'changed', charged: 'no',
    means: 'The platform refused the message or the request.',
    cause: '`platform_error` is the platform’s own error. Its `code` has a page of its own below `/errors/platform/`.',
    cure: 'Do what the page of that number says. The same request would be refused again.',
  },
  unauthenticated: {
    status: 401, retry: 'changed', charged: 'no',
    means: 'The request has no API key that works.',
    cause: 'The key is missing, in a place where it is not read, cut off, of another gateway, expired or revoked. A webhook of the platform gets this answer if its signature is not right.',
    cure: 'Send the key as the header `Authorization: Bearer pst_…`. If it is lost or revoked, make a new one in the dashboard or with `postern key mint`.',
  },
  insufficient_balance: {
    status: 402, retry: 'changed', charged: 'no',
    means: 'The wallet of the workspace cannot cover the price of the message.',
    cause: '`required` is more than `available`. What is `held` belongs to messages that are on their way.',
    cure: 'Add at least `shortfall` to the wallet: an operator does it in the dashboard or with `postern wallet top-up`. Then send the same request again, with the same Idempotency-Key if it had one.',
  },
  spending_limit_reached: {
    status: 402, retry: 'after', charged: 'no',
    means: 'The API key has spent what it may spend in a day.',
    cause: 'The key has a daily limit, and this message would pass it. Days begin at midnight UTC.',
    cure: 'Wait until `resets_at`, or send with a key that has a higher limit.',
  },
  forbidden: {
    status: 403, retry: 'changed', charged: 'no',
    means: 'The API key is valid, and may not do this.',
    cause: 'The key lacks the scope that the message names, or its workspace is archived.',
    cure: 'Use a key with that scope: the dashboard and `postern key mint --scopes` make one. `GET /v1/key` shows the scopes of a key.',
  },
  not_found: {
    status: 404, retry: 'changed', charged: 'no',
    means: 'There is nothing at the address, or the workspace has nothing with this id.',
    cause: 'The address is mistyped, the id belongs to another workspace, or what it names is no longer kept.',
    cure: 'Compare the address with `/docs`, and the id with the list that it is from. An id in an address is URL-encoded.',
  },
  method_not_allowed: {
    status: 405, retry: 'changed', charged: 'no',
    means: 'The address does not take this method.',
    cause: 'A POST was sent as GET, often by a redirect from http to https.',
    cure: 'Use a method that `Allow` has, and the https address itself.',
  },
  request_timeout: {
    status: 408, retry: 'after', charged: 'no',
    means: 'The request did not arrive in time, and the connection was closed.',
    cause: 'The network was slow or broke, or `Content-Length` is larger than what was sent.',
    cure: 'Send the request again. If it happens each time, compare `Content-Length` with the body.',
  },
  idempotency_in_progress: {
    status: 409, retry: 'same_key', charged: 'no',
    means: 'Another request with this Idempotency-Key is being worked on.',
    cause: 'The request was repeated before the first one was answered.',
    cure: 'Repeat it with the same key after `Retry-After`. The answer is then that of the first request, and nothing is sent twice.',
  },
  endpoint_disabled: {
    status: 409, retry: 'changed', charged: 'no',
    means: 'The endpoint is disabled, so nothing is delivered to it.',
    cause: 'Someone disabled it, it failed for five days, or it answered 410.',
    cure: 'Enable it with `PATCH /v1/event-endpoints/{id}` and `{"status":"enabled"}`, and repeat the request.',
  },
  too_many_endpoints: {
    status: 409, retry: 'changed', charged: 'no',
    means: 'The workspace has as many endpoints as it can have.',
    cause: 'Endpoints were added and never removed.',
    cure: 'Remove one that is not used with `DELETE /v1/event-endpoints/{id}`, and repeat the request.',
  },
  payload_too_large: {
    status: 413, retry: 'changed', charged: 'no',
    means: 'The body has more bytes than the operation takes.',
    cause: 'A file was put into JSON, or a file is larger than its type of message takes.',
    cure: 'The message says how many bytes are taken. Send a file as a form, or name its address in `link`.',
  },
  unsupported_media_type: {
    status: 415, retry: 'changed', charged: 'no',
    means: 'The operation does not take a body of this type, charset or encoding.',
    cause: 'The header `Content-Type` is absent or of another type, or the body is compressed.',
    cure: 'Send the type that the message names, in UTF-8 and not compressed.',
  },
  range_not_satisfiable: {
    status: 416, retry: 'changed', charged: 'no',
    means: 'The attachment has no byte of the range that was asked for.',
    cause: 'The range begins after the end of the file.',
    cure: '`Content-Range` has the size. Ask for a range within it, or without `Range`.',
  },
  idempotency_key_reused: {
    status: 422, retry: 'changed', charged: 'no',
    means: 'The Idempotency-Key already stands for another request.',
    cause: 'The same key came with another body or to another operation in the last 24 hours.',
    cure: 'Make a new key for each message, and repeat a request only with its own key and the same body.',
  },
  platform_throttled: {
    status: 429, retry: 'after', charged: 'no',
    means: 'The platform is throttling the sender, the business account or the customer.',
    cause: 'Too many messages went out in a short time, or too many to one customer. `platform_error` says which limit it was.',
    cure: 'Repeat the request after `Retry-After`, and wait longer each time it is refused again.',
  },
  rate_limited: {
    status: 429, retry: 'after', charged: 'no',
    means: 'More requests came than this gateway takes from one workspace, key or address.',
    cause: 'Requests are made in a loop or all at once, or documents and lists are read again and again.',
    cure: 'Repeat the request after `Retry-After`. Receive events instead of asking for lists.',
  },
  internal: {
    status: 500, retry: 'same_key', charged: 'held',
    means: 'The gateway has a defect, and did not finish the request.',
    cause: 'Only the log of the gateway says it, under the `X-Request-Id` of the reply.',
    cure: 'Repeat a send only with the Idempotency-Key that it had: the message may have gone. Tell the operator the `X-Request-Id`.',
  },
  platform_credentials: {
    status: 502, retry: 'changed', charged: 'no',
    means: 'The platform refuses the sender of the workspace.',
    cause: 'Its access token has expired, was revoked or lacks a permission, or the platform has locked the business account.',
    cure: 'An operator has to look at the sender in the dashboard and store a new access token. `postern doctor` says what the platform answers. Then send the same request again.',
  },
  platform_unreachable: {
    status: 503, retry: 'after', charged: 'no',
    means: 'The platform cannot be reached, or too many sends are waiting for it.',
    cause: 'The network of the gateway or the platform has a fault, or the platform answers slowly.',
    cure: 'Repeat the request after `Retry-After`. Nothing was sent, so nothing goes twice.',
  },
  storage_unavailable: {
    status: 503, retry: 'after', charged: 'no',
    means: 'The database of the gateway cannot be reached.',
    cause: 'It is being restarted or moved, or is overloaded.',
    cure: 'Repeat the request after `Retry-After`. If it lasts, the operator looks at `/health/ready` and at the log.',
  },
  message_not_known_yet: {
    status: 503, retry: 'after', charged: 'no',
    means: 'A notification of the platform reports on a message that the gateway does not know yet.',
    cause: 'A send through the same number waits for its answer, and the status may be about its message.',
    cure: 'The platform delivers the notification again. Nothing has to be done.',
  },
  sender_not_configured: {
    status: 503, retry: 'changed', charged: 'no',
    means: 'The workspace has no sender yet, so it can send nothing.',
    cause: 'No phone number of the platform was connected, or it was removed.',
    cure: 'An operator connects one in the dashboard or with `postern sender set`. Then send the same request again.',
  },
  overloaded: {
    status: 503, retry: 'after', charged: 'no',
    means: 'The gateway is reading as many bodies as its memory allows.',
    cause: 'Many large requests came at once.',
    cure: 'Repeat the request after `Retry-After`.',
  },
  outcome_unknown: {
    status: 504, retry: 'same_key', charged: 'held',
    means: 'The platform did not confirm the message, which may or may not have gone.',
    cause: 'The platform did not answer in time, the connection broke after the message was handed over, or the platform had a fault of its own.',
    cure: 'Do not send it again under a new key, or it may go twice. Repeat the request with the same Idempotency-Key, or ask `GET /v1/messages/{id}` with the id in `Postern-Message`: it shows the outcome once the platform has reported it.',
  },
} as const satisfies Readonly<Record<string, Explanation & { readonly status: number }>>

/** A code of the HTTP contract. */
export type ErrorCode = keyof typeof CODES

export const ERROR_CODES = Object.keys(CODES) as ReadonlyArray<ErrorCode>

/** The codes of refusals that end by themselves; their replies say after how many seconds. */
export type PassingCode = { readonly [Code in ErrorCode]: (typeof CODES)[Code]['retry'] extends 'after' ? Code : never }[ErrorCode]
