import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import type { UnknownSender } from '../../../core/senders/sender.js'
import type { TemplateQuery } from '../../../core/templates/catalogue.js'
import { templateView, type TemplateView } from '../../../core/templates/template.js'
import {
  encodedTemplateCursor, NamedSender, NextCursor, nextCursor, pageParameters, pageQuery, Placeholders, TemplateName, Time,
} from '../codecs.js'
import { type Outcome, served, type UseCases, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import { anyObject, array, type Codec, described, named, nullable, record, string } from '../schema.js'
import type { ThroughSender } from './send.js'

const Template: Codec<TemplateView> = named('Template', described(record({
  name: string(),
  language: string(),
  category: described(string(), "The platform's word in lower case, such as `marketing`; a send is priced by it."),
  status: described(string(), "The platform's word in lower case; only an `approved` template is sent."),
  quality: nullable(string(), "The platform's word in lower case: `green`, `yellow`, `red` or `unknown`; null if the platform does not report it."),
  components: nullable(array(anyObject), 'As the platform stores them; null if they could not be read.'),
  placeholders: nullable(Placeholders, 'The placeholders that a send has to fill; null if they cannot be determined.'),
  synced_at: described(Time, 'When the platform last listed it.'),
}), 'A template of the business account, in one language.'))

type Templates = { readonly templates: ReadonlyArray<TemplateView>; readonly next_cursor: string | null }

const EXAMPLE: TemplateView = {
  name: 'order_update', language: 'pt_BR', category: 'utility', status: 'approved', quality: 'green',
  components: [{ type: 'BODY', text: 'Olá {{1}}, o pedido {{2}} está a caminho.' }],
  placeholders: [{ component: 'body', type: 'text', index: 1 }, { component: 'body', type: 'text', index: 2 }],
  synced_at: '2026-03-01T12:00:00.000Z',
}

/** `GET /templates` */
export const listTemplates = workspaceOperation({
  id: 'listTemplates',
  method: 'get',
  path: '/templates',
  part: 'templates',
  tag: 'Reading',
  act: 'template.view',
  isList: true,
  summary: 'List templates',
  description:
    "The templates of the sender's business account as the gateway knows them, by name and language, in pages; none if the account is "
      + 'not known.',
  query: {
    name: described(TemplateName, 'Only templates of this exact name.'),
    sender: described(NamedSender, 'The phone number id of the sender whose templates are listed; the default sender if omitted.'),
    ...pageParameters('templates'),
  },
  reply: {
    description: 'A page of the list.',
    codec: named('Templates', record({ templates: described(array(Template), 'By name and language.'), next_cursor: NextCursor })),
    example: { templates: [EXAMPLE], next_cursor: null },
  },
  failures: { UnknownSender: true },
  run: async (
    { postern }: UseCases, { workspace, parameters: { name, sender, ...page } }: WorkspaceRequest<Partial<TemplateQuery> & ThroughSender>,
  ): Outcome<UnknownSender | PortFailure, Templates> => {
    const { limit, cursor } = pageQuery(page)
    const found = await served(postern.templates).listTemplates({ workspace, sender }, {
      limit, ...(cursor !== undefined && { cursor }), ...(name !== undefined && { name }),
    })
    if (E.isLeft(found)) return found
    const { items, next } = found.right
    return E.right({ value: {
      templates: items.map(templateView), next_cursor: nextCursor('templates', { items, next: next && encodedTemplateCursor(next) }),
    } })
  },
})
