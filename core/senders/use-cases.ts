import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../access/access.js'
import { type ActDeps, type Described, perform } from '../access/acting.js'
import type { Actor } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import type { Clock, Instant } from '../kernel/time.js'
import type { RefreshNumber } from './number-health.js'
import {
  type AssignFailure, type InvalidAccessToken, type InvalidAccountId, isPlatformAccountId, type ReplaceFailure, type Sender,
  type SenderAssignment, type SenderDirectory, type SenderId, senderIdOf, type SenderInUse, type SenderNotConfirmed, type SenderOf,
  type TemplateAccount, type UnknownSender,
} from './sender.js'

/** Adds a platform account through which a workspace sends, or sets the one with the same phone number id. */
export type AssignSender = (command: AssignSenderCommand) => Promise<E.Either<AssignSenderError, Sender>>

/** The data of the platform account. Spaces around the access token are removed. */
export type AssignSenderCommand = { readonly by: Actor; readonly workspace: WorkspaceId } & SenderForm

/**
 * The data of a platform account as a person wrote them. `app` is the id of an app, or null for the app of the environment; if it is absent, a sender that is set again keeps
 * its app, because the notifications of another app would have no effect.
 */
export type SenderForm = Omit<Sender, 'app' | 'phoneNumberId' | 'inbox' | 'failingSince' | 'accountRefusedSince'> & {
  readonly phoneNumberId: string
  readonly app?: string | null
}

/** How setting a workspace's sender can fail. */
export type AssignSenderError = InvalidAccountId | InvalidAccessToken | SenderNotConfirmed | AssignFailure | Forbidden | PortFailure

