import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import type { WorkspaceRequest } from '../operation.js'
import { jsonReply, type NotFound, type Reply } from '../reply.js'
import { atDoor, type DoorDeps, noSuchObject, ObjectId, senderOf, Version } from './door.js'

type Request = WorkspaceRequest<{ readonly object: string }>
type Answer = Promise<E.Either<NotFound | PortFailure, Reply>>

/**
 * `GET /graph/{version}/{business_account_id}/phone_numbers`
 *
 * Programs ask for it when they are connected. The gateway knows only the id of the number through which the workspace sends, so the other fields are absent.
 */
export const getPhoneNumbers = atDoor({
  method: 'get',
  path: '/{version}/{object}/phone_numbers',
  pathParameters: { version: Version, object: ObjectId },
  run: async (deps: DoorDeps, { workspace, parameters: { object } }: Request): Answer => {
    const sender = await senderOf(deps, workspace)
    if (E.isLeft(sender)) return sender
    return sender.right?.businessAccountId === object ? E.right(jsonReply(200, { data: [{ id: sender.right.phoneNumberId }] })) : E.left(noSuchObject(object))
  },
})

/**
 * `GET /graph/{version}/{phone_number_id}/whatsapp_business_profile`
 *
 * The gateway does not read the profile, so the fields that say something about the business are absent, as they are at the platform if they were never set.
 */
export const getBusinessProfile = atDoor({
  method: 'get',
  path: '/{version}/{object}/whatsapp_business_profile',
  pathParameters: { version: Version, object: ObjectId },
  run: async (deps: DoorDeps, { workspace, parameters: { object } }: Request): Answer => {
    const sender = await senderOf(deps, workspace)
    if (E.isLeft(sender)) return sender
    return sender.right?.phoneNumberId === object ? E.right(jsonReply(200, { data: [{ messaging_product: 'whatsapp' }] })) : E.left(noSuchObject(object))
  },
})
