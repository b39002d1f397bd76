import * as E from 'fp-ts/lib/Either.js'
import type { Batch, BatchState } from '../../../../core/batches/batch.js'
import type { BatchesOfWorkspace } from '../../../../core/batching.js'
import type { BatchId, WorkspaceId } from '../../../../core/kernel/ids.js'
import { type SenderId, senderIdOf } from '../../../../core/senders/sender.js'
import { templateCursor, templatePlace } from '../../../../core/templates/catalogue.js'
import { isApproved, type TemplateRecord } from '../../../../core/templates/template.js'
import type { ConsolePath } from '../../answer.js'
import type { GatewayFacts, UsesOf } from '../../gateway.js'
import type { Tone } from '../../parts.js'
import type { NumbersDeps } from '../numbers/names.js'

/** The dependencies of these pages. */
export type BatchesSection = BatchesOfWorkspace & NumbersDeps
  & Pick<UsesOf<'templates'>, 'listTemplates'> & Pick<UsesOf<'money'>, 'showRateCard'> & Pick<UsesOf<'customers'>, 'nameCustomers'>
  & Pick<UsesOf<'clock'>, 'now'> & Pick<GatewayFacts, 'fileForms'>

/** The address of the list of batches. */
export const batchesPath = (workspace: WorkspaceId): ConsolePath => `/console/workspaces/${workspace}/batches`

/** The address of a batch. */
export const batchPath = ({ workspace, id }: { readonly workspace: WorkspaceId; readonly id: BatchId }): ConsolePath =>
  `${batchesPath(workspace)}/${id}`

/** The name of a batch for people. */
export const titleOf = ({ name, templateName }: Pick<Batch, 'name' | 'templateName'>): string => name ?? templateName

/** The colours of the states of batches. */
export const TONES: Readonly<Record<BatchState, Tone>> = {
  draft: 'quiet', confirmed: 'moving', sending: 'moving', paused: 'attention', done: 'good', canceled: 'quiet',
}

/** A template, and a number whose business account has it. */
export type ChosenTemplate = { readonly sender: SenderId; readonly name: string; readonly language: string }

/** A chosen template as the value of a form field or of an address. */
export const writeChoice = ({ sender, name, language }: ChosenTemplate): string => `${sender}.${templateCursor({ name, language })}`

/** The template that a form or an address names. */
export const readChoice = (text: string): ChosenTemplate | undefined => {
  const at = text.indexOf('.')
  return at <= 0 ? undefined : { sender: senderIdOf(text.slice(0, at)), ...templatePlace(text.slice(at + 1)) }
}

/** The maximum number of templates to choose from. */
const TEMPLATES_SHOWN = 500

/** The approved templates of the business account of a number; empty if they cannot be read. */
export const approvedTemplates = async (
  { listTemplates }: BatchesSection, workspace: WorkspaceId, sender: SenderId,
): Promise<ReadonlyArray<TemplateRecord>> => {
  const listed = await listTemplates({ workspace, sender }, { limit: TEMPLATES_SHOWN })
  return E.isLeft(listed) ? [] : listed.right.items.filter(isApproved)
}

/** The approved template that a form or an address names; `undefined` if there is none. */
export const findTemplate = async (
  { listTemplates }: BatchesSection, workspace: WorkspaceId, { sender, name, language }: ChosenTemplate,
): Promise<TemplateRecord | undefined> => {
  const listed = await listTemplates({ workspace, sender }, { limit: TEMPLATES_SHOWN, name })
  return E.isLeft(listed) ? undefined : listed.right.items.find((template) => template.language === language && isApproved(template))
}
