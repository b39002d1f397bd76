import type { IncomingMessage, ServerResponse } from 'node:http'
import { MAGIC_CHANGES } from '../faults/customer-changes.js'
import { FAULTS, MAGIC_PREFIX } from '../faults/faults.js'
import { controlReply, isObject, originOf, readBody, refusal, type Reply, write } from '../http.js'
import { readSettingsChange } from '../settings.js'
import type { SimulatorState } from '../state.js'
import { publicUrl, type Update } from '../webhooks/delivery.js'
import { addedUpdate, changedUpdates, plannedUpdate, removedUpdate, type TemplateNotice } from '../webhooks/template-updates.js'
import { appsReply } from './apps-page.js'
import { isAddedTemplateBody, isChangedTemplateBody, isForm, isRawBody, isWebhookBody, type NoticeBody, readControlBody } from './bodies.js'
import { changeCustomer, customerReply, listCustomers, writeAs } from './customers.js'
import { changeNumberBy, showNumber } from './numbers.js'
import { arrivedHtml, pageReply } from './page.js'

const UNKNOWN = refusal(404, 'This template does not exist; GET /_simulator/templates lists all templates')

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

const LONGEST_WAIT_MS = 600_000

/** How much time is skipped in one step: as long as a window is open. */
const DAY_MS = 24 * 3_600_000

/** Answers a request of the control endpoints. */
export const answerControl = async (state: SimulatorState, url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const text = await readBody(request)
  if (isCrossOrigin(request)) return write(response, refusal(403, 'A page of another site may not control the simulator'))
  const [, area = '', name = '', ...rest] = url.pathname.split('/').slice(1)
  const operation = `${request.method} ${area}${rest.length > 0 ? `/…/${rest.join('/')}` : ''}`
  const body = readControlBody(text, request.headers['content-type'])
  const reply = await runOperation(state, operation, decodeURIComponent(name), body, url)
  // The page sends forms, so the browser is redirected back to it.
  write(
    response,
    isForm(text, request.headers['content-type']) && reply.status < 400
      ? { status: 303, headers: { location: '/_simulator/log' }, body: '' }
      : reply,
  )
}

const runOperation = async (state: SimulatorState, operation: string, name: string, body: unknown, url: URL): Promise<Reply> => {
  switch (operation) {
    case 'GET log': return url.searchParams.has('arrived') ? arrivedHtml(state) : pageReply(state)
    case 'GET apps': return appsReply(state)
    case 'GET received': return received(state, url.searchParams)
    case 'GET inbound': return controlReply(200, { messages: state.inboundLog.all() })
    case 'GET faults': return controlReply(200, { settings: state.settings(), faults: faultList, changes: changeList })
    case 'POST faults': return changeSettings(state, body)
    case 'POST reset': return reset(state)
    case 'POST skip': return skip(state)
    case 'GET webhook': return webhookReply(state)
    case 'POST webhook': return changeWebhook(state, body)
    case 'GET idle': return idle(state, Number(url.searchParams.get('wait_ms') ?? 0))
    case 'POST customers':
      return writeAs(state, isObject(body) && typeof body['number'] === 'string' ? body['number'] : '', withoutNumber(body))
    case 'POST customers/…/messages': return writeAs(state, name, body)
    case 'GET customers': return name === '' ? listCustomers(state, url.searchParams) : customerReply(state, name, url.searchParams)
    case 'GET numbers': return showNumber(state, name)
    case 'POST numbers': return changeNumberBy(state, name, body)
    case 'GET templates': return showTemplates(state, name)
    case 'POST templates': return name === '' ? addTemplate(state, body) : changeTemplates(state, name, body)
    case 'DELETE templates': return removeTemplates(state, name, url.searchParams)
    case 'POST updates': return sendRaw(state, body)
    default: return changeCustomer(state, operation, name, body) ?? refusal(404, 'No operation exists at this address; docs/simulator.md lists all operations')
  }
}

/** A page of another site must not control a simulator on this machine; browsers send the page's origin in a header. */
const isCrossOrigin = (request: IncomingMessage): boolean =>
  request.method !== 'GET' && request.headers.origin !== undefined && request.headers.origin !== originOf(request)

const faultList = FAULTS.map(({ digits, name, about }) => ({
  number: digits === undefined ? null : `${MAGIC_PREFIX}${digits}`, name, about,
}))

const changeList = MAGIC_CHANGES.map(({ digits, about }) => ({ number: `${MAGIC_PREFIX}${digits}`, about }))

const received = ({ requestLog }: SimulatorState, query: URLSearchParams): Reply => {
  const [callback, outcome] = [query.get('callback'), query.get('outcome')]
  const messages = requestLog.all().filter((message) =>
    (callback === null || message.callback === callback) && (outcome === null || message.outcome === outcome))
  return controlReply(200, { counts: requestLog.counts(), messages })
}

const changeSettings = (state: SimulatorState, body: unknown): Reply => {
  const change = readSettingsChange(body)
  if (typeof change === 'string') return refusal(400, change)
  state.change(change)
  return controlReply(200, { settings: state.settings() })
}

const reset = (state: SimulatorState): Reply => {
  state.reset()
  return controlReply(200, { reset: true })
}

const skip = async (state: SimulatorState): Promise<Reply> => {
  await state.skip(DAY_MS)
  return controlReply(200, { skipped_hours: 24 })
}

const webhookReply = ({ webhooks }: SimulatorState): Reply => {
  const target = webhooks.target()
  return controlReply(200, { url: target === undefined ? null : publicUrl(target) })
}

const changeWebhook = async ({ webhooks }: SimulatorState, body: unknown): Promise<Reply> => {
  if (!isWebhookBody(body)) {
    return refusal(400, 'A webhook has url (http or https), appSecret and verifyToken; optional are verify, batch, concurrency, timeoutMs, retryMs, '
      + 'retryAtMostMs, giveUpMs')
  }
  const { verify = true, ...target } = body
  if (verify && !(await webhooks.verify(target))) {
    return refusal(400, 'The webhook did not return the challenge, so it was not set; check the address and verifyToken, or send "verify":false')
  }
  webhooks.setTarget(target)
  return controlReply(200, { url: publicUrl(target), verified: verify })
}

/** Waits at most `wait_ms` until nothing is pending, and answers with the counts. */
const idle = async ({ webhooks, timers }: SimulatorState, waitMs: number): Promise<Reply> => {
  const longestWait = Math.min(Math.max(0, waitMs || 0), LONGEST_WAIT_MS)
  if (longestWait > 0) {
    await Promise.race([webhooks.idle().catch(() => undefined), new Promise<void>((resolve) => timers.after(longestWait, resolve))])
  }
  const stats = webhooks.stats()
  return controlReply(200, { idle: stats.pending === 0, ...stats })
}

const withoutNumber = (body: unknown): unknown =>
  isObject(body) ? Object.fromEntries(Object.entries(body).filter(([key]) => key !== 'number')) : body

const sendRaw = ({ webhooks }: SimulatorState, body: unknown): Reply => {
  if (!isRawBody(body)) return refusal(400, 'A notification has a payload (an object); optional are signature and times')
  const { payload, ...options } = body
  webhooks.sendRaw(payload, options)
  return controlReply(200, { sent: true })
}
