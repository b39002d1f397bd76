import * as t from 'io-ts'
import { TEMPLATE_STATUSES, type TemplateCategory, type TemplateDefinition } from '../templates/template.js'
import type { TemplateChange } from '../templates/templates.js'
import { hasOnlyKeys, Instant, SignatureCodec, Times, type DeliveryBody } from './bodies.js'

/** How a change of a template is reported: not at all, or as of another moment than now. */
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
  t.partial({ ...Notice, status: Status, quality: Quality, parameter_format: t.keyof({ POSITIONAL: null, NAMED: null }), rejected_reason: t.string }),
])
const Changed = t.partial({
  ...Notice, language: t.string, status: Status, category: Category, quality: Quality, rejected_reason: t.string, correct_category: Category,
  listed: t.UnknownRecord,
})

const NOTICE_KEYS = 'notify at reason signature times'

export const isAddedTemplateBody = (body: unknown): body is AddedTemplateBody =>
  Added.is(body) && hasOnlyKeys(body, `name language category components status quality parameter_format rejected_reason ${NOTICE_KEYS}`)

export const isChangedTemplateBody = (body: unknown): body is ChangedTemplateBody =>
  Changed.is(body) && hasOnlyKeys(body, `language status category quality rejected_reason correct_category listed ${NOTICE_KEYS}`)
