import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Form, readForm } from '../forms.js'
import { type Reply, write } from '../http.js'
import { plainType } from '../media-formats.js'
import { sendFile } from '../send-file.js'
import type { SimulatorState } from '../state.js'
import { runAct } from './acts.js'
import { ASSETS, isFromHere, PAGE_HEADERS } from './assets.js'
import { appHtml, noticeHtml, pageHtml } from './page.js'
import { addressOf, viewOf } from './view.js'

/** Whether a request is for the phone: its page, or a file of the page. */
export const isPhoneRequest = ({ pathname }: URL, method: string | undefined): boolean =>
  (method === 'GET' && /^\/_simulator\/?$/.test(pathname)) || pathname.startsWith('/_simulator/phone/')

/** Answers a request for the phone. */
export const answerPhone = async (state: SimulatorState, url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const name = decodeURIComponent(url.pathname.slice('/_simulator/phone/'.length))
  if (request.method === 'POST') return write(response, await answerAct(state, name, url, request))
  request.resume()
  if (request.method !== 'GET') return write(response, plain(405, 'This address takes GET and POST only.'))
  if (name === '') return write(response, html(200, pageHtml(state, viewOf(state, url.searchParams))))
  if (name === 'live') return watch(state, url, request, response)
  const asset = ASSETS.find(({ path }) => path === url.pathname)
  if (asset !== undefined) return write(response, file(asset.type, asset.body))
  if (name.startsWith('media/')) return sendMedia(state, name.slice('media/'.length), request, response)
  write(response, plain(404, 'There is no such page; the phone is at /_simulator.'))
}

/** As large as the largest image or audio of the platform. */
const LARGEST_FILE = 16 * 1024 * 1024

/** Replaces a body that the phone cannot read: it contains no number, so every action refuses it. */
const NO_FORM: Form = { fields: {}, file: undefined }

/** With htmx the response is the changed part, or the problem. Without it the browser is redirected to the page, or gets the page with the problem. */
const answerAct = async (state: SimulatorState, name: string, url: URL, request: IncomingMessage): Promise<Reply> => {
  const isPartial = request.headers['hx-request'] === 'true'
  const view = viewOf(state, url.searchParams)
  const refuse = (status: number, sentence: string): Reply =>
    html(status, isPartial ? noticeHtml(sentence) : pageHtml(state, view, sentence))
  const read = await readForm(request, LARGEST_FILE)
  if (!isFromHere(request)) return plain(403, 'A page of another site may not use the phone.')
  if (read === 'tooLarge') return refuse(413, 'The file is too large: 16 MiB are the most.')
  const form = read === 'broken' ? NO_FORM : read
  const done = await runAct(state, name, form, view)
  if ('sentence' in done) return refuse(done.status, done.sentence)
  if (!isPartial) return { status: 303, headers: { location: addressOf('/_simulator', done) }, body: '' }
  return html(200, `${appHtml(state, done, form.fields[name === 'play' ? 'message' : 'customer'])}${noticeHtml()}`)
}

const watch = (state: SimulatorState, url: URL, request: IncomingMessage, response: ServerResponse): void => {
  const seen = request.headers['last-event-id']
  const isWatched = state.livePages.watch(response, typeof seen === 'string' ? seen : undefined, () =>
    appHtml(state, viewOf(state, url.searchParams)))
  if (!isWatched) write(response, plain(503, 'Too many pages are open.'))
}

/** Pictures, videos and sounds are shown; other files are only downloaded, because they could be HTML pages. */
const sendMedia = ({ media }: SimulatorState, id: string, request: IncomingMessage, response: ServerResponse): void => {
  const attachment = media.find(id)
  if (attachment === undefined) return write(response, plain(404, 'There is no such attachment any more.'))
  const isShown = /^(image\/(png|jpeg|gif|webp)|video\/\w+|audio\/\w+)$/.test(plainType(attachment.type))
  sendFile(request, response, attachment, {
    'content-type': isShown ? plainType(attachment.type) : 'application/octet-stream', 'cache-control': 'private, max-age=3600',
    'content-disposition': isShown ? 'inline' : 'attachment', 'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  })
}

const html = (status: number, body: string): Reply => ({ status, headers: PAGE_HEADERS, body })

const plain = (status: number, sentence: string): Reply =>
  ({
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
    body: `${sentence}\n`,
  })

const file = (type: string, body: string | Buffer): Parameters<typeof write>[1] =>
  ({
    status: 200,
    headers: { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' },
    body,
  })
