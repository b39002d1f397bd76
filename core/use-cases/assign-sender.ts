import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Forbidden, InvalidAccessToken, InvalidAccountId, PortFailure, SenderTaken, UnknownWorkspace } from '../errors.js'
import type { Along, Sender, Senders } from '../ports/senders.js'
import type { Actor } from '../principal.js'
import type { WorkspaceId } from '../workspace.js'
import { perform, type ActDeps, type Described } from './acting.js'

/** Gives a workspace the platform account it sends through, in place of the one it had. */
export type AssignSender = (command: AssignSenderCommand) => TE.TaskEither<AssignSenderError, Sender>

/** What the operator knows of the platform account. Spaces around the access token are dropped. */
export type AssignSenderCommand = { readonly by: Actor; readonly workspace: WorkspaceId } & Sender

/** How giving a workspace its sender can fail. */
export type AssignSenderError = InvalidAccountId | InvalidAccessToken | SenderTaken | UnknownWorkspace | Forbidden | PortFailure

/** What giving a workspace its sender needs. */
export type AssignSenderDeps = ActDeps & { readonly senders: Pick<Senders, 'assign'> }

/** Makes the use case of what it needs. */
export const makeAssignSender =
  ({ senders, ...deps }: AssignSenderDeps): AssignSender =>
  ({ by, workspace, ...command }) =>
  () => {
    const sender = checkSender(command)
    const acting = { by, act: 'sender.assign', workspace, ...(E.isRight(sender) && describeSender(sender.right)) } as const
    return perform(deps, acting, {}, async (along: Along<WorkspaceId>): Promise<E.Either<Exclude<AssignSenderError, Forbidden>, Sender>> => {
      if (E.isLeft(sender)) return sender
      const assigned = await senders.assign(workspace, sender.right, along)()
      return E.isLeft(assigned) ? assigned : sender
    })
  }

/** Everything but the access token. */
const describeSender = ({ phoneNumberId, businessAccountId }: Sender): Described =>
  ({ subject: phoneNumberId, details: { business_account_id: businessAccountId ?? null } })

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
