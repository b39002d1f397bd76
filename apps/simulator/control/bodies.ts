import * as t from 'io-ts'
import { isObject, parseJson } from '../http.js'
import { type BusinessNumber, NUMBER_LIMITS, NUMBER_RATINGS, THROUGHPUT_LEVELS } from '../numbers.js'
import { TEMPLATE_STATUSES, type TemplateCategory, type TemplateDefinition } from '../templates/template.js'
import type { TemplateChange } from '../templates/templates.js'
import type { CustomerMessage } from '../webhooks/customer-message.js'
import type { Signature, WebhookTarget } from '../webhooks/delivery.js'

/** How a requested notification is delivered: with which signature at the first attempt, and how many times. */
export type DeliveryBody = { readonly signature?: Signature; readonly times?: number }

/** A customer's message in a control request; `phone_number_id` is the business number that receives it. */
export type CustomerBody = Omit<CustomerMessage, 'at'> & DeliveryBody & {
  readonly phone_number_id?: string
  readonly at?: string | number
}

/** A change of a customer in a control request. */
export type ChangeBody = DeliveryBody & {
  readonly phone_number_id?: string
  readonly at?: string | number
  /** The new phone number. */
  readonly number?: string
  readonly username?: string
}

/** A complete notification that is signed and sent unchanged. */
export type RawBody = DeliveryBody & { readonly payload: unknown }

export const Times = t.refinement(t.Int, (times) => times >= 1 && times <= 1000)
const LARGEST_ATTACHMENT = 256 * 1024 * 1024
/** At least one byte, so that it can be repeated. */
const Base64 = t.refinement(t.string, (text) => /^[A-Za-z0-9+/]{2,}={0,2}$/.test(text))
const Size = t.refinement(t.Int, (size) => size >= 1 && size <= LARGEST_ATTACHMENT)
const Count = t.refinement(t.Int, (count) => count >= 1)
export const SignatureCodec = t.keyof({ right: null, wrong: null, missing: null, otherSecret: null, truncated: null })
const HttpUrl = t.refinement(t.string, (url) => URL.canParse(url) && /^https?:/.test(url))
export const Instant = t.refinement(t.union([t.string, t.number]), (at) => !Number.isNaN(new Date(at).getTime()))

const Customer = t.partial({
  phone_number_id: t.string, type: t.string, text: t.string, at: Instant, name: t.string, bsuidOnly: t.boolean, standby: t.boolean,
  fields: t.UnknownRecord, signature: SignatureCodec, times: Times, data: Base64, mime_type: t.string, filename: t.string, size: Size,
  voice: t.boolean, interactive: t.keyof({ button_reply: null, list_reply: null, nfm_reply: null }), payload: t.string, emoji: t.string,
  reply_to: t.string, forwarded: t.boolean, frequently_forwarded: t.boolean, referral: t.boolean,
})

const Change = t.partial({
  phone_number_id: t.string, at: Instant, number: t.string, username: t.string, signature: SignatureCodec, times: Times,
})

const Webhook = t.intersection([
  t.type({ url: HttpUrl, appSecret: t.string, verifyToken: t.string }),
  t.partial({
    verify: t.boolean, batch: Count, concurrency: Count, timeoutMs: Count, retryMs: Count, retryAtMostMs: Count, giveUpMs: Count,
  }),
])

const Raw = t.intersection([t.type({ payload: t.UnknownRecord }), t.partial({ signature: SignatureCodec, times: Times })])

/** Whether a body is an object without other keys, so that a misspelt key is noticed. */
export const hasOnlyKeys = (body: unknown, keys: string): body is Readonly<Record<string, unknown>> =>
  isObject(body) && Object.keys(body).every((key) => keys.split(' ').includes(key))

export const isCustomerBody = (body: unknown): body is CustomerBody =>
  Customer.is(body) && hasOnlyKeys(body, 'phone_number_id type text at name bsuidOnly standby fields signature times data mime_type filename size voice '
    + 'interactive payload emoji reply_to forwarded frequently_forwarded referral')

/** Whether a body changes a customer and has only keys that the change accepts. */
export const isChangeBody = (body: unknown, keys: string): body is ChangeBody => Change.is(body) && hasOnlyKeys(body, keys)

export const isWebhookBody = (body: unknown): body is WebhookTarget & { readonly verify?: boolean } =>
  Webhook.is(body) && hasOnlyKeys(body, 'url appSecret verifyToken verify batch concurrency timeoutMs retryMs retryAtMostMs giveUpMs')

export const isRawBody = (body: unknown): body is RawBody => Raw.is(body) && hasOnlyKeys(body, 'payload signature times')

/** Whether a body is a form, as the page sends it. curl declares every body as a form, even JSON; a form never begins with a brace. */
export const isForm = (body: string, contentType: string | undefined): boolean =>
  contentType?.startsWith('application/x-www-form-urlencoded') === true && !body.trimStart().startsWith('{')

