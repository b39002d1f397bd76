import type { Template, TemplateCategory } from '../templates/template.js'
import type { ChangedTemplate } from '../templates/templates.js'
import type { Update } from './delivery.js'

/** When something happened to a template, in milliseconds since the Unix epoch, and the platform's reason for the change of its status. */
export type TemplateNotice = { readonly at: number; readonly reason?: string }

/** The updates that report a changed template: its status, its category, its quality, or several of them. */
export const changedUpdates = ({ before, after }: ChangedTemplate, notice: TemplateNotice): ReadonlyArray<Update> => [
  ...(after.status === before.status ? [] : [statusUpdate(after, after.status, notice)]),
  ...(after.category === before.category ? [] : [
    update('template_category_update', notice, { ...naming(after), previous_category: before.category, new_category: after.category }),
  ]),
  ...(after.quality_score.score === before.quality_score.score ? [] : [update('message_template_quality_update', notice, {
    previous_quality_score: before.quality_score.score, new_quality_score: after.quality_score.score, ...naming(after),
  })]),
]

/** The update that reports a new template. */
export const addedUpdate = (template: Template, notice: TemplateNotice): Update => statusUpdate(template, template.status, notice)

/** The update that reports a removed template; it contains no reason. */
export const removedUpdate = (template: Template, notice: TemplateNotice): Update => update('message_template_status_update', notice, {
  event: 'DELETED', ...naming(template), reason: null, message_template_category: template.category,
})

const DAY_S = 24 * 3600

/** The update that announces another category, which takes effect a day later. */
export const plannedUpdate = (template: Template, category: TemplateCategory, notice: TemplateNotice): Update => update(
  'template_category_update', notice, {
    ...naming(template), correct_category: category, new_category: template.category,
    category_update_timestamp: secondsOfUpdate(notice) + DAY_S,
  },
)

const statusUpdate = (template: Template, event: string, notice: TemplateNotice): Update => update(
  'message_template_status_update', notice, {
    event, ...naming(template), reason: notice.reason ?? template.rejected_reason, message_template_category: template.category,
    ...(event === 'DISABLED' && { disable_info: { disable_date: String(secondsOfUpdate(notice)) } }),
    ...(event === 'PAUSED' && { other_info: { title: 'FIRST_PAUSE', description: 'The template was paused because of its quality.' } }),
  },
)

const update = (field: string, { at }: TemplateNotice, value: Update['value']): Update => ({ field, phoneNumberId: undefined, at, value })

const naming = ({ id, name, language }: Template) => ({
  message_template_id: Number(id), message_template_name: name, message_template_language: language,
})

const secondsOfUpdate = ({ at }: TemplateNotice): number => Math.floor(at / 1000)
