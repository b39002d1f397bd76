import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { templateMessage } from '../message.js'
import { previewOf } from '../template-preview.js'
import { prepareTemplate, type PrepareTemplateError } from './prepare-template.js'
import { fundsFor, type Quote, type QuoteDeps, type QuoteError } from './quote.js'
import type { SendTemplateCommand } from './send-template.js'

/** Says what a template would cost now and what the customer would read, or why its send would be refused. Nothing is sent, held or stored. */
export type QuoteTemplate = (command: QuoteTemplateCommand) => TE.TaskEither<QuoteTemplateError, Quote>

/** A template as its send takes it. */
export type QuoteTemplateCommand = Omit<SendTemplateCommand, 'idempotencyKey' | 'along' | 'ahead'>
/** Why the template would be refused before the platform is asked. */
export type QuoteTemplateError = PrepareTemplateError | QuoteError
/** What the quote of a template needs. */
export type QuoteTemplateDeps = QuoteDeps

/** Makes the use case of what it needs. */
export const makeQuoteTemplate =
  (deps: QuoteTemplateDeps): QuoteTemplate =>
  ({ workspace, ...template }) =>
  async () => {
    const message = templateMessage(template)
    const prepared = await prepareTemplate(deps, workspace, message)()
    if (E.isLeft(prepared)) return prepared
    const { price, template: known } = prepared.right
    const available = await fundsFor(deps, workspace, price)()
    if (E.isLeft(available)) return available
    const preview = known && previewOf(known, message.components)
    return E.right({ price, available: available.right, lastInbound: undefined, preview })
  }
