import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import type { PortFailure } from '../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { elementsOf, isJsonObject } from '../../../core/kernel/json.js'
import { CONTENT_TYPES } from '../../../core/messages/content.js'
import type { KeptContent } from '../../../core/messages/kept-content.js'
import type { MessageId } from '../../../core/messages/message.js'
import { previewOf } from '../../../core/templates/parts.js'
import { TEXTS } from '../texts.js'
import type { MessagesSection } from './messages-section.js'
import { type Bubble, bubbleOf, Preview } from './preview.js'

const { message: texts } = TEXTS

/** What a message said, as a phone shows it; `undefined` where that is not kept, or was made of a template that the catalogue has no longer. */
export const saidBy = async ({ contents }: MessagesSection, workspace: WorkspaceId, message: MessageId): Promise<E.Either<PortFailure, Bubble | undefined>> => {
  if (contents === undefined) return E.right(undefined)
  const found = await contents.find(workspace, [message])
  if (E.isLeft(found)) return found
  const kept = found.right.get(message)
  if (kept === undefined) return E.right(undefined)
  const type = CONTENT_TYPES.find((one) => one === kept['type'])
  return type === undefined ? templateSaid(contents, workspace, kept) : E.right(bubbleOf(type, kept[type] ?? null))
}

const TEMPLATES_LOOKED_AT = 100

const templateSaid = async ({ listTemplates }: NonNullable<MessagesSection['contents']>, workspace: WorkspaceId, { template }: KeptContent): Promise<E.Either<PortFailure, Bubble | undefined>> => {
  const { name, language, components } = isJsonObject(template) ? template : {}
  if (typeof name !== 'string') return E.right(undefined)
  const listed = await listTemplates(workspace, { limit: TEMPLATES_LOOKED_AT, name })
  if (E.isLeft(listed)) return listed
  const found = listed.right.items.find((one) => one.name === name && isJsonObject(language) && one.language === language['code'])
  return E.right(found && previewOf(found, (elementsOf(components) ?? []).filter(isJsonObject)))
}

/** What a message said. */
export const Said = ({ bubble }: { readonly bubble: Bubble | undefined }): VNode | null => (bubble === undefined ? null : <><h2>{texts.said}</h2><Preview preview={bubble} /></>)
