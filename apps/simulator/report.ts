import { userIdOf } from './customer-identity.js'
import { statusError } from './graph-error.js'
import { inboundUpdate, type CustomerMessage } from './inbound.js'
import type { Post, Step } from './plan.js'
import type { Template } from './templates.js'
import type { Update } from './updates.js'
import type { Dispatch } from './webhooks.js'
import { conversationOf, type World } from './world.js'

/** A message the platform took on. */
export type Accepted = {
  readonly wamid: string
  readonly waId: string
  readonly phoneNumberId: string
  readonly callback: string | undefined
  /** Undefined for a text. */
  readonly template: Template | undefined
}

type Pricing = { readonly billable: boolean; readonly pricing_model: 'PMP'; readonly type: string; readonly category: string }

/** Schedules all that will be reported on an accepted message; `onFirst` is called once the first attempt to report is over. */
export const reportAll = (world: World, message: Accepted, plan: ReadonlyArray<Post>, onFirst?: () => void): void => {
  const pricing = pricingOf(world, message)
  plan.forEach((post, index) => {
    const dispatch: Dispatch = {
      afterMs: post.afterMs,
      ...(post.signature && { signature: post.signature }),
      ...(index === 0 && onFirst && { onAttempt: onFirst }),
    }
    const extras = (post.withInbound ? 1 : 0) + (post.pausesTemplate ? 1 : 0)
    world.webhooks.send(1 + extras, () => updatesOf(world, message, post, pricing), dispatch)
  })
}

/** Plays a customer: reports the message and starts the customer service window; gives the message's id. */
export const reportInbound = (
  world: World, phoneNumberId: string, waId: string, message: CustomerMessage, dispatch: Dispatch = {},
): string => {
  const { wamid, update } = inboundUpdate(phoneNumberId, waId, message)
  markWindow(world, phoneNumberId, waId, message)
  world.webhooks.send(1, () => [update], dispatch)
  return wamid
}

/** What is reported when a template changes: its status, its category, or both. */
export const templateUpdates = (before: Template, now: Template): ReadonlyArray<Update> => {
  const named = { message_template_id: Number(now.id), message_template_name: now.name, message_template_language: now.language }
  return [
    ...(now.status === before.status ? [] : [{
      field: 'message_template_status_update', phoneNumberId: undefined,
      value: { event: now.status, ...named, reason: 'NONE', message_template_category: now.category },
    }]),
    ...(now.category === before.category ? [] : [{
      field: 'template_category_update', phoneNumberId: undefined,
      value: { ...named, previous_category: before.category, new_category: now.category },
    }]),
  ]
}

const NOT_WRITING = ['system', 'reaction', 'edit', 'revoke']

const markWindow = (
  { lastInbound }: World, phoneNumberId: string, waId: string, { type = 'text', at = Date.now() }: CustomerMessage,
): void => {
  const conversation = conversationOf(phoneNumberId, waId)
  if (!NOT_WRITING.includes(type)) lastInbound.set(conversation, Math.max(at, lastInbound.get(conversation) ?? 0))
}

const updatesOf = (world: World, message: Accepted, post: Post, pricing: Pricing): ReadonlyArray<Update> => {
  post.steps.forEach(({ status }) => world.journal.reported(message.wamid, status))
  const { phoneNumberId, waId } = message
  const statuses = post.steps.map((step) => statusItem(world, message, step, pricing))
  const anonymous = post.steps.some(({ bsuidOnly }) => bsuidOnly)
  // A notification of a failure names no contacts.
  const contacts = post.steps.some(({ error }) => error) ? [] : [{ ...(!anonymous && { wa_id: waId }), user_id: userIdOf(waId) }]
  return [
    { field: 'messages', phoneNumberId, value: { ...(contacts.length > 0 && { contacts }), statuses } },
    ...(post.withInbound ? [writtenMeanwhile(world, message)] : []),
    ...(post.pausesTemplate ? pausedTemplate(world, message) : []),
  ]
}

const writtenMeanwhile = (world: World, { phoneNumberId, waId }: Accepted): Update => {
  markWindow(world, phoneNumberId, waId, {})
  return inboundUpdate(phoneNumberId, waId, { text: 'Thank you!' }).update
}

const pausedTemplate = ({ templates }: World, { template }: Accepted): ReadonlyArray<Update> =>
  template === undefined ? [] : templates.change(template.name, template.language, { status: 'PAUSED' })
    .flatMap((now) => templateUpdates({ ...now, status: 'APPROVED' }, now))

const statusItem = (world: World, { wamid, waId, callback }: Accepted, step: Step, pricing: Pricing) => ({
  id: wamid,
  status: step.status,
  timestamp: String(Math.floor(Date.now() / 1000)),
  ...(!step.bsuidOnly && { recipient_id: waId }),
  ...(!step.error && { recipient_user_id: userIdOf(waId) }),
  ...(callback !== undefined && echoes(world, step) && { biz_opaque_callback_data: callback }),
  ...(step.priced && { pricing: step.otherCategory ? { ...pricing, category: otherThan(pricing.category) } : pricing }),
  ...(step.error && { errors: [statusError(step.error)] }),
  ...(step.unknownKeys && { recipient_logical_id: '1', internal_1p_only_data: { nested: [{}] }, type: 'message' }),
})

const otherThan = (category: string): string => (category === 'marketing' ? 'utility' : 'marketing')

const echoes = (world: World, { error, withoutCallback }: Step): boolean =>
  !withoutCallback && (!error || world.settings().callbackOnFailed)

/** The free tier counts texts per business number. How the platform reports those within it is unconfirmed; this is a guess. */
const pricingOf = ({ pricedTexts, settings }: World, { phoneNumberId, template }: Accepted): Pricing => {
  if (template !== undefined) {
    return { billable: true, pricing_model: 'PMP', type: 'regular', category: template.category.toLowerCase() }
  }
  const before = pricedTexts.get(phoneNumberId) ?? 0
  pricedTexts.set(phoneNumberId, before + 1)
  const isFree = before < settings().freeTier
  return { billable: !isFree, pricing_model: 'PMP', type: isFree ? 'free_customer_service' : 'regular', category: 'service' }
}
