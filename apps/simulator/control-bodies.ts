import * as t from 'io-ts'
import type { CustomerMessage } from './inbound.js'
import type { Signature } from './signature.js'
import type { TemplateCategory, TemplateStatus } from './templates.js'
import type { WebhookTarget } from './webhooks.js'
import { isObject, parseJson } from './wire-json.js'

/** How notifications sent on request are delivered: signed how at first, and how many times. */
export type Delivery = { readonly signature?: Signature; readonly times?: number }

/** A customer's message as the control endpoint takes it; `phone_number_id` is the business number it goes to. */
export type CustomerBody = Omit<CustomerMessage, 'at'> & Delivery & {
  readonly phone_number_id?: string
  readonly at?: string | number
}

export type TemplateBody = { readonly language?: string; readonly status?: TemplateStatus; readonly category?: TemplateCategory }

/** A whole notification, to be signed and sent as it is. */
export type RawBody = Delivery & { readonly payload: unknown }

const Times = t.refinement(t.Int, (times) => times >= 1 && times <= 1000)
const Count = t.refinement(t.Int, (count) => count >= 1)
const SignatureCodec = t.keyof({ right: null, wrong: null, missing: null, otherSecret: null, truncated: null })
const HttpUrl = t.refinement(t.string, (url) => URL.canParse(url) && /^https?:/.test(url))
const Moment = t.refinement(t.union([t.string, t.number]), (at) => !Number.isNaN(new Date(at).getTime()))

const Customer = t.partial({
  phone_number_id: t.string, type: t.string, text: t.string, at: Moment, name: t.string, bsuidOnly: t.boolean,
  fields: t.UnknownRecord, signature: SignatureCodec, times: Times,
})

const Webhook = t.intersection([
  t.type({ url: HttpUrl, appSecret: t.string, verifyToken: t.string }),
  t.partial({
    verify: t.boolean, batch: Count, concurrency: Count, timeoutMs: Count, retryMs: Count, retryAtMostMs: Count, giveUpMs: Count,
  }),
])

const TemplateChange = t.partial({
  language: t.string,
  status: t.keyof({ APPROVED: null, PENDING: null, REJECTED: null, PAUSED: null, DISABLED: null }),
  category: t.keyof({ MARKETING: null, UTILITY: null, AUTHENTICATION: null }),
})

const Raw = t.intersection([t.type({ payload: t.UnknownRecord }), t.partial({ signature: SignatureCodec, times: Times })])

// JSON has no undefined, so what a codec takes for optional is absent; and a misspelt key must not go unnoticed.
const exactly = (body: unknown, keys: string): body is Readonly<Record<string, unknown>> =>
  isObject(body) && Object.keys(body).every((key) => keys.split(' ').includes(key))

export const isCustomerBody = (body: unknown): body is CustomerBody =>
  Customer.is(body) && exactly(body, 'phone_number_id type text at name bsuidOnly fields signature times')

export const isWebhookBody = (body: unknown): body is WebhookTarget & { readonly verify?: boolean } =>
  Webhook.is(body) && exactly(body, 'url appSecret verifyToken verify batch concurrency timeoutMs retryMs retryAtMostMs giveUpMs')

export const isTemplateBody = (body: unknown): body is TemplateBody =>
  TemplateChange.is(body) && exactly(body, 'language status category')

export const isRawBody = (body: unknown): body is RawBody => Raw.is(body) && exactly(body, 'payload signature times')

/** What a control request says, as JSON or as a form; fields a person left empty are absent, and so is an empty body. */
export const readControlBody = (body: string, contentType: string | undefined): unknown =>
  contentType?.startsWith('application/x-www-form-urlencoded')
    ? Object.fromEntries([...new URLSearchParams(body)].filter(([, value]) => value !== ''))
    : parseJson(body === '' ? '{}' : body)
