import type * as TE from 'fp-ts/lib/TaskEither.js'
import { deliver, deliverCommand, type DeliverDeps, type DeliverError } from './deliver.js'
import { prepareTemplate } from './prepare.js'
import { withReplay, type ReplayError } from './replay.js'
import type { CustomerOptedOut, PhoneNumberRequired } from '../errors.js'
import type { IdempotencyKey } from '../idempotency.js'
import type { JsonObject } from '../json.js'
import { DEFAULT_LANGUAGE, type Sent, type TemplateMessage } from '../message.js'
import type { CustomerId } from '../customer.js'
import type { WorkspaceId } from '../workspace.js'

/** Sends an approved template, which the platform takes at any time. */
export type SendTemplate = (command: SendTemplateCommand) => TE.TaskEither<SendTemplateError, Sent>

/** A template to be sent for a workspace. */
export type SendTemplateCommand = {
  readonly workspace: WorkspaceId
  readonly to: CustomerId
  /** The exact name of the template, 1 to `MAX_TEMPLATE_NAME_LENGTH` characters. */
  readonly name: string
  /** Passed on exactly as given; `DEFAULT_LANGUAGE` where absent. */
  readonly language?: string
  readonly components?: ReadonlyArray<JsonObject>
  readonly idempotencyKey?: IdempotencyKey
}

/** How sending a template can fail; the customer service window does not matter. */
export type SendTemplateError = PhoneNumberRequired | CustomerOptedOut | DeliverError | ReplayError
/** What sending a template needs. */
export type SendTemplateDeps = DeliverDeps

/** Makes the use case of what it needs. */
export const makeSendTemplate =
  (deps: SendTemplateDeps): SendTemplate =>
  ({ workspace, to, name, language = DEFAULT_LANGUAGE, components, idempotencyKey }) => {
    const message: TemplateMessage = { _tag: 'Template', to, name, language, ...(components && { components }) }
    const command = deliverCommand(deps, workspace, message, idempotencyKey)
    return withReplay(deps, command)(deliver(deps, prepareTemplate(deps, workspace, message))(command))
  }