/** The body of a control request, JSON or a form; empty fields of a form are omitted, and an empty body is an empty object. */
export const readControlBody = (body: string, contentType: string | undefined): unknown =>
  isForm(body, contentType)
    ? Object.fromEntries([...new URLSearchParams(body)].filter(([, value]) => value !== ''))
    : parseJson(body === '' ? '{}' : body)

/** How a change of a template is reported: not at all, or with a timestamp other than now. */
export type NoticeBody = DeliveryBody & { readonly notify?: boolean; readonly at?: string | number; readonly reason?: string }

export type AddedTemplateBody = TemplateDefinition & NoticeBody
export type ChangedTemplateBody = TemplateChange & NoticeBody & { readonly language?: string; readonly correct_category?: TemplateCategory }

const Notice = { notify: t.boolean, at: Instant, reason: t.string, signature: SignatureCodec, times: Times }
const Status = t.refinement(t.string, (status) => TEMPLATE_STATUSES.some((known) => known === status))
const Category = t.keyof({ MARKETING: null, UTILITY: null, AUTHENTICATION: null })
const Quality = t.keyof({ GREEN: null, YELLOW: null, RED: null, UNKNOWN: null })

const Button = t.union([
  t.type({ type: t.literal('URL'), text: t.string, url: t.string }),
  t.type({ type: t.literal('OTP'), text: t.string, otp_type: t.string }),
  t.type({ type: t.literal('PHONE_NUMBER'), text: t.string, phone_number: t.string }),
  t.type({ type: t.keyof({ QUICK_REPLY: null, COPY_CODE: null, CATALOG: null, MPM: null }), text: t.string }),
  t.type({ type: t.literal('FLOW'), text: t.string, flow_id: t.union([t.string, t.number]) }),
])
const Flat = t.union([
  t.type({ type: t.literal('HEADER'), format: t.literal('TEXT'), text: t.string }),
  t.type({ type: t.literal('HEADER'), format: t.keyof({ IMAGE: null, VIDEO: null, DOCUMENT: null, GIF: null, LOCATION: null }) }),
  t.type({ type: t.keyof({ BODY: null, FOOTER: null }), text: t.string }),
  t.type({ type: t.literal('BUTTONS'), buttons: t.array(Button) }),
  t.type({
    type: t.literal('LIMITED_TIME_OFFER'),
    limited_time_offer: t.intersection([t.type({ text: t.string }), t.partial({ has_expiration: t.boolean })]),
  }),
])
const Component = t.union([Flat, t.type({ type: t.literal('CAROUSEL'), cards: t.array(t.type({ components: t.array(Flat) })) })])

const Added = t.intersection([
  t.type({ name: t.string, language: t.string, category: Category, components: t.array(Component) }),
  t.partial({
    ...Notice, status: Status, quality: Quality, parameter_format: t.keyof({ POSITIONAL: null, NAMED: null }), rejected_reason: t.string,
  }),
])
const Changed = t.partial({
  ...Notice, language: t.string, status: Status, category: Category, quality: Quality, rejected_reason: t.string,
  correct_category: Category, listed: t.UnknownRecord,
})

const NOTICE_KEYS = 'notify at reason signature times'

export const isAddedTemplateBody = (body: unknown): body is AddedTemplateBody =>
  Added.is(body) && hasOnlyKeys(body, `name language category components status quality parameter_format rejected_reason ${NOTICE_KEYS}`)

export const isChangedTemplateBody = (body: unknown): body is ChangedTemplateBody =>
  Changed.is(body) && hasOnlyKeys(body, `language status category quality rejected_reason correct_category listed ${NOTICE_KEYS}`)

/** A change of a business number in a control request; the id may be in the path or in the body. */
export type NumberBody = Partial<BusinessNumber> & Omit<NoticeBody, 'reason'> & { readonly phone_number_id?: string }

const oneOf = <Word extends string>(words: ReadonlyArray<Word>): t.Type<Word> => new t.Type<Word>(
  'Word', (value): value is Word => words.some((word) => word === value),
  (value, context) => {
    const found = words.find((word) => word === value)
    return found === undefined ? t.failure(value, context) : t.success(found)
  }, t.identity,
)

const ChangedNumber = t.partial({
  phone_number_id: t.string, quality: oneOf(NUMBER_RATINGS), limit: oneOf(NUMBER_LIMITS), throughput: oneOf(THROUGHPUT_LEVELS),
  isOnBizApp: t.boolean, notify: t.boolean, at: Instant, signature: SignatureCodec, times: Times,
})

export const isNumberBody = (body: unknown): body is NumberBody =>
  ChangedNumber.is(body) && hasOnlyKeys(body, 'phone_number_id quality limit throughput isOnBizApp notify at signature times')
