import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { InvalidAccessToken, InvalidAccountId, PortFailure, SenderTaken, UnknownWorkspace } from '../errors.js'
import type { Sender, Senders } from '../ports/senders.js'
import type { WorkspaceId } from '../workspace.js'

/** Gives a workspace the platform account it sends through, in place of the one it had. */
export type AssignSender = (command: AssignSenderCommand) => TE.TaskEither<AssignSenderError, Sender>

/** What the operator knows of the platform account. Spaces around the access token are dropped. */
export type AssignSenderCommand = { readonly workspace: WorkspaceId } & Sender

/** How giving a workspace its sender can fail. */
export type AssignSenderError = InvalidAccountId | InvalidAccessToken | SenderTaken | UnknownWorkspace | PortFailure

/** What giving a workspace its sender needs. */
export type AssignSenderDeps = { readonly senders: Pick<Senders, 'assign'> }

/** Makes the use case of what it needs. */
export const makeAssignSender =
  ({ senders }: AssignSenderDeps): AssignSender =>
  ({ workspace, ...command }) =>
  async () => {
    const sender = checkSender(command)
    if (E.isLeft(sender)) return sender
    const assigned = await senders.assign(workspace, sender.right)()
    return E.isLeft(assigned) ? assigned : sender
  }

const ACCOUNT_ID = /^[0-9]{1,32}$/
const ACCESS_TOKEN = /^[!-~]{1,4096}$/

/** Checks the forms that all of the platform's ids and access tokens have. */
const checkSender = ({ phoneNumberId, businessAccountId, ...secret }: Sender): E.Either<InvalidAccountId | InvalidAccessToken, Sender> => {
  const wrong = [phoneNumberId, businessAccountId].find((id) => id !== undefined && !ACCOUNT_ID.test(id))
  if (wrong !== undefined) return E.left({ _tag: 'InvalidAccountId', id: wrong })
  const accessToken = secret.accessToken.trim()
  return ACCESS_TOKEN.test(accessToken)
    ? E.right({ phoneNumberId, accessToken, businessAccountId })
    : E.left({ _tag: 'InvalidAccessToken' })
}
