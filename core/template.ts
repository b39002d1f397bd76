import type { JsonObject } from './json.js'
import type { Instant } from './time.js'

/**
 * A template as the platform lists it: <https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account/message_templates>.
 *
 * A name may exist in several languages, each of which is a template of its own.
 */
export type Template = {
  /** The platform's id. */
  readonly id: string
  readonly name: string
  readonly language: string
  /** The platform's word in lower case, such as `marketing`; `CATEGORIES` are the ones that a rate card can have. */
  readonly category: string
  /** The platform's word in lower case, such as `approved` or `paused`. */
  readonly status: string
  /** The platform's word in lower case: `green`, `yellow`, `red` or `unknown`; `undefined` where it says nothing. */
  readonly quality: string | undefined
  /** How the variables of its texts are named; `undefined` where the platform says nothing that is known. */
  readonly parameterFormat: 'positional' | 'named' | undefined
  /** As the platform has them; `undefined` where they could not be read, so that nothing can be said of what fills them. */
  readonly components: ReadonlyArray<JsonObject> | undefined
}

/** Whether the platform sends a template. */
export const isApproved = ({ status }: Pick<Template, 'status'>): boolean => status === 'approved'

/** The states in which the platform sends no template. */
const NOT_SENT = ['pending', 'rejected', 'paused', 'disabled', 'in_appeal', 'limit_exceeded', 'archived', 'pending_deletion', 'deleted']

/** Whether the platform may send a template: it may in a state that is not known here. */
export const isSendable = ({ status }: Pick<Template, 'status'>): boolean => !NOT_SENT.includes(status)

/** A template in the catalogue, with the moment of each part that the platform can change by itself. */
export type TemplateRecord = Template & {
  /** When the platform last listed it. */
  readonly listedAt: Instant
  readonly statusAt: Instant
  readonly categoryAt: Instant
  readonly qualityAt: Instant
}

/** What of a template the platform changes by itself. */
export type ChangedPart = { readonly status: string } | { readonly category: string } | { readonly quality: string }

/** What the platform reports of one template between two readings of its list. */
export type TemplateChange = { readonly name: string; readonly language: string; readonly at: Instant } & ChangedPart

/** A template of the catalogue before and after a write. */
export type TemplateDiff = { readonly before: TemplateRecord; readonly after: TemplateRecord }

/** Whether the platform has changed its status, its category or its quality. */
export const hasChanged = ({ before, after }: TemplateDiff): boolean =>
  before.status !== after.status || before.category !== after.category || before.quality !== after.quality

/** A record after the platform has listed the template at a moment: what was said of it later than that stays. */
export const listedTemplate = (before: TemplateRecord | undefined, listed: Template, at: Instant): TemplateRecord => {
  if (before === undefined) return { ...listed, listedAt: at, statusAt: at, categoryAt: at, qualityAt: at }
  const after = at >= before.listedAt ? { ...before, ...listed, listedAt: at } : before
  return {
    ...after,
    ...(at >= before.statusAt ? { status: listed.status, statusAt: at } : { status: before.status }),
    ...(at >= before.categoryAt ? { category: listed.category, categoryAt: at } : { category: before.category }),
    ...(at >= before.qualityAt ? { quality: listed.quality, qualityAt: at } : { quality: before.quality }),
  }
}

/** A record after a change; one that is older than what is known changes nothing. */
export const changedTemplate = (before: TemplateRecord, change: TemplateChange): TemplateRecord => {
  const { at } = change
  if ('status' in change) return at >= before.statusAt ? { ...before, status: change.status, statusAt: at } : before
  if ('category' in change) return at >= before.categoryAt ? { ...before, category: change.category, categoryAt: at } : before
  return at >= before.qualityAt ? { ...before, quality: change.quality, qualityAt: at } : before
}

/** Whether a template that the platform's whole list, read at a moment, does not have is gone: it is, unless it was listed after that. */
export const isGone = ({ listedAt }: Pick<TemplateRecord, 'listedAt'>, at: Instant): boolean => listedAt <= at

/**
 * Whether a catalogue keeps a template: the platform's names have at most 512 characters, and its languages at most 64. A NUL and half of a surrogate
 * pair are no characters that every database stores.
 */
export const isCatalogued = ({ name, language }: Pick<Template, 'name' | 'language'>): boolean => NAME.test(name) && LANGUAGE.test(language)

const NAME = /^[^\0\p{Surrogate}]{1,512}$/u
const LANGUAGE = /^[^\0\p{Surrogate}]{1,64}$/u
