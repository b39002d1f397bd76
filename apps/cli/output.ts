import * as E from 'fp-ts/lib/Either.js'
import type { InvalidConsent } from '../../core/consent/record.js'
import type { MintKeyError, RevokeKeyError, RotateKeyError } from '../../core/access/key-use-cases.js'
import type { InviteMemberError, RemoveMemberError } from '../../core/access/member-use-cases.js'
import type { AddEndpointError, ChangeEndpointError } from '../../core/events/endpoint-use-cases.js'
import type { RedeliverEventError } from '../../core/events/use-cases.js'
import type { Page, PageQuery } from '../../core/kernel/page.js'
import { formatMicros } from '../../core/kernel/money.js'
import type { Instant } from '../../core/kernel/time.js'
import type { SetPricingError } from '../../core/money/pricing.js'
import type { AdjustWalletError, TopUpError } from '../../core/money/use-cases.js'
import type { EraseCustomerError } from '../../core/privacy.js'
import type { RecordInboundError } from '../../core/reports/receive.js'
import type { SettleLostMessageError } from '../../core/reports/status.js'
import { type BusinessAccountNotConfigured, MAX_SENDERS, type SenderInUse, type SenderNotConfigured } from '../../core/senders/sender.js'
import type { AssignSenderError, RemoveSenderError, ReplaceSenderError } from '../../core/senders/use-cases.js'
import type { FindMessageError } from '../../core/timeline.js'
import type { CancelError } from '../../core/sending/queue.js'
import type { ResolveMessageError } from '../../core/sending/reconcile.js'
import type {
  ArchiveWorkspaceError, CreateWorkspaceError, FindWorkspaceError, RenameWorkspaceError,
} from '../../core/workspaces/use-cases.js'
import type { AddAppError, AppInUse, RemoveAppError, RotateAppError } from '../../core/workspaces/apps.js'
import { everyItem } from '../server/summary.js'
import { causeOf } from '../server/package.js'
import type { Shell } from './shell.js'

/** Every item of a list, page after page, or only the first `limit` items. */
export const allItems = <Item>(
  page: (query: PageQuery) => Promise<E.Either<CommandError, Page<Item>>>, limit?: number,
): Promise<ReadonlyArray<Item>> =>
  everyItem((query) => unwrap(page(query)), limit)

/** Every failure of a command. */
export type CommandError =
  | InvalidConsent
  | AddAppError | AddEndpointError | AdjustWalletError | ArchiveWorkspaceError | AssignSenderError | CreateWorkspaceError
  | EraseCustomerError | FindMessageError | FindWorkspaceError | InviteMemberError | MintKeyError | BusinessAccountNotConfigured
  | CancelError | ChangeEndpointError | RecordInboundError | RedeliverEventError | RemoveMemberError | RenameWorkspaceError
  | ResolveMessageError | RemoveAppError | RemoveSenderError | ReplaceSenderError | RevokeKeyError | RotateAppError | RotateKeyError
  | SenderNotConfigured | SetPricingError | SettleLostMessageError | TopUpError

/** The arguments of a command are wrong. The command ends with exit status 2. */
export class UsageError extends Error {}

/** A command completed and printed a fault that it found. It ends with exit status 1 and prints no further sentence. */
export class FaultFound extends Error {}

/** The storage failed during a command; the wording depends on the cause. */
export class StorageFailed extends Error {}

/** Ends a command with a sentence on standard error and exit status 1. */
export const fail = (sentence: string): never => {
  throw new Error(sentence)
}

/** Runs a step of a command and returns its result; a failure ends the command with a sentence. */
export const unwrap = async <A>(step: Promise<E.Either<CommandError, A>> | E.Either<CommandError, A>): Promise<A> => {
  const result = await step
  return E.isRight(result) ? result.right : throwFailure(result.left)
}

