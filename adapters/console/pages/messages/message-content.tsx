import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import { elementsOf, isJsonObject, type Json } from '../../../../core/kernel/json.js'
import { CONTENT_TYPES } from '../../../../core/messages/content.js'
import type { KeptContent } from '../../../../core/messages/kept-content.js'
import type { MessageId, MessageRecord } from '../../../../core/messages/message.js'
import { previewOf } from '../../../../core/templates/parts.js'
import type { SenderId } from '../../../../core/senders/sender.js'
import type { TemplateRecord } from '../../../../core/templates/template.js'
import { TEXTS } from '../../texts.js'
import type { MessagesSection } from './messages-section.js'
import { type Bubble, bubbleOf, Preview } from '../sending/preview.js'

const { message: texts } = TEXTS

/** The sources of message contents. */
type Contents = Pick<MessagesSection, 'listTemplates' | 'readContents'>

/** A message, and the sender through which it was sent. */
type Of = Pick<MessageRecord, 'id' | 'sender'>

/** The contents of messages, as a phone shows them. Messages without kept content are omitted, and so are messages of a template that is no longer in the catalogue. */
export const saidByAll = async (
  contents: Contents, workspace: WorkspaceId, messages: ReadonlyArray<Of>,
): Promise<E.Either<PortFailure, ReadonlyMap<MessageId, Bubble>>> => {
  if (messages.length === 0) return E.right(new Map())
  const found = await contents.readContents(workspace, messages.map(({ id }) => id))
  if (E.isLeft(found)) return found
  const kept = messages.flatMap(({ id, sender }) => {
    const content = found.right.get(id)
    return content === undefined ? [] : [{ id, sender, content }]
  })
  const templates = await readTemplates(contents, workspace, kept.map(({ sender, content }) => ({ sender, name: nameIn(content) })))
  if (E.isLeft(templates)) return templates
  return E.right(new Map(kept.flatMap(({ id, sender, content }) => {
    const bubble = bubbleIn(content, templates.right(sender, nameIn(content)))
    return bubble === undefined ? [] : [[id, bubble]]
  })))
}

/** For messages without kept content, the text of their templates, in which variables stay unfilled; none for a template that is no longer in the catalogue. */
export const patternsOf = async (
  contents: Pick<Contents, 'listTemplates'>, workspace: WorkspaceId, messages: ReadonlyArray<MessageRecord>,
): Promise<E.Either<PortFailure, ReadonlyMap<MessageId, Bubble>>> => {
  const templates = await readTemplates(contents, workspace, messages.map(({ sender, templateName }) => ({ sender, name: templateName })))
  return E.map((known: Known) => new Map(messages.flatMap(({ id, sender, templateName, language }) => {
    const found = known(sender, templateName).find((one) => one.language === language)
    return found === undefined ? [] : [[id, { ...previewOf(found, undefined), isPattern: true }]]
  })))(templates)
}

/** The content of one message. */
export const saidBy = async (
  contents: Contents, workspace: WorkspaceId, message: Of,
): Promise<E.Either<PortFailure, Bubble | undefined>> =>
  E.map((said: ReadonlyMap<MessageId, Bubble>) => said.get(message.id))(await saidByAll(contents, workspace, [message]))

const TEMPLATES_LOOKED_AT = 100

/** The name of the template that a content refers to. */
const nameIn = ({ template }: KeptContent): Json | undefined => (isJsonObject(template) ? template['name'] : undefined)

/** The templates with a name that a sender may send. */
type Known = (sender: SenderId | undefined, name: Json | undefined) => ReadonlyArray<TemplateRecord>

const keyOf = (sender: SenderId | undefined, name: Json | undefined): string => JSON.stringify([sender, name])

/** Looks up each template once. A sender that the workspace no longer has may send none. */
const readTemplates = async (
  { listTemplates }: Pick<Contents, 'listTemplates'>, workspace: WorkspaceId,
  wanted: ReadonlyArray<{ readonly sender: SenderId | undefined; readonly name: Json | undefined }>,
): Promise<E.Either<PortFailure, Known>> => {
  const asked = new Map(wanted.flatMap(({ sender, name }) => (typeof name === 'string' ? [[keyOf(sender, name), { sender, name }]] : [])))
  const found = new Map<string, ReadonlyArray<TemplateRecord>>()
  const read = await Promise.all(Array.from(asked, async ([key, { sender, name }]) => {
    const listed = await listTemplates({ workspace, sender }, { limit: TEMPLATES_LOOKED_AT, name })
    if (E.isRight(listed)) found.set(key, listed.right.items)
    return E.isLeft(listed) && listed.left._tag === 'PortFailure' ? E.left(listed.left) : E.right(undefined)
  }))
  return E.map((): Known => (sender, name) => found.get(keyOf(sender, name)) ?? [])(E.sequenceArray(read))
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
