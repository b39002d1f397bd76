import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Reply, write } from '../http.js'
import type { Attachment } from '../media.js'
import { numberFields } from '../numbers.js'
import { sendFile } from '../send-file.js'
import { businessNumber, isAccountId, isAuthorised, isPhoneNumberId, type SimulatorState, usageOf } from '../state.js'
import { listTemplates, selectFields } from '../templates/templates.js'
import { badToken, type GraphContext, graphError, graphErrorReply, graphReply, invalidParameter, unknownObject } from './reply.js'

/** Answers the download of an attachment, or of a range of its bytes, from a recently created address. */
export const answerDownload = (state: SimulatorState, url: URL, request: IncomingMessage, response: ServerResponse): void => {
  request.resume()
  const attachment = state.media.at(url.searchParams, Date.now())
  if (!isAuthorised(state, request.headers.authorization)) return refuse(response, 401)
  if (request.method !== 'GET' || attachment === undefined) return refuse(response, 404)
  sendFile(request, response, attachment, { 'content-type': attachment.type, 'cache-control': 'private, max-age=3600' })
}

const refuse = (response: ServerResponse, status: number): void => void response.writeHead(status, { 'content-type': 'text/plain' }).end()

/** A path of the platform's API: the version, an object's id and perhaps an edge of the object. */
export type GraphPath = { readonly version: string; readonly id: string; readonly edge: string | undefined }

const VERSION = /^v[0-9]{1,3}\.[0-9]{1,2}$/

/** Reads a path; a path without a version has the default one. */
export const graphPathOf = ({ pathname }: URL, defaultVersion: string): GraphPath => {
  const [first = '', ...rest] = pathname.split('/').slice(1)
  const hasVersion = VERSION.test(first)
  const [id = '', edge] = hasVersion ? rest : [first, ...rest]
  return { version: hasVersion ? first : defaultVersion, id, edge }
}

/** Answers a request that reads a business number, a template, the list of templates or a file, or that removes a file. */
export const answerRead = (
  state: SimulatorState, { version, id, edge }: GraphPath, url: URL, request: IncomingMessage, response: ServerResponse,
): void => {
  request.resume()
  write(response, read(state, { version, objectId: id, usage: usageOf(state, id) }, edge, url, request))
}

const read = (state: SimulatorState, context: GraphContext, edge: string | undefined, url: URL, request: IncomingMessage): Reply => {
  const { objectId: id } = context
  if (!isAuthorised(state, request.headers.authorization)) return graphErrorReply(context, badToken)
  if (request.method === 'DELETE' && edge === undefined) return removeMedia(state, context, url)
  if (request.method !== 'GET') return graphErrorReply(context, unknownObject(id, 'post'))
  if (edge === 'message_templates') {
    return isAccountId(state, id) ? templateList(state, context, url) : graphErrorReply(context, unknownObject(id, 'get'))
  }
  if (edge !== undefined) return graphErrorReply(context, graphError(100, `There is no edge named ${edge}`))
  const fields = url.searchParams.get('fields')
  const attachment = state.media.find(id)
  if (attachment !== undefined) return graphReplyOfMedia(state, context, attachment, url)
  // For an id of digits, only this parameter shows that an attachment is meant.
  if (url.searchParams.has('phone_number_id')) return graphErrorReply(context, unknownObject(id, 'get'))
  const template = state.templates.all().find((one) => one.id === id)
  if (template !== undefined) return graphReply(context, selectFields(fields, state.templates.listed(template)))
  return isPhoneNumberId(state, id) ? phoneNumber(state, context, fields) : graphErrorReply(context, unknownObject(id, 'get'))
}

const templateList = (state: SimulatorState, context: GraphContext, url: URL): Reply => {
  switch (state.settings().templateList) {
    case 'served': return graphReply(context, listTemplates(state.templates, url))
    case 'forbidden': return graphErrorReply(context, graphError(200))
    case 'throttled': return graphErrorReply(context, graphError(80007, 'There were too many calls for this WhatsApp Business Account'))
    case 'noJson': return { ...graphReply(context, {}), body: '<!DOCTYPE html><title>Sorry, something went wrong</title>' }
  }
}

/** The code for an attachment that another business number received is not confirmed. */
const graphReplyOfMedia = (state: SimulatorState, context: GraphContext, attachment: Attachment, url: URL): Reply => {
  const { id, type, size, sha256 } = attachment
  return isForItsNumber(attachment, url)
    ? graphReply(context, {
      messaging_product: 'whatsapp', url: `${url.origin}${state.media.addressOf(attachment, Date.now())}`, mime_type: type, sha256,
      file_size: size, id,
    })
    : graphErrorReply(context, NOT_ITS_NUMBER)
}

const NOT_ITS_NUMBER = invalidParameter('Param phone_number_id is not the number that received or uploaded this media')

const isForItsNumber = ({ phoneNumberId }: Attachment, url: URL): boolean =>
  (url.searchParams.get('phone_number_id') ?? phoneNumberId) === phoneNumberId

const removeMedia = (state: SimulatorState, context: GraphContext, url: URL): Reply => {
  const attachment = state.media.find(context.objectId)
  if (attachment === undefined) return graphErrorReply(context, unknownObject(context.objectId, 'delete'))
  if (!isForItsNumber(attachment, url)) return graphErrorReply(context, NOT_ITS_NUMBER)
  state.media.remove(attachment.id)
  return graphReply(context, { success: true })
}

/** A field that the version does not have is refused, and with it the whole request. */
const phoneNumber = (state: SimulatorState, context: GraphContext, fields: string | null): Reply => {
  const { objectId: id, version } = context
  const number = numberFields(businessNumber(state, id), id, state.account.displayPhoneNumber, version)
  const unknown = fields?.split(',').map((name) => name.trim()).find((name) => !Object.hasOwn(number, name))
  return unknown === undefined
    ? graphReply(context, selectFields(fields, number))
    : graphErrorReply(context, invalidParameter(`Tried accessing nonexisting field (${unknown}) on node type (WhatsAppBusinessPhoneNumber)`))
}
