import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PlatformError } from '../../core/kernel/failure.js'
import type { JsonObject } from '../../core/kernel/json.js'
import type { Sender } from '../../core/kernel/sender.js'
import type { CloudApiDeps } from './cloud-api.js'
import { numberOf } from './error-codes.js'
import { readBody } from './read-answer.js'
import { makeSenderRequest } from './request.js'

/** Checks that the platform knows a sender and accepts its token; sends no message. Left: one sentence on what is wrong. */
export type CheckSender = (sender: Sender) => TaskEither<string, void>

/** Makes the check of a sender, which reads the sender's phone number from the platform. */
export const makeCheckSender = ({ transport, now = Date.now, ...endpoint }: CloudApiDeps): CheckSender => {
  const senderRequest = makeSenderRequest(endpoint)
  return (sender) => async () => {
    const answer = readBody(await transport(senderRequest(sender)), now())
    return E.bimap(sentenceOf, () => undefined)(answer)
  }
}

const sentenceOf = (error: PlatformError): string => {
  switch (error._tag) {
    case 'CredentialsRefused': return `The platform refuses the sender's access token or phone number id (${codeOf(error.error)})`
    case 'PlatformRejected': return `The platform refuses the question (${codeOf(error.error)})`
    case 'PlatformThrottled': return 'The platform is being asked too often; try again later'
    case 'PlatformUnreachable': return 'The platform cannot be reached'
    case 'OutcomeUnknown': return 'The platform gave no answer that makes sense'
  }
}

const codeOf = (error: JsonObject): string => `error code ${numberOf(error['code'])}`
