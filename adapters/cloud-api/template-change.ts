import type { TemplateChanged } from '../../core/reports/account.js'
import { type ChangedPart, isCatalogued } from '../../core/templates/template.js'
import { wordOf } from './template-item.js'
import { propertyOf } from './unknown-json.js'

/** The fields of notifications that are about a template. */
export const TEMPLATE_FIELDS = [
  'message_template_status_update', 'message_template_quality_update', 'template_category_update', 'message_template_components_update',
] as const

/** A field of notifications that is about a template. */
export type TemplateField = (typeof TEMPLATE_FIELDS)[number]

/** What a notification says that a template is now; `undefined` where only the platform's list says it, as of components. */
export const readTemplateChange = (field: TemplateField, value: unknown): TemplateChanged['change'] => {
  const [name, written] = [propertyOf(value, 'message_template_name'), propertyOf(value, 'message_template_language')]
  if (typeof name !== 'string' || typeof written !== 'string') return undefined
  // The platform's list has `en_US` where some notifications have `en-US`.
  const template = { name, language: written.replaceAll('-', '_') }
  const part = partOf(field, value)
  return part === undefined || !isCatalogued(template) ? undefined : { ...template, ...part }
}

const partOf = (field: TemplateField, value: unknown): ChangedPart | undefined => {
  switch (field) {
    case 'message_template_status_update': return ifSaid(STATUS_OF_EVENT.get(propertyOf(value, 'event')), (status) => ({ status }))
    case 'message_template_quality_update': return ifSaid(wordOf(propertyOf(value, 'new_quality_score')), (quality) => ({ quality }))
    // This is the category that the template has now, also where `correct_category` announces another one.
    case 'template_category_update': return ifSaid(wordOf(propertyOf(value, 'new_category')), (category) => ({ category }))
    case 'message_template_components_update': return undefined
  }
}

const ifSaid = (word: string | undefined, part: (word: string) => ChangedPart): ChangedPart | undefined => (word === undefined ? undefined : part(word))

/**
 * The events that say what the status of the template is now:
 * <https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/message_template_status_update/>.
 *
 * Others do not: a template that is flagged is still sent, one that is locked cannot be edited, one that is unarchived has the status that it had
 * before, and a limit is one of the account.
 */
const STATUS_OF_EVENT: ReadonlyMap<unknown, string> = new Map([
  ['APPROVED', 'approved'], ['REINSTATED', 'approved'], ['PENDING', 'pending'], ['IN_APPEAL', 'in_appeal'], ['REJECTED', 'rejected'], ['PAUSED', 'paused'],
  ['DISABLED', 'disabled'], ['ARCHIVED', 'archived'], ['PENDING_DELETION', 'pending_deletion'], ['DELETED', 'deleted'],
])
