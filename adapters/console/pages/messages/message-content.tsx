import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import { elementsOf, isJsonObject, type Json } from '../../../../core/kernel/json.js'
import { CONTENT_TYPES } from '../../../../core/messages/content.js'
import type { KeptContent } from '../../../../core/messages/kept-content.js'
import type { MessageId, MessageRecord } from '../../../../core/messages/message.js'
import { previewOf } from '../../../../core/templates/parts.js'
import type { UnknownSender } from '../../../../core/senders/sender.js'
import type { TemplateRecord } from '../../../../core/templates/template.js'
import { TEXTS } from '../../texts.js'
import type { MessagesSection } from './messages-section.js'
import { type Bubble, bubbleOf, Preview } from '../sending/preview.js'

const { message: texts } = TEXTS

/** The sources of message contents. */
type Contents = Pick<MessagesSection, 'listTemplates' | 'readContents'>

/** The contents of messages, as a phone shows them. Messages without kept content are omitted, and so are messages of a template that is no longer in the catalogue. */
export const saidByAll = async (
  contents: Contents, workspace: WorkspaceId, messages: ReadonlyArray<MessageId>,
): Promise<E.Either<UnknownSender | PortFailure, ReadonlyMap<MessageId, Bubble>>> => {
  if (messages.length === 0) return E.right(new Map())
  const found = await contents.readContents(workspace, messages)
  if (E.isLeft(found)) return found
  const templates = await templatesOf(contents, workspace, [...found.right.values()])
  if (E.isLeft(templates)) return templates
  return E.right(new Map([...found.right].flatMap(([id, kept]) => {
    const bubble = bubbleIn(kept, templates.right)
    return bubble === undefined ? [] : [[id, bubble]]
  })))
}

/** For messages without kept content, the text of their templates, in which variables stay unfilled; none for a template that is no longer in the catalogue. */
export const patternsOf = async (
  contents: Pick<Contents, 'listTemplates'>, workspace: WorkspaceId, messages: ReadonlyArray<MessageRecord>,
): Promise<E.Either<UnknownSender | PortFailure, ReadonlyMap<MessageId, Bubble>>> => {
  const templates = await readTemplates(contents, workspace, messages.map(({ templateName }) => templateName))
  return E.map((known: ReadonlyArray<TemplateRecord>) => new Map(messages.flatMap(({ id, templateName, language }) => {
    const found = known.find((one) => one.name === templateName && one.language === language)
    return found === undefined ? [] : [[id, { ...previewOf(found, undefined), isPattern: true }]]
  })))(templates)
}

/** The content of one message. */
export const saidBy = async (
  contents: Contents, workspace: WorkspaceId, message: MessageId,
): Promise<E.Either<UnknownSender | PortFailure, Bubble | undefined>> =>
  E.map((said: ReadonlyMap<MessageId, Bubble>) => said.get(message))(await saidByAll(contents, workspace, [message]))

const TEMPLATES_LOOKED_AT = 100

/** The templates that contents refer to. */
const templatesOf = (contents: Contents, workspace: WorkspaceId, kept: ReadonlyArray<KeptContent>) =>
  readTemplates(contents, workspace, kept.map(({ template }) => (isJsonObject(template) ? template['name'] : undefined)))

/** The templates of some names, each looked up once. */
const readTemplates = async (
  { listTemplates }: Pick<Contents, 'listTemplates'>, workspace: WorkspaceId, given: ReadonlyArray<Json | undefined>,
): Promise<E.Either<UnknownSender | PortFailure, ReadonlyArray<TemplateRecord>>> => {
  const names = [...new Set(given.filter((name) => typeof name === 'string'))]
  const listed = E.sequenceArray(await Promise.all(names.map((name) => listTemplates({ workspace }, { limit: TEMPLATES_LOOKED_AT, name }))))
  return E.map((pages: ReadonlyArray<{ readonly items: ReadonlyArray<TemplateRecord> }>) => pages.flatMap(({ items }) => items))(listed)
}

const bubbleIn = (kept: KeptContent, templates: ReadonlyArray<TemplateRecord>): Bubble | undefined => {
  const type = CONTENT_TYPES.find((one) => one === kept['type'])
  if (type !== undefined) return bubbleOf(type, kept[type] ?? null)
  const { name, language, components } = isJsonObject(kept['template']) ? kept['template'] : {}
  const found = templates.find((one) => one.name === name && isJsonObject(language) && one.language === language['code'])
  return found && previewOf(found, (elementsOf(components) ?? []).filter(isJsonObject))
}

/** The content of a message. */
export const Said = ({ bubble }: { readonly bubble: Bubble | undefined }): VNode | null =>
  bubble === undefined ? null : <><h2>{texts.said}</h2><Preview preview={bubble} /></>
