import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import type { ListedSender } from '../../../core/senders/sender.js'
import type { WorkspaceRequest } from '../operation.js'
import { jsonReply, type NotFound, type Reply } from '../reply.js'
import { graphOperation, type GraphDeps, namedSenders, ObjectId, Version } from './operation.js'

type Request = WorkspaceRequest<{ readonly object: string }>

/** A read of the known data of the workspace's own senders that have an id. */
const aboutSenders = (
  part: string, idOf: (sender: ListedSender) => string | undefined, itemOf: (sender: ListedSender) => JsonObject,
) => graphOperation({
  method: 'get',
  path: `/{version}/{object}/${part}`,
  pathParameters: { version: Version, object: ObjectId },
  run: async (deps: GraphDeps, request: Request): Promise<E.Either<NotFound | PortFailure, Reply>> =>
    E.map((senders: ReadonlyArray<ListedSender>) => jsonReply(200, { data: senders.map(itemOf) }))(await namedSenders(deps, request, idOf)),
})

/**
 * `GET /graph/{version}/{business_account_id}/phone_numbers`
 *
 * Programs request it when they are connected. The gateway knows only the ids of the numbers through which the workspace sends, so the other fields are absent.
 */
export const getPhoneNumbers = aboutSenders(
  'phone_numbers', ({ businessAccountId }) => businessAccountId, ({ phoneNumberId }) => ({ id: phoneNumberId }),
)

/**
 * `GET /graph/{version}/{phone_number_id}/whatsapp_business_profile`
 *
 * The gateway does not read the profile, so the fields about the business are absent, as they are at the platform if they were never set.
 */
export const getBusinessProfile = aboutSenders(
  'whatsapp_business_profile', ({ phoneNumberId }) => phoneNumberId, () => ({ messaging_product: 'whatsapp' }),
)
