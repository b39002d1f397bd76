import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import type { Page } from '../page.js'
import type { Senders } from '../ports/senders.js'
import type { TemplateCatalogue, TemplateQuery } from '../ports/template-catalogue.js'
import { readableAccount } from '../readable-account.js'
import type { TemplateRecord } from '../template.js'
import type { WorkspaceId } from '../workspace.js'

/** Lists the templates that a workspace's sender may send, as the catalogue has them; none where its business account is not known, or its token may not read it. */
export type ListTemplates = (workspace: WorkspaceId, query: TemplateQuery) => TE.TaskEither<PortFailure, Page<TemplateRecord>>

/** What listing templates needs. */
export type ListTemplatesDeps = {
  readonly senders: Pick<Senders, 'senderOf'>
  readonly templateCatalogue: Pick<TemplateCatalogue, 'list'>
}

/** Makes the use case of what it needs. */
export const makeListTemplates =
  ({ senders, templateCatalogue }: ListTemplatesDeps): ListTemplates =>
  (workspace, query) =>
  async () => {
    const sender = await senders.senderOf(workspace)()
    if (E.isLeft(sender)) return sender
    const accountId = readableAccount(O.toUndefined(sender.right))
    return accountId === undefined ? E.right({ items: [], next: undefined }) : templateCatalogue.list(accountId, query)()
  }
