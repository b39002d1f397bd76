import type * as E from 'fp-ts/lib/Either.js'
import type * as O from 'fp-ts/lib/Option.js'
import type { CustomerId } from '../customer.js'
import type { PortFailure } from '../errors.js'
import type { Customers } from '../ports/customers.js'
import type { Sender, Senders } from '../ports/senders.js'
import type { NamedTemplates, TemplateCatalogue } from '../ports/template-catalogue.js'
import type { WindowClock } from '../ports/window-clock.js'
import type { Instant } from '../time.js'
import { isOpen, lastInboundOf } from '../window.js'
import type { WorkspaceId } from '../workspace.js'
import { findTextRecipient, readTemplateRecipient, type Recipient, type TemplateRecipient } from './recipient.js'

/** What reading for a send needs. */
export type ReadAheadDeps = {
  readonly senders: Pick<Senders, 'senderOf' | 'lastAccountOf'>
  readonly windowClock: Pick<WindowClock, 'now' | 'lastInbound'>
  /** What is known of customers; where absent, a customer is known by the given id alone. */
  readonly customers?: Pick<Customers, 'find' | 'hasOptedOut'>
  /** The copy of the platform's templates; where absent, no template is known. */
  readonly templateCatalogue?: Pick<TemplateCatalogue, 'find'>
}

/** What was read, or why it could not be read. */
export type Read<A> = E.Either<PortFailure, A>

/** What a text depends on. */
export type TextReads = {
  readonly lastInbound: Read<O.Option<Instant>>
  readonly sender: Read<O.Option<Sender>>
  readonly recipient: Read<Recipient>
}

/** What a template depends on. */
export type TemplateReads = {
  readonly sender: Read<O.Option<Sender>>
  readonly recipient: TemplateRecipient
  /** The templates of its name in the business account that the workspace's sender had before; absent if that is not remembered. */
  readonly listed: { readonly accountId: string; readonly found: Read<NamedTemplates> } | undefined
}

/** The message that reads are for. `name` is that of its template. */
export type ReadFor = { readonly workspace: WorkspaceId; readonly to: CustomerId; readonly name?: string }

/** Reads that were begun for a request before it was known whether the request may be made. For another message than theirs they are not used. */
export type Ahead<Reads> = { readonly for: ReadFor; readonly reads: Promise<Reads> }

/** Begins the reads of a send at once. What they find is judged by the send itself. */
export type ReadAhead = {
  /** Begins the reads of a text. */
  readonly text: (text: ReadFor) => Ahead<TextReads>
  /** Begins the reads of a template. */
  readonly template: (template: Required<ReadFor>) => Ahead<TemplateReads>
}

/** Makes what begins the reads of a send. */
export const makeReadAhead = (deps: ReadAheadDeps): ReadAhead => ({
  text: (text) => ({ for: text, reads: readForText(deps, text) }),
  template: (template) => ({ for: template, reads: readForTemplate(deps, template) }),
})

/** Reads what a text depends on, all of it together. */
export const readForText = async (deps: ReadAheadDeps, { workspace, to }: ReadFor): Promise<TextReads> => {
  const [lastInbound, sender, recipient] = await Promise.all([
    lastInboundOf(deps, workspace, to, (found) => isOpen(deps.windowClock.now(), found))(), deps.senders.senderOf(workspace)(),
    findTextRecipient(deps.customers, workspace, to)(),
  ])
  return { lastInbound, sender, recipient }
}

/** Reads what a template depends on, all of it together if the business account is remembered. */
export const readForTemplate = async (deps: ReadAheadDeps, { workspace, to, name }: Required<ReadFor>): Promise<TemplateReads> => {
  const accountId = deps.senders.lastAccountOf?.(workspace)
  const [sender, recipient, found] = await Promise.all([
    deps.senders.senderOf(workspace)(), readTemplateRecipient(deps.customers, workspace, to),
    accountId === undefined ? undefined : deps.templateCatalogue?.find(accountId, name)(),
  ])
  return { sender, recipient, listed: accountId === undefined || found === undefined ? undefined : { accountId, found } }
}

/** The reads that were begun for a message, or its own. */
export const readsOf = <For extends ReadFor, Reads>(
  message: For, ahead: Ahead<Reads> | undefined, read: (message: For) => Promise<Reads>,
): Promise<Reads> => {
  const isSame = ahead?.for.workspace === message.workspace && ahead.for.to === message.to && ahead.for.name === message.name
  return isSame ? ahead.reads : read(message)
}
