import { type ReportFault, unusableMedia } from '../faults/faults.js'
import { unfitLink, unfitUpload } from '../media-formats.js'
import type { SimulatorState } from '../state.js'
import type { SentMedia } from './free-form.js'
import { type GraphError, invalidParameter } from './reply.js'

/** The refusal of a message that names a file which was not uploaded through its business number, or is gone. */
export const mediaError = ({ media }: SimulatorState, phoneNumberId: string, sent: ReadonlyArray<SentMedia>): GraphError | undefined => {
  const unknown = sent.find(({ id }) => {
    const upload = id === undefined ? undefined : media.find(id)
    return id !== undefined && !(upload?.isUpload === true && upload.phoneNumberId === phoneNumberId)
  })
  return unknown && invalidParameter(`Param ${unknown.param} is not a valid whatsapp business account media attachment ID`)
}

/** Why a message fails for its media, which the platform looks at only after it accepted the message. */
export const mediaFault = ({ media }: SimulatorState, sent: ReadonlyArray<SentMedia>): ReportFault | undefined => {
  const [reason] = sent.flatMap((one) => {
    const upload = one.id === undefined ? undefined : media.find(one.id)
    const unfit = one.link === undefined ? upload && unfitUpload(one, upload) : unfitLink(one, one.link)
    return unfit === undefined ? [] : [unfit]
  })
  return reason === undefined ? undefined : unusableMedia(reason)
}
