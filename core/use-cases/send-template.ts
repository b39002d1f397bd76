import type * as TE from 'fp-ts/lib/TaskEither.js'
import { templateMessage, type NewTemplateMessage, type Sent } from '../message.js'
import { deliver, deliverCommand, type DeliverDeps, type DeliverError, type SendOptions } from './deliver.js'
import { prepareTemplate, type PrepareTemplateError, type TemplateReads } from './prepare-template.js'
import { withReplay, type ReplayError } from './replay.js'

/** Sends an approved template, which the platform takes at any time. */
export type SendTemplate = (command: SendTemplateCommand) => TE.TaskEither<SendTemplateError, Sent>

/** A template to be sent for a workspace. */
export type SendTemplateCommand = NewTemplateMessage & SendOptions<TemplateReads>

/** How sending a template can fail; the customer service window does not matter. */
export type SendTemplateError = PrepareTemplateError | DeliverError | ReplayError
/** What sending a template needs. */
export type SendTemplateDeps = DeliverDeps

/** Makes the use case of what it needs. */
export const makeSendTemplate =
  (deps: SendTemplateDeps): SendTemplate =>
  (template) => {
    const message = templateMessage(template)
    const command = deliverCommand(deps, template, message)
    return withReplay(deps, command)(deliver(deps, prepareTemplate(deps, template.workspace, message, template.ahead))(command))
  }
