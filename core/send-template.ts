import type * as TE from 'fp-ts/lib/TaskEither.js'
import { deliver, type DeliverDeps, type DeliverError } from './deliver.js'
import type { IdempotencyKey } from './idempotency.js'
import type { JsonObject } from './json.js'
import { DEFAULT_LANGUAGE, type PhoneNumber } from './message.js'
import type { Sent } from './sent.js'
import type { WorkspaceId } from './workspace.js'

/** Sends an approved template, which the platform takes at any time. */
export type SendTemplate = (command: SendTemplateCommand) => TE.TaskEither<SendTemplateError, Sent>

/** A template to be sent for a workspace. */
export type SendTemplateCommand = {
  readonly workspace: WorkspaceId
  readonly to: PhoneNumber
  /** The exact name of the template, 1 to `MAX_TEMPLATE_NAME_LENGTH` characters. */
  readonly name: string
  /** Passed on exactly as given; `DEFAULT_LANGUAGE` where absent. */
  readonly language?: string
  readonly components?: ReadonlyArray<JsonObject>
  readonly idempotencyKey?: IdempotencyKey
}

/** How sending a template can fail; there is no window for it to be outside of. */
export type SendTemplateError = DeliverError
/** What sending a template needs. */
export type SendTemplateDeps = DeliverDeps

/** Makes the use case of what it needs. */
export const makeSendTemplate =
  (deps: SendTemplateDeps): SendTemplate =>
  ({ to, name, language = DEFAULT_LANGUAGE, components, ...of }) =>
    deliver(deps)({ ...of, message: { _tag: 'Template', to, name, language, ...(components && { components }) } })
