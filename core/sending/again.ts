import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../access/access.js'
import { type CustomerId, isForgotten } from '../customers/customer.js'
import type { Actor } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { elementsOf, isJsonObject } from '../kernel/json.js'
import { CONTENT_TYPES } from '../messages/content.js'
import type { KeptContent, MessageContents } from '../messages/kept-content.js'
import type { MessageLog } from '../messages/message-log.js'
import type { IdempotencyKey, Message, MessageId, MessageRecord, NoSuchMessage, Sent } from '../messages/message.js'
import { templateFields } from '../templates/parts.js'
import type { ListTemplates } from '../templates/use-cases.js'
import type { UnknownSender } from '../senders/sender.js'
import type { PrepareCommand } from './prepare.js'
import type { Quote, QuoteError, QuoteMessage } from './quote.js'
import { noted, type SendAsPersonDeps, type SendError } from './send.js'

/** The message was neither refused nor reported as failed, so a second one might reach the customer twice. */
export type NotFailed = { readonly _tag: 'NotFailed' }

/** The content of the message is not stored, and it is not a template without variables. */
export type ContentNotKept = { readonly _tag: 'ContentNotKept' }

/** Why a message cannot be sent again, apart from the failures of a send. */
export type NotAgain = NoSuchMessage | NotFailed | ContentNotKept | UnknownSender | PortFailure

/** Whether a message that was refused or has failed may be sent again; another one may have reached the customer. */
export const mayBeAgain = ({ state, to }: Pick<MessageRecord, 'state' | 'to'>): boolean =>
  (state === 'failed' || state === 'refused') && !isForgotten(to)

/** Quotes a message again: what sending it a second time would cost now, or why it would be refused. */
export type QuoteAgain = (command: AgainCommand) => Promise<E.Either<QuoteError | NotAgain, Quote>>

/** A message of a workspace that was refused or has failed. */
export type AgainCommand = { readonly workspace: WorkspaceId; readonly message: MessageId }

/**
 * Sends the content of a refused or failed message a second time, for a person, as a new message with its own price. The audit log names the first message.
 * A repeated request with the same idempotency key sends nothing.
 */
export type SendAgain = (
  command: AgainCommand & { readonly by: Actor; readonly idempotencyKey: IdempotencyKey },
) => Promise<E.Either<SendError | NotAgain | Forbidden, Sent>>

/** What sending again reads, in addition to what a send needs. */
export type AgainDeps = SendAsPersonDeps & {
  readonly messageLog: Pick<MessageLog, 'find'>
  readonly messageContents: Pick<MessageContents, 'find'>
  readonly listTemplates: ListTemplates
  readonly quote: QuoteMessage
}

export const makeQuoteAgain = (deps: Pick<AgainDeps, 'messageLog' | 'messageContents' | 'listTemplates' | 'quote'>): QuoteAgain =>
  async (command) => {
    const message = await messageAgain(deps, command)
    return E.isLeft(message) ? message : deps.quote({ workspace: command.workspace, ...message.right })
  }

export const makeSendAgain = (deps: AgainDeps): SendAgain => ({ by, workspace, message: again, idempotencyKey }) =>
  noted<SendError | NotAgain>(deps, by, workspace, { again }, async (outboxEntries) => {
    const message = await messageAgain(deps, { workspace, message: again })
    return E.isLeft(message) ? message : deps.send({ workspace, ...message.right, idempotencyKey, outboxEntries })
  })

/** The message to send: from the stored content or, if none is stored, a template that has no variables. */
const messageAgain = async (
  deps: Pick<AgainDeps, 'messageLog' | 'messageContents' | 'listTemplates'>, { workspace, message: id }: AgainCommand,
): Promise<E.Either<NotAgain, Pick<PrepareCommand<Message>, 'sender' | 'message'>>> => {
  const [found, contents] = await Promise.all([deps.messageLog.find(workspace, { id }), deps.messageContents.find(workspace, [id])])
  if (E.isLeft(found)) return found
  if (E.isLeft(contents)) return contents
  if (O.isNone(found.right)) return E.left({ _tag: 'NoSuchMessage', id })
  const record = found.right.value
  const { to } = record
  if (!mayBeAgain(record) || isForgotten(to)) return E.left({ _tag: 'NotFailed' })
  const kept = contents.right.get(id)
  const message = kept === undefined ? await plainTemplate(deps, record, to) : E.right(messageOf(kept, to))
  if (E.isLeft(message)) return message
  return message.right === undefined
    ? E.left({ _tag: 'ContentNotKept' })
    : E.right({ sender: record.sender, message: { ...message.right, ...(record.metadata && { metadata: record.metadata }) } })
}

/** The reverse of `keptContentOf`, without the quoted message: `undefined` if the content has no known form. */
const messageOf = (kept: KeptContent, to: CustomerId): Message | undefined => {
  const { type, template, text } = kept
  const known = CONTENT_TYPES.find((one) => one === type)
  if (type === 'text' && isJsonObject(text) && typeof text['body'] === 'string' && Object.keys(text).length === 1) {
    return { _tag: 'Text', to, text: text['body'] }
  }
  if (known !== undefined) {
    const given = kept[known]
    const content = isJsonObject(given) ? given : elementsOf(given)?.filter(isJsonObject)
    return content && { _tag: 'Content', to, type: known, content }
  }
  if (!isJsonObject(template) || !isJsonObject(template['language'])) return undefined
  const { name, language: { code }, components } = template
  const parts = elementsOf(components)?.filter(isJsonObject)
  return typeof name === 'string' && typeof code === 'string'
    ? { _tag: 'Template', to, name, language: code, ...(parts && { components: parts }) }
    : undefined
}

/** The maximum number of languages in which a template is looked up. */
const LANGUAGES_LOOKED_AT = 100

const plainTemplate = async (
  { listTemplates }: Pick<AgainDeps, 'listTemplates'>, { workspace, sender, templateName: name, language }: MessageRecord, to: CustomerId,
): Promise<E.Either<UnknownSender | PortFailure, Message | undefined>> => {
  if (name === undefined || language === undefined) return E.right(undefined)
  const listed = await listTemplates({ workspace, sender }, { limit: LANGUAGES_LOOKED_AT, name })
  if (E.isLeft(listed)) return listed
  const template = listed.right.items.find((one) => one.language === language)
  const isPlain = template !== undefined && templateFields(template)?.length === 0
  return E.right(isPlain ? { _tag: 'Template', to, name, language } : undefined)
}
