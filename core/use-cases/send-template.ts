import type * as TE from 'fp-ts/lib/TaskEither.js'
import { deliver, deliverCommand, type DeliverDeps, type DeliverError } from './deliver.js'
import type { Ahead } from './prepare.js'
import { prepareTemplate, type PrepareTemplateError, type TemplateReads } from './prepare-template.js'
import { withReplay, type ReplayError } from './replay.js'
import type { Along } from '../event.js'
import type { IdempotencyKey } from '../idempotency.js'
import { templateMessage, type NewTemplateMessage, type Sent } from '../message.js'
import type { MovedMessage } from '../ports/message-log.js'
import type { SendingKey } from '../spending-limit.js'
import type { WorkspaceId } from '../workspace.js'

/** Sends an approved template, which the platform takes at any time. */
export type SendTemplate = (command: SendTemplateCommand) => TE.TaskEither<SendTemplateError, Sent>

/** A template to be sent for a workspace. */
export type SendTemplateCommand = NewTemplateMessage & {
  readonly workspace: WorkspaceId
  readonly idempotencyKey?: IdempotencyKey
  /** The API key that it is sent with, where there is one; its limit of a day is kept. */
  readonly key?: SendingKey
  /** What becomes durable together with the acceptance by the platform. */
  readonly along?: Along<MovedMessage>
  /** Its reads, where they were begun before; they are not older than the request. */
  readonly ahead?: Ahead<TemplateReads>
}

/** How sending a template can fail; the customer service window does not matter. */
export type SendTemplateError = PrepareTemplateError | DeliverError | ReplayError
/** What sending a template needs. */
export type SendTemplateDeps = DeliverDeps

/** Makes the use case of what it needs. */
export const makeSendTemplate =
  (deps: SendTemplateDeps): SendTemplate =>
  ({ workspace, idempotencyKey, key, along, ahead, ...template }) => {
    const message = templateMessage(template)
    const command = deliverCommand(deps, { workspace, idempotencyKey, key, along }, message)
    return withReplay(deps, command)(deliver(deps, prepareTemplate(deps, workspace, message, ahead))(command))
  }
