import { controlReply, refusal, type Reply } from '../http.js'
import type { SimulatorState } from '../state.js'
import type { Update } from '../webhooks/notification.js'
import { addedUpdate, changedUpdates, plannedUpdate, removedUpdate, type TemplateNotice } from '../webhooks/template-updates.js'
import { isAddedTemplateBody, isChangedTemplateBody, type NoticeBody } from './template-bodies.js'

const UNKNOWN = refusal(404, 'There is no such template; GET /_simulator/templates lists them')

/** Shows the templates, or those of one name. */
export const showTemplates = ({ templates }: SimulatorState, name: string): Reply =>
  controlReply(200, { templates: templates.all().filter((template) => name === '' || template.name === name) })

/** Adds a template, or replaces one. */
export const addTemplate = (state: SimulatorState, body: unknown): Reply => {
  if (!isAddedTemplateBody(body)) {
    return refusal(400, 'A template has name, language, category and components as the platform lists them; optional are status, quality, '
      + 'parameter_format, rejected_reason, notify, at, reason, times, signature')
  }
  const { notify, at, reason, times, signature, ...definition } = body
  const template = state.templates.add(definition)
  report(state, body, (notice) => [addedUpdate(template, notice)])
  return controlReply(200, { templates: [template] })
}

/** Changes the templates of one name, in one language or in all. */
export const changeTemplates = (state: SimulatorState, name: string, body: unknown): Reply => {
  if (!isChangedTemplateBody(body)) {
    return refusal(400, 'A template change has only these keys, all optional: status, category, quality, language, rejected_reason, correct_category, '
      + 'listed, notify, at, reason, times, signature')
  }
  const { language, correct_category: planned, notify, at, reason, times, signature, ...change } = body
  const changed = state.templates.change(name, language, change)
  if (changed.length === 0) return UNKNOWN
  report(state, body, (notice) => changed.flatMap((template) => [
    ...changedUpdates(template, notice), ...(planned === undefined ? [] : [plannedUpdate(template.after, planned, notice)]),
  ]))
  return controlReply(200, { templates: changed.map(({ after }) => after) })
}

/** Removes the templates of one name, in one language or in all. */
export const removeTemplates = (state: SimulatorState, name: string, query: URLSearchParams): Reply => {
  const removed = state.templates.remove(name, query.get('language') ?? undefined)
  if (removed.length === 0) return UNKNOWN
  report(state, { notify: query.get('notify') !== 'false' }, (notice) => removed.map((template) => removedUpdate(template, notice)))
  return controlReply(200, { templates: removed })
}

const report = (
  { webhooks }: SimulatorState, { notify = true, at, reason, times = 1, signature = 'right' }: NoticeBody,
  updatesOf: (notice: TemplateNotice) => ReadonlyArray<Update>,
): void => {
  const updates = updatesOf({ at: at === undefined ? Date.now() : new Date(at).getTime(), ...(reason !== undefined && { reason }) })
  if (notify && updates.length > 0) webhooks.send(updates.length, () => updates, { times, signature })
}
