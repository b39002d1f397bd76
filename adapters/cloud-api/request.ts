import type { Sender, TemplateAccount } from '../../core/kernel/sender.js'
import type { ByteRange, ReadMark, WantedMedia } from '../../core/messages/conversation.js'
import type { DownloadAddress } from './download-address.js'
import type { BodyLimits, DownloadRequest, HttpRequest } from './transport.js'

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

/**
 * Makes the calls that ask where an attachment is. With `phone_number_id` the platform answers only for an attachment that this number received:
 * <https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media#get-media-url>.
 */
export const makeMediaRequest = (endpoint: Endpoint): ((wanted: Pick<WantedMedia, 'sender' | 'id'>) => HttpRequest) => {
  const { origin, prefix } = baseOf(endpoint)
  return ({ sender, id }) => ({
    method: 'GET',
    origin,
    path: `${prefix}/${encodeURIComponent(id)}?phone_number_id=${encodeURIComponent(sender.phoneNumberId)}`,
    headers: headersOf(sender),
    timeoutMs: endpoint.timeoutMs,
  })
}

/** Makes the calls that download an attachment, from an address that may get the token. */
export const makeDownloadRequest =
  ({ timeoutMs }: Pick<Endpoint, 'timeoutMs'>, limits: BodyLimits) =>
  ({ sender, range }: Pick<WantedMedia, 'sender' | 'range'>, { origin, path }: DownloadAddress): DownloadRequest => ({
    origin,
    path,
    headers: { ...headersOf(sender), accept: '*/*', ...(range !== undefined && { range: rangeOf(range) }) },
    timeoutMs,
    ...limits,
  })

const rangeOf = (range: ByteRange): string => ('lastBytes' in range ? `bytes=-${range.lastBytes}` : `bytes=${range.first}-${range.last ?? ''}`)

/** Makes the call that reads a sender's own name, which succeeds only with a valid token for an existing number. */
export const makeSenderRequest = (endpoint: Endpoint, fields: ReadonlyArray<string> = ['verified_name']): ((sender: Sender) => HttpRequest) => {
  const { origin, prefix } = baseOf(endpoint)
  return (sender) => ({
    method: 'GET',
    origin,
    path: `${prefix}/${encodeURIComponent(sender.phoneNumberId)}?fields=${fields.join(',')}`,
    headers: headersOf(sender),
    timeoutMs: endpoint.timeoutMs,
  })
}

/** One page of the templates of an account, of all names or of one; `after` is the cursor of the page before. */
export type TemplatesQuery = { readonly account: TemplateAccount; readonly name: string | undefined; readonly after: string | undefined }

/** How many templates a page has. */
const TEMPLATES_A_PAGE = 100

/** The longest page that is read, in bytes; a hundred of the platform's largest templates, carousels of ten cards, have six million. */
const MAX_PAGE_BYTES = 8 * 1_048_576

const TEMPLATE_FIELDS = 'id,name,language,status,category,components,parameter_format,quality_score'

/** Makes the call that reads a page of an account's templates. Each page is asked for at our own address, so that the token goes nowhere else. */
export const makeTemplatesRequest = (endpoint: Endpoint): ((query: TemplatesQuery, timeoutMs: number) => HttpRequest) => {
  const { origin, prefix } = baseOf(endpoint)
  return ({ account, name, after }, timeoutMs) => {
    const query = new URLSearchParams({
      fields: TEMPLATE_FIELDS, limit: String(TEMPLATES_A_PAGE), ...(name !== undefined && { name }), ...(after !== undefined && { after }),
    })
    return {
      method: 'GET',
      origin,
      path: `${prefix}/${encodeURIComponent(account.businessAccountId)}/message_templates?${query.toString()}`,
      headers: headersOf(account),
      timeoutMs,
      maxAnswerBytes: MAX_PAGE_BYTES,
    }
  }
}

/** The headers of every call. */
export const headersOf = ({ accessToken }: Pick<Sender, 'accessToken'>): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${accessToken}`,
  accept: 'application/json',
  'user-agent': 'postern',
})
