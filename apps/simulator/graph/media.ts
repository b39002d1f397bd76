import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ReportFault, unusableMedia } from '../faults/faults.js'
import { type Form, readForm } from '../forms.js'
import { abandon, isGone, write } from '../http.js'
import { LARGEST_FILE, largestOf, plainType, unfitLink, unfitUpload } from '../media-formats.js'
import { isAuthorised, isPhoneNumberId, type SimulatorState, usageOf } from '../state.js'
import type { SentMedia } from './free-form.js'
import { badToken, type GraphContext, type GraphError, graphErrorReply, graphReply, invalidParameter, unknownObject } from './reply.js'

/** The refusal of a message that names a file that was not uploaded through its business number, or no longer exists. */
export const mediaError = ({ media }: SimulatorState, phoneNumberId: string, sent: ReadonlyArray<SentMedia>): GraphError | undefined => {
  const unknown = sent.find(({ id }) => {
    const upload = id === undefined ? undefined : media.find(id)
    return id !== undefined && !(upload?.isUpload === true && upload.phoneNumberId === phoneNumberId)
  })
  return unknown && invalidParameter(`Param ${unknown.param} is not a valid whatsapp business account media attachment ID`)
}

/** Why a message fails because of its media. The platform checks the media only after it has accepted the message. */
export const mediaFault = ({ media }: SimulatorState, sent: ReadonlyArray<SentMedia>): ReportFault | undefined => {
  const [reason] = sent.flatMap((one) => {
    const upload = one.id === undefined ? undefined : media.find(one.id)
    const unfit = one.link === undefined ? upload && unfitUpload(one, upload) : unfitLink(one, one.link)
    return unfit === undefined ? [] : [unfit]
  })
  return reason === undefined ? undefined : unusableMedia(reason)
}

const CONTENT_TYPE = /^[\w.+-]+\/[\w.+-]+(;.*)?$/

/** Accepts an upload. Its bytes are compared with its type only when it is sent. */
export const answerUpload = async (
  state: SimulatorState, { version, phoneNumberId }: { readonly version: string; readonly phoneNumberId: string }, request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const context: GraphContext = { version, objectId: phoneNumberId, usage: usageOf(state, phoneNumberId) }
  const isAllowed = isAuthorised(state, request.headers.authorization)
  const isKnown = isPhoneNumberId(state, phoneNumberId)
  // An unwanted file is read and dropped, so that the client receives the response.
  const form = await readForm(request, isAllowed && isKnown ? LARGEST_FILE : 0)
  if (isGone(request)) return abandon(request, 'close')
  const error = isAllowed ? isKnown ? uploadError(form) : unknownObject(phoneNumberId, 'post') : badToken
  if (error !== undefined || typeof form === 'string' || form.file === undefined) {
    return write(response, graphErrorReply(context, error ?? invalidParameter('The parameter file is required.')))
  }
  const { id } = state.media.upload({ phoneNumberId, type: typeOf(form), data: form.file.data })
  write(response, graphReply(context, { id }))
}

const uploadError = (form: Form | string): GraphError | undefined => {
  if (form === 'tooLarge') return tooLarge(LARGEST_FILE, 'of any type')
  if (typeof form === 'string') return invalidParameter('The request body is not a complete form of the type multipart/form-data')
  const { fields, file } = form
  if (fields['messaging_product'] === undefined) return invalidParameter('The parameter messaging_product is required.')
  if (fields['messaging_product'] !== 'whatsapp') return invalidParameter('Param messaging_product must be one of {WHATSAPP}')
  if (file === undefined) return invalidParameter('The parameter file is required.')
  const type = typeOf(form)
  if (!CONTENT_TYPE.test(type)) return invalidParameter('Param type must be a content type, such as image/jpeg.')
  if (file.data.length === 0) return invalidParameter('Param file must not be empty.')
  return file.data.length > largestOf(type) ? tooLarge(largestOf(type), `of the type ${plainType(type)}`) : undefined
}

/** The code for a file that is too large is not confirmed. */
const tooLarge = (most: number, which: string): GraphError => invalidParameter(`Param file must have at most ${most} bytes where it is ${which}.`)

/** The field `type`; if it is absent, the type of the part with the file. */
const typeOf = ({ fields, file }: Form): string => fields['type'] ?? file?.type ?? ''