const throwFailure = (error: CommandError): never => {
  switch (error._tag) {
    case 'InvalidAmount': throw new UsageError(`The amount is wrong: ${error.reason}.`)
    case 'InvalidConsent': throw new UsageError(`${error.reason}.`)
    case 'InvalidName': throw new UsageError(`The name is wrong: ${error.reason}.`)
    case 'InvalidDescription': throw new UsageError('The description is wrong: it must be one line of at most 255 characters.')
    case 'InvalidEndpointUrl': case 'InvalidEventTypes': throw new UsageError(`The endpoint is wrong: ${error.reason}.`)
    case 'UnknownEventType': throw new UsageError(`There is no event type ${JSON.stringify(error.type)}.`)
    case 'InvalidEmail': throw new UsageError('The email address is not valid; an example is ada@example.com.')
    case 'InvalidScopes': throw new UsageError(`The scopes are wrong: ${error.reason}.`)
    case 'InvalidExpiry': throw new UsageError(`The expiry is wrong: ${error.reason}.`)
    case 'InvalidOverlap': throw new UsageError(`The overlap is wrong: ${error.reason}.`)
    case 'InvalidNote': throw new UsageError('The note is wrong: it must be one line of 1 to 1000 characters.')
    case 'InvalidReference': throw new UsageError('The reference is wrong: it must have 1 to 255 printable ASCII characters, without a space at either end.')
    case 'InvalidAccountId': throw new UsageError(`${JSON.stringify(error.id)} is not an id of the platform; it must have 1 to 32 digits.`)
    case 'InvalidAccessToken':
      return fail('The access token is empty or contains invalid characters; pass it in POSTERN_ACCESS_TOKEN or on standard input.')
    case 'InvalidAppSecret':
      throw new UsageError(`The ${error.of === 'app_secret' ? 'app secret' : 'verify token'} on standard input is wrong: it must have 1 to 256 printable ASCII characters without spaces.`)
    case 'AppHasOneSecret': return fail('The app has one app secret, which cannot be removed; `postern app rotate` adds another one.')
    case 'AppHasTwoSecrets':
      return fail('The app already has two app secrets; remove one of them first: the old one with --finish, or the new one with --cancel.')
    case 'AppInUse': return fail(`${sendersOfApp(error)}, so it was not removed. Give each another app with \`postern sender set … --app\`, or remove the sender.`)
    case 'AppNameTaken': return fail(`There already is an app named ${JSON.stringify(error.name)}; \`postern app list\` shows them.`)
    case 'AlreadySent': return fail(`Message ${error.id} is ${error.state}; only a queued message can be canceled.`)
    case 'AmbiguousName': return fail(`Several workspaces are named ${JSON.stringify(error.named)}: ${error.ids.join(', ')}; use an id.`)
    case 'BalanceOutOfRange': return fail('The balance would be below zero or more than a wallet can hold; nothing was changed.')
    case 'BusinessAccountNotConfigured':
      return fail('The sender has no business account id; `postern sender set` with --business-account-id adds one.')
    case 'CurrencyNotPriced':
      return fail(`The rate card's prices are in ${error.priced}, so a workspace in ${error.wanted} could send nothing; load a rate card in ${error.wanted} first.`)
    case 'CardCurrency':
      return fail(`The rate card is in ${error.wanted}, but the installation's prices are in ${error.priced}; nothing was changed.`)
    case 'EndpointDisabled': return fail(`Endpoint ${error.id} is disabled, so nothing is delivered to it; \`postern endpoint enable ${error.id}\` enables it.`)
    case 'EndpointNotFound': return fail(`There is no endpoint ${JSON.stringify(error.id)}; \`postern endpoint list WORKSPACE\` shows them.`)
    case 'EventNotFound': return fail(`The endpoint's workspace has no event ${JSON.stringify(error.id)}, or no longer has it.`)
    case 'Forbidden':
      return fail(error.isArchived === true ? 'The workspace is archived, so it can only be read.' : 'You do not have permission for this.')
    case 'InboundInFuture': return fail(`A customer cannot have written in the future: ${iso(error.at)} is later than now.`)
    case 'KeyEnded': return fail(`Key ${error.id} is revoked or has expired, so it cannot be replaced; \`postern key mint\` creates a new one.`)
    case 'KeyReplaced': return fail(`Key ${error.id} has already been replaced by key ${error.by}; rotate that one, or mint a new key.`)
    case 'MessagesUnderWay':
      return fail(`It is not known yet whether ${error.count === 1 ? 'one message' : `${error.count} messages`} to this customer ${error.count === 1 ? 'was' : 'were'} sent, so nothing was erased. `
        + 'Wait for the platform\'s report, or settle them with `postern message resolve`, then try again.')
    case 'LastOperator': return fail('This is the last operator; invite another operator first, because only operators can create operators.')
    case 'MemberNotFound': return fail(`No person with the email ${JSON.stringify(error.member)} may sign in; \`postern member list\` shows who may.`)
    case 'LostMessageSettled': return fail(`The lost message ${JSON.stringify(error.id)} has already been settled; nothing was changed.`)
    case 'NameTaken':
      return fail(`Workspace ${error.by} already has the name ${JSON.stringify(error.name)}; choose another name, or create a second one with --again.`)
    case 'NoSuchApp': return fail(`There is no app ${JSON.stringify(error.named)}; \`postern app list\` shows them.`)
    case 'NoSuchLostMessage': return fail(`The workspace has no lost message ${JSON.stringify(error.id)}; \`postern wallet audit\` shows them.`)
    case 'NoSuchMessage': return fail(`There is no message ${JSON.stringify(error.id)}; \`postern message list WORKSPACE\` shows them.`)
    case 'NoSuchWorkspace': return fail(`There is no workspace ${JSON.stringify(error.named)}; \`postern workspace list\` shows them.`)
    case 'NotUnconfirmed':
      return fail(error.state === 'pending'
        ? `Message ${error.id} may still be on its way; try again when \`postern message unconfirmed\` shows it.`
        : `Message ${error.id} is ${error.state}; only an unconfirmed message can be resolved.`)
    case 'PortFailure': throw new StorageFailed(`The database failed: ${causeOf(error.cause).message}.`, { cause: error.cause })
    case 'ReferenceReused':
      return fail(`That reference was used before, for an amount of ${formatMicros(error.credited)}; nothing was changed. Use another reference, or repeat that amount.`)
    case 'SenderInUse': return fail(`${underWay(error).join(' ')} Nothing was changed.`)
    case 'SenderNotConfigured': return fail('The workspace has no sender; `postern sender set` adds one.')
    case 'SenderNotConfirmed': return fail(`${error.reason}; nothing was changed.`)
    case 'SenderTaken': return fail('Another workspace already sends through that phone number id; `postern sender list` shows which, and `postern sender remove WORKSPACE PHONE_NUMBER_ID` removes it there.')
    case 'TooManyApps': return fail(`There are ${error.most} apps, which is the maximum.`)
    case 'TooManySenders': return fail(`The workspace has ${MAX_SENDERS} senders, which is the maximum; remove one first.`)
    case 'UnknownSender': return fail(`The workspace has no sender with the phone number id ${error.sender}; \`postern sender show WORKSPACE\` shows its senders.`)
    case 'TooManyEndpoints': return fail(`The workspace has ${error.most} endpoints, which is the maximum; remove one first.`)
    case 'UnknownApiKey': return fail('There is no API key with that id; `postern key list WORKSPACE` shows the ids.')
    case 'UnknownWorkspace': return fail('There is no workspace with that id; `postern workspace list` shows them.')
  }
}

