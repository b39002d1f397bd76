import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import type { UploadError } from '../../../core/sending/files.js'
import type { ReadingFile } from '../file-body.js'
import type { WorkspaceRequest } from '../operation.js'
import { type FilesDeps, withReason } from '../operations/files.js'
import { type BodyFailure, type HttpFailure, jsonReply, type MissingParameters, type NotFound, type Reply } from '../reply.js'
import { decode, fields, literal, string } from '../schema.js'
import { atDoor, type DoorDeps, noSuchObject, ObjectId, senderOf, Version } from './door.js'

type UploadBody = { readonly type?: string; readonly file?: ReadingFile }

/** The fields that come before the file. Clients write them in any order, so those after it are passed over. */
const Before = fields({}, { messaging_product: literal('whatsapp'), type: string() })

/**
 * `POST /{version}/{object}/media`
 *
 * The platform takes the content type from `type`, else from the file. Here the first bytes have to bear it out, as everywhere.
 */
export const postMedia = atDoor({
  method: 'post',
  path: '/{version}/{object}/media',
  pathParameters: { version: Version, object: ObjectId },
  scope: 'send',
  body: {
    codec: fields({}, { type: string() }),
    forms: false,
    isFile: true,
    fileForm: {
      schema: {},
      examples: {},
      mayBeFollowed: true,
      read: (given, file): E.Either<HttpFailure, UploadBody> => {
        if (file.field !== 'file') return E.left({ _tag: 'MissingParameters', names: ['file'] })
        return E.map(({ type }: { readonly type?: string }): UploadBody => ({ file, ...(type !== undefined && type !== '' && { type }) }))(decode(Before, given))
      },
    },
  },
  run: async (
    deps: DoorDeps & FilesDeps, { workspace, parameters, body: { file, type } }: WorkspaceRequest<{ readonly object: string }, UploadBody>,
  ): Promise<E.Either<UploadError | BodyFailure | MissingParameters | NotFound | PortFailure, Reply>> => {
    if (deps.uploadFile === undefined) throw new TypeError('an upload is served without its use case')
    const sender = await senderOf(deps, workspace)
    if (E.isLeft(sender)) return sender
    if (sender.right?.phoneNumberId !== parameters.object) return E.left(noSuchObject(parameters.object))
    if (file === undefined) return E.left({ _tag: 'MissingParameters', names: ['file'] })
    const uploaded = withReason(await deps.uploadFile({ workspace, file: type === undefined ? file : { ...file, declared: type } }), file)
    return E.isLeft(uploaded) ? uploaded : E.right(jsonReply(200, { id: uploaded.right.id }))
  },
})
