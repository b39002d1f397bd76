import * as E from 'fp-ts/lib/Either.js'
import type { Forbidden } from '../access/access.js'
import { type ActDeps, type Described, perform } from '../access/acting.js'
import type { Actor } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import type { UnknownWorkspace } from '../kernel/workspace.js'
import {
  type InvalidAccessToken, type InvalidAccountId, isPlatformAccountId, type Sender, type SenderAssignment, type SenderId, senderIdOf,
  type SenderNotConfigured, type SenderNotConfirmed, type SenderTaken, type TemplateAccount,
} from './sender.js'

/** Sets the platform account through which a workspace sends; it replaces the previous one. */
export type AssignSender = (command: AssignSenderCommand) => Promise<E.Either<AssignSenderError, Sender>>

/** The data of the platform account. Spaces around the access token are removed. */
export type AssignSenderCommand = { readonly by: Actor; readonly workspace: WorkspaceId } & SenderForm

/** The data of a platform account as a person wrote them. */
export type SenderForm = Omit<Sender, 'phoneNumberId'> & { readonly phoneNumberId: string }

/** How setting a workspace's sender can fail. */
export type AssignSenderError =
  | InvalidAccountId | InvalidAccessToken | SenderNotConfirmed | SenderTaken | UnknownWorkspace | Forbidden | PortFailure

/** The dependencies of setting a workspace's sender. */
export type AssignSenderDeps = ActDeps & { readonly senders: Pick<SenderAssignment, 'assign'>; readonly verification: SenderVerification }

/**
 * How the use case knows that the workspace may use the number and the account.
 *
 * With `SenderQuestions` the use case checks both with the platform, using the access token of the command, and stores the sender only if the platform
 * confirms them. With `'trusted'` it stores the sender without a check: a principal who may assign senders then receives the messages that customers write to
 * any number they name, and the templates of any account. It is for principals who may see every workspace anyway, such as the operator at the command line.
 */
export type SenderVerification = SenderQuestions | 'trusted'

/** How a sender is checked with the platform. */
export type SenderQuestions = {
  /** Whether the platform knows the number and lets the token use it. Left: one sentence on the problem, without a full stop. */
  readonly checkSender: (sender: Sender) => Promise<E.Either<string, void>>
  /** Whether the platform lets the token read the templates of the account, which requires a token of the account. Left: as above. */
  readonly checkAccount: (account: TemplateAccount) => Promise<E.Either<string, void>>
}

export const makeAssignSender =
  ({ senders, verification, ...deps }: AssignSenderDeps): AssignSender =>
  ({ by, workspace, ...command }) => {
    const sender = checkForm(command)
    const acting = { by, act: 'sender.assign', workspace, ...(E.isRight(sender) && describeSender(sender.right)) } as const
    return perform(
      deps, acting, {},
      async (outboxEntries: MakeOutboxEntries<WorkspaceId>): Promise<E.Either<Exclude<AssignSenderError, Forbidden>, Sender>> => {
        if (E.isLeft(sender)) return sender
        const confirmed = verification === 'trusted' ? sender : await confirm(verification, sender.right)
        if (E.isLeft(confirmed)) return confirmed
        const assigned = await senders.assign(workspace, sender.right, outboxEntries)
        return E.isLeft(assigned) ? assigned : sender
      },
    )
  }

/** The platform is asked before `SenderTaken` is returned, so that owners learn only about their own numbers whether another workspace has them. */
const confirm = async ({ checkSender, checkAccount }: SenderQuestions, sender: Sender): Promise<E.Either<SenderNotConfirmed, void>> => {
  const number = await checkSender(sender)
  if (E.isLeft(number)) return E.left({ _tag: 'SenderNotConfirmed', of: 'number', reason: number.left })
  const { businessAccountId, accessToken } = sender
  if (businessAccountId === undefined) return E.right(undefined)
  const account = await checkAccount({ businessAccountId, accessToken })
  return E.isLeft(account) ? E.left({ _tag: 'SenderNotConfirmed', of: 'account', reason: account.left }) : account
}

/** Everything but the access token. */
const describeSender = ({ phoneNumberId, businessAccountId, marketingApi }: Sender): Described =>
  ({
    subject: phoneNumberId,
    details: {
      business_account_id: businessAccountId ?? null, ...(marketingApi !== undefined && { marketing_api: marketingApi ? 'on' : 'off' }),
    },
  })

const ACCESS_TOKEN = /^[!-~]{1,4096}$/

/** Checks the form of the platform's ids and of the access token. */
const checkForm = ({
  phoneNumberId, businessAccountId, marketingApi, ...secret
}: SenderForm): E.Either<InvalidAccountId | InvalidAccessToken, Sender> => {
  const wrong = [phoneNumberId, businessAccountId].find((id) => id !== undefined && !isPlatformAccountId(id))
  if (wrong !== undefined) return E.left({ _tag: 'InvalidAccountId', id: wrong })
  const accessToken = secret.accessToken.trim()
  return ACCESS_TOKEN.test(accessToken)
    ? E.right({
        phoneNumberId: senderIdOf(phoneNumberId), accessToken, businessAccountId, ...(marketingApi !== undefined && { marketingApi }),
      })
    : E.left({ _tag: 'InvalidAccessToken' })
}

/**
 * Removes the platform account from a workspace. The workspace sends and receives nothing until it gets another one; the number is free for other workspaces.
 *
 * Right: the phone number id of the removed account.
 */
export type RemoveSender = (command: RemoveSenderCommand) => Promise<E.Either<RemoveSenderError, SenderId>>

/** The workspace. */
export type RemoveSenderCommand = { readonly by: Actor; readonly workspace: WorkspaceId }

/** How removing it can fail. `SenderNotConfigured`: the workspace has none. */
export type RemoveSenderError = SenderNotConfigured | Forbidden | PortFailure

/** The dependencies of removing it. */
export type RemoveSenderDeps = ActDeps & { readonly senders: Pick<SenderAssignment, 'remove'> }

export const makeRemoveSender =
  ({ senders, ...deps }: RemoveSenderDeps): RemoveSender =>
  ({ by, workspace }) =>
    perform(deps, { by, act: 'sender.remove', workspace }, { describe: (phoneNumberId: SenderId) => ({ subject: phoneNumberId }) },
      (outboxEntries: MakeOutboxEntries<SenderId>) => senders.remove(workspace, outboxEntries))
