import * as t from 'io-ts'
import type { CustomerMessage } from '../webhooks/customer-message.js'
import type { Signature } from '../webhooks/signature.js'
import type { WebhookTarget } from '../webhooks/delivery.js'
import { isObject, parseJson } from '../json.js'

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
  voice: t.boolean, interactive: t.keyof({ button_reply: null, list_reply: null, nfm_reply: null }), payload: t.string, emoji: t.string, reply_to: t.string,
  forwarded: t.boolean, frequently_forwarded: t.boolean, referral: t.boolean,
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

/** Whether a body is an object without other keys, so that a misspelt one is noticed. */
export const hasOnlyKeys = (body: unknown, keys: string): body is Readonly<Record<string, unknown>> =>
  isObject(body) && Object.keys(body).every((key) => keys.split(' ').includes(key))

export const isCustomerBody = (body: unknown): body is CustomerBody =>
  Customer.is(body) && hasOnlyKeys(body, 'phone_number_id type text at name bsuidOnly standby fields signature times data mime_type filename size voice '
    + 'interactive payload emoji reply_to forwarded frequently_forwarded referral')

/** Whether a body changes a customer and has no keys besides those that the change takes. */
export const isChangeBody = (body: unknown, keys: string): body is ChangeBody => Change.is(body) && hasOnlyKeys(body, keys)

export const isWebhookBody = (body: unknown): body is WebhookTarget & { readonly verify?: boolean } =>
  Webhook.is(body) && hasOnlyKeys(body, 'url appSecret verifyToken verify batch concurrency timeoutMs retryMs retryAtMostMs giveUpMs')

export const isRawBody = (body: unknown): body is RawBody => Raw.is(body) && hasOnlyKeys(body, 'payload signature times')

/** Whether a body is a form, as the page sends it. curl calls every body a form, also JSON; a form never begins with a brace. */
export const isForm = (body: string, contentType: string | undefined): boolean =>
  contentType?.startsWith('application/x-www-form-urlencoded') === true && !body.trimStart().startsWith('{')

/** The body of a control request, JSON or a form; empty fields of a form are left out, and an empty body is an empty object. */
export const readControlBody = (body: string, contentType: string | undefined): unknown =>
  isForm(body, contentType)
    ? Object.fromEntries([...new URLSearchParams(body)].filter(([, value]) => value !== ''))
    : parseJson(body === '' ? '{}' : body)
