import type { IncomingMessage, ServerResponse } from 'node:http'
import { isCustomerBody, isRawBody, isTemplateBody, isWebhookBody, readControlBody } from './control-bodies.js'
import { digitsOf } from './customer-identity.js'
import { FAULTS, MAGIC_PREFIX } from './faults.js'
import { controlReply, readBody, write, type Reply } from './http.js'
import { arrivedHtml, pageReply } from './page.js'
import { reportInbound, templateUpdates } from './report.js'
import { readSettingsChange } from './settings.js'
import { isObject } from './wire-json.js'
import { addressOf } from './webhooks.js'
import { reportedAs, usualPhoneNumberId, type World } from './world.js'

const LONGEST_WAIT_MS = 600_000

/** Answers a request to steer the simulator or to see what arrived. */
export const answerControl = async (world: World, url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const text = await readBody(request)
  if (isForeign(request)) return write(response, refusal(403, 'Another site asked for this'))
  const [, area = '', name = '', ...rest] = url.pathname.split('/').slice(1)
  const operation = `${request.method} ${area}${rest.length > 0 ? `/…/${rest.join('/')}` : ''}`
  const form = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true
  const body = readControlBody(text, request.headers['content-type'])
  const reply = await perform(world, operation, decodeURIComponent(name), body, url)
  // A form is sent by the page, which wants to be seen again.
  write(response, form && reply.status < 400 ? { status: 303, headers: { location: '/_simulator' }, body: '' } : reply)
}

const perform = async (world: World, operation: string, name: string, body: unknown, url: URL): Promise<Reply> => {
  switch (operation) {
    case 'GET ': return url.searchParams.has('arrived') ? arrivedHtml(world) : pageReply(world)
    case 'GET received': return received(world, url.searchParams)
    case 'GET faults': return controlReply(200, { settings: world.settings(), faults: faultList })
    case 'POST faults': return changeSettings(world, body)
    case 'POST reset': return reset(world)
    case 'GET webhook': return shownWebhook(world)
    case 'POST webhook': return aim(world, body)
    case 'GET idle': return idle(world, Number(url.searchParams.get('wait_ms') ?? 0))
    case 'POST customers': return writeAs(world, isObject(body) && typeof body['number'] === 'string' ? body['number'] : '', withoutNumber(body))
    case 'POST customers/…/messages': return writeAs(world, name, body)
    case 'POST templates': return changeTemplate(world, name, body)
    case 'POST updates': return sendRaw(world, body)
    default: return refusal(404, 'There is no such operation')
  }
}

const refusal = (status: number, error: string): Reply => controlReply(status, { error })

/** A page of another site must not steer a simulator on this machine: browsers name the page's origin. */
const isForeign = ({ method, headers }: IncomingMessage): boolean =>
  method !== 'GET' && headers.origin !== undefined && headers.origin !== `http://${headers.host}`

const faultList = FAULTS.map(({ digits, name, about }) => ({
  number: digits === undefined ? null : `${MAGIC_PREFIX}${digits}`, name, about,
}))

const received = ({ journal }: World, query: URLSearchParams): Reply => {
  const [callback, outcome] = [query.get('callback'), query.get('outcome')]
  const messages = journal.all().filter((message) =>
    (callback === null || message.callback === callback) && (outcome === null || message.outcome === outcome))
  return controlReply(200, { counts: journal.counts(), messages })
}

const changeSettings = (world: World, body: unknown): Reply => {
  const change = readSettingsChange(body)
  if (typeof change === 'string') return refusal(400, change)
  world.change(change)
  return controlReply(200, { settings: world.settings() })
}

const reset = (world: World): Reply => {
  world.reset()
  return controlReply(200, { reset: true })
}

const shownWebhook = ({ webhooks }: World): Reply => {
  const target = webhooks.target()
  return controlReply(200, { url: target === undefined ? null : addressOf(target) })
}

const aim = async ({ webhooks }: World, body: unknown): Promise<Reply> => {
  if (!isWebhookBody(body)) {
    return refusal(400, 'A webhook has url, appSecret and verifyToken, and perhaps verify, batch, concurrency, timeoutMs, retryMs, '
      + 'retryAtMostMs, giveUpMs')
  }
  const { verify = true, ...target } = body
  if (verify && !(await webhooks.verify(target))) {
    return refusal(400, 'The webhook did not give the challenge back; nothing was changed')
  }
  webhooks.aim(target)
  return controlReply(200, { url: addressOf(target), verified: verify })
}

/** Waits for quiet as long as it is asked to, and tells how things stand then. */
const idle = async ({ webhooks, timers }: World, waitMs: number): Promise<Reply> => {
  const patience = Math.min(Math.max(0, waitMs || 0), LONGEST_WAIT_MS)
  if (patience > 0) {
    await Promise.race([webhooks.idle().catch(() => undefined), new Promise<void>((resolve) => timers.after(patience, resolve))])
  }
  const stats = webhooks.stats()
  return controlReply(200, { idle: stats.pending === 0, ...stats })
}

const withoutNumber = (body: unknown): unknown =>
  isObject(body) ? Object.fromEntries(Object.entries(body).filter(([key]) => key !== 'number')) : body

const writeAs = (world: World, number: string, body: unknown): Reply => {
  const digits = digitsOf(number)
  if (digits === undefined) return refusal(400, 'A customer has a phone number with its country code')
  if (!isCustomerBody(body)) {
    return refusal(400, 'A customer\'s message has text or type, and perhaps phone_number_id, at, name, bsuidOnly, fields, '
      + 'signature, times')
  }
  const { phone_number_id: phoneNumberId = usualPhoneNumberId(world), at, signature = 'right', times = 1, ...message } = body
  const waId = reportedAs(world, digits)
  const moment = at === undefined ? {} : { at: new Date(at).getTime() }
  const wamid = reportInbound(world, phoneNumberId, waId, { ...message, ...moment }, { signature, times })
  return controlReply(200, { id: wamid, from: waId, phone_number_id: phoneNumberId })
}

const changeTemplate = ({ templates, webhooks }: World, name: string, body: unknown): Reply => {
  if (!isTemplateBody(body)) return refusal(400, 'A template changes its status or category, and perhaps in one language only')
  const { language, ...change } = body
  const before = new Map(templates.all().map((template) => [template.id, template]))
  const now = templates.change(name, language, change)
  if (now.length === 0) return refusal(404, 'There is no such template')
  const updates = now.flatMap((template) => templateUpdates(before.get(template.id) ?? template, template))
  webhooks.send(updates.length, () => updates)
  return controlReply(200, { templates: now })
}

const sendRaw = ({ webhooks }: World, body: unknown): Reply => {
  if (!isRawBody(body)) return refusal(400, 'A notification has a payload, and perhaps signature and times')
  const { payload, ...dispatch } = body
  webhooks.sendRaw(payload, dispatch)
  return controlReply(200, { sent: true })
}