/** What is under way of a sender, and what shows it. */
const underWay = ({ count, batches = 0 }: SenderInUse): ReadonlyArray<string> => [
  ...(count === 0 ? [] : [`${count === 1 ? 'One message of this sender waits in the queue, or it is not known yet whether it was' : `${count} messages of this sender wait in the queue, or it is not known yet whether they were`} sent; \`postern queue show\` and \`postern message unconfirmed\` show them.`]),
  ...(batches === 0 ? [] : [`${batches === 1 ? 'One batch of this sender is' : `${batches} batches of this sender are`} neither done nor canceled; \`postern batch list WORKSPACE\` shows them.`]),
]

/** How many senders belong to an app, with the first of them. */
const sendersOfApp = ({ count, senders }: AppInUse): string => {
  const named = senders.map(({ workspace, sender }) => `${sender} of workspace ${workspace}`).join(', ')
  const more = count > senders.length ? ` and ${count - senders.length} more` : ''
  return `${count === 1 ? 'One sender belongs' : `${count} senders belong`} to the app (${named}${more})`
}

/** The `--json` of a command line. */
export type JsonFlag = { readonly json?: boolean }

/** Writes the result of a command: as JSON if `--json` was given, otherwise as lines for people. */
export const print = ({ stdout }: Pick<Shell, 'stdout'>, { json }: JsonFlag, value: unknown, lines: () => ReadonlyArray<string>): void => {
  for (const line of json === true ? [JSON.stringify(value)] : lines()) stdout.write(`${line}\n`)
}

/** Prints a remark for the person on standard error, so that a program that reads standard output gets only the result. */
export const remark = ({ stderr }: Pick<Shell, 'stderr'>, { json }: JsonFlag, line: string): void => {
  if (json !== true) stderr.write(`${line}\n`)
}

/** Rows under a heading, with aligned columns; columns of amounts are aligned right. */
export const table = (heading: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const all = [heading, ...rows]
  const widths = heading.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  const right = heading.map((_, column) => rows.length > 0 && rows.every((row) => /^-?[0-9]+(\.[0-9]+)?$/.test(row[column] ?? '')))
  return all.map((row) =>
    row
      .map((cell, column) => (right[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}

/** A timestamp as ISO 8601 in UTC; `null` if it is absent. */
export const iso = <At extends Instant | undefined>(at: At): At extends Instant ? string : string | null =>
  (at === undefined ? null : new Date(at).toISOString()) as At extends Instant ? string : string | null

/** An amount for people: six decimals and the currency. */
export const amount = (micros: bigint, currency: string): string => `${formatMicros(micros)} ${currency}`
