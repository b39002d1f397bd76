import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import type { UploadError } from '../../../core/sending/files.js'
import { FormFile } from '../file-body.js'
import { served, type WorkspaceRequest } from '../operation.js'
import { withReason } from '../operations/files.js'
import { type BodyFailure, jsonReply, type NotFound, type Reply } from '../reply.js'
import { fields, literal, string, type TypeOf } from '../schema.js'
import { graphOperation, type GraphDeps, namedSender, ObjectId, Version } from './operation.js'

/** The file, and the fields before it. Clients write them in any order, so fields after the file are ignored. */
const UploadForm = fields({ file: FormFile }, { messaging_product: literal('whatsapp'), type: string() })

/**
 * `POST /{version}/{object}/media`
 *
 * The platform reads the content type from `type`, otherwise from the file. Here it must match the first bytes of the file, as everywhere.
 */
export const postMedia = graphOperation({
  method: 'post',
  path: '/{version}/{object}/media',
  pathParameters: { version: Version, object: ObjectId },
  act: 'message.send',
  body: { codec: UploadForm, forms: false, isFile: true, fileForm: { codec: UploadForm, examples: {}, mayBeFollowed: true } },
  run: async (
    deps: GraphDeps, request: WorkspaceRequest<{ readonly object: string }, TypeOf<typeof UploadForm>>,
  ): Promise<E.Either<UploadError | BodyFailure | NotFound | PortFailure, Reply>> => {
    const sender = await namedSender(deps, request, ({ phoneNumberId }) => phoneNumberId)
    if (E.isLeft(sender)) return sender
    const { workspace, body: { file, type } } = request
    const uploaded = withReason(
      await served(deps.postern.sending.uploadFile)({
        workspace, sender: sender.right.phoneNumberId, file: type === undefined || type === '' ? file : { ...file, declared: type },
      }),
      file,
    )
    return E.isLeft(uploaded) ? uploaded : E.right(jsonReply(200, { id: uploaded.right.id }))
  },
})