/** The dependencies of setting a workspace's sender. */
export type AssignSenderDeps = ActDeps & {
  readonly senders: Pick<SenderAssignment, 'assign'> & Pick<SenderDirectory, 'ownerOf'>
  readonly verification: SenderVerification
  readonly now: Clock
  /** Reads the number of a sender that was set; its failure changes nothing, because the number is read later, too. */
  readonly refreshNumber?: RefreshNumber
}

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
  ({ senders, verification, now, refreshNumber, ...deps }: AssignSenderDeps): AssignSender =>
  async ({ by, workspace, ...command }) => {
    const sender = checkForm(command)
    const acting = { by, act: 'sender.assign', workspace, ...(E.isRight(sender) && describeSender(sender.right, command.app)) } as const
    const performed = await perform(
      deps, acting, {},
      async (outboxEntries: MakeOutboxEntries<WorkspaceId>): Promise<E.Either<Exclude<AssignSenderError, Forbidden>, Sender>> => {
        if (E.isLeft(sender)) return sender
        const confirmed = verification === 'trusted' ? sender : await confirm(verification, sender.right)
        if (E.isLeft(confirmed)) return confirmed
        const of = { workspace, sender: sender.right.phoneNumberId, at: now() }
        const complete = await withKeptApp(senders, of, sender.right, command.app)
        if (E.isLeft(complete)) return complete
        const assigned = await senders.assign(workspace, complete.right, outboxEntries)
        return E.isLeft(assigned) ? assigned : complete
      },
    )
    if (E.isRight(performed)) await refreshNumber?.({ workspace, sender: performed.right.phoneNumberId })
    return performed
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

/**
 * A sender as it is stored: with the app of the previous sender if no app is given. The previous token is not read, so a sender whose token can no longer be decrypted
 * can be set again.
 */
const withKeptApp = async (
  { ownerOf }: Pick<SenderDirectory, 'ownerOf'>, { workspace, sender: id, at }: SenderOf & { readonly at: Instant }, sender: Sender,
  given: SenderForm['app'],
): Promise<E.Either<PortFailure, Sender>> => {
  if (given !== undefined) return E.right(sender)
  const before = await ownerOf(id, at)
  if (E.isLeft(before)) return before
  const owner = O.toUndefined(before.right)
  const app = owner?.workspace === workspace && owner.isFormer !== true ? owner.app : undefined
  return E.right({ ...sender, ...(app !== undefined && { app }) })
}

/** Everything but the access token; the app only if it is given. */
const describeSender = ({ phoneNumberId, businessAccountId, marketingApi, isDefault }: Sender, app: SenderForm['app']): Described =>
  ({
    subject: phoneNumberId,
    details: {
      business_account_id: businessAccountId ?? null, ...(marketingApi !== undefined && { marketing_api: marketingApi ? 'on' : 'off' }),
      ...(app !== undefined && { app }), ...(isDefault && { default: true }),
    },
  })

const ACCESS_TOKEN = /^[!-~]{1,4096}$/

/** Checks the form of the platform's ids and of the access token. */
const checkForm = ({
  phoneNumberId, businessAccountId, marketingApi, app, isDefault, ...secret
}: SenderForm): E.Either<InvalidAccountId | InvalidAccessToken, Sender> => {
  const wrong = [phoneNumberId, businessAccountId].find((id) => id !== undefined && !isPlatformAccountId(id))
  if (wrong !== undefined) return E.left({ _tag: 'InvalidAccountId', id: wrong })
  const accessToken = secret.accessToken.trim()
  return ACCESS_TOKEN.test(accessToken)
    ? E.right({
        phoneNumberId: senderIdOf(phoneNumberId), accessToken, businessAccountId, ...(marketingApi !== undefined && { marketingApi }),
        ...(app !== undefined && app !== null && { app }), ...(isDefault && { isDefault }),
      })
    : E.left({ _tag: 'InvalidAccessToken' })
}

/**
 * Removes a sender from a workspace. It sends and receives nothing until it is added again; the number is free for other workspaces.
 *
 * `SenderInUse`: it is not known yet whether some of its messages were sent.
 */
export type RemoveSender = (command: SenderCommand) => Promise<E.Either<RemoveSenderError, void>>

/** A sender of a workspace. */
export type SenderCommand = SenderOf & { readonly by: Actor }

/** How removing it can fail. */
export type RemoveSenderError = UnknownSender | SenderInUse | Forbidden | PortFailure

/** The dependencies of removing it. */
export type RemoveSenderDeps = ActDeps & { readonly senders: Pick<SenderAssignment, 'remove'> }

export const makeRemoveSender =
  ({ senders, ...deps }: RemoveSenderDeps): RemoveSender =>
  ({ by, workspace, sender }) =>
    perform(deps, { by, act: 'sender.remove', workspace, subject: sender }, {}, (outboxEntries: MakeOutboxEntries<SenderId>) =>
      senders.remove({ workspace, sender }, outboxEntries))

/** Makes a sender the one through which requests go that name none. */
export type SetDefaultSender = (command: SenderCommand) => Promise<E.Either<UnknownSender | Forbidden | PortFailure, void>>

/** The dependencies of it. */
export type SetDefaultSenderDeps = ActDeps & { readonly senders: Pick<SenderAssignment, 'makeDefault'> }

export const makeSetDefaultSender =
  ({ senders, ...deps }: SetDefaultSenderDeps): SetDefaultSender =>
  ({ by, workspace, sender }) =>
    perform(deps, { by, act: 'sender.set_default', workspace, subject: sender }, {}, (outboxEntries: MakeOutboxEntries<SenderId>) =>
      senders.makeDefault({ workspace, sender }, outboxEntries))

/**
 * Replaces the ids and the token of a sender whose number has moved to another business account. What is known of numbers stays, what is known of user ids and
 * templates does not, because they belong to the previous account.
 */
export type ReplaceSender = (command: ReplaceSenderCommand) => Promise<E.Either<ReplaceSenderError, Sender>>

/** The present id of the sender, and the new data of the platform account. */
export type ReplaceSenderCommand = SenderCommand & { readonly replacement: SenderForm }

/** How replacing it can fail. */
export type ReplaceSenderError = InvalidAccountId | InvalidAccessToken | SenderNotConfirmed | ReplaceFailure | Forbidden | PortFailure

/** The dependencies of replacing it. */
export type ReplaceSenderDeps = ActDeps & {
  readonly senders: Pick<SenderAssignment, 'replace'> & Pick<SenderDirectory, 'ownerOf'>
  readonly verification: SenderVerification
  readonly now: Clock
  readonly refreshNumber?: RefreshNumber
}

/** The audit log has both ids. */
export const makeReplaceSender =
  ({ senders, verification, now, refreshNumber, ...deps }: ReplaceSenderDeps): ReplaceSender =>
  async ({ by, workspace, sender, replacement }) => {
    const checked = checkForm(replacement)
    const details = E.isRight(checked)
      ? { details: { ...describeSender(checked.right, replacement.app).details, phone_number_id: checked.right.phoneNumberId } }
      : {}
    const performed = await perform(
      deps, { by, act: 'sender.replace', workspace, subject: sender, ...details }, {},
      async (outboxEntries: MakeOutboxEntries<SenderId>): Promise<E.Either<Exclude<ReplaceSenderError, Forbidden>, Sender>> => {
        if (E.isLeft(checked)) return checked
        const confirmed = verification === 'trusted' ? checked : await confirm(verification, checked.right)
        if (E.isLeft(confirmed)) return confirmed
        const at = now()
        const complete = await withKeptApp(senders, { workspace, sender, at }, checked.right, replacement.app)
        if (E.isLeft(complete)) return complete
        const replaced = await senders.replace({ workspace, sender }, complete.right, at, outboxEntries)
        return E.isLeft(replaced) ? replaced : complete
      },
    )
    if (E.isRight(performed)) await refreshNumber?.({ workspace, sender: performed.right.phoneNumberId })
    return performed
  }
