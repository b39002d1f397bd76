import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../errors.js'
import type { EventEndpoint } from '../event-endpoint.js'
import type { EventEndpoints } from '../ports/event-endpoints.js'
import type { Sender, Senders } from '../ports/senders.js'
import type { TemplateCatalogue } from '../ports/template-catalogue.js'
import type { WalletAlerts } from '../ports/wallet-alerts.js'
import { readableAccount } from '../readable-account.js'
import type { TemplateRecord } from '../template.js'
import type { Instant } from '../time.js'
import type { AlertState } from '../wallet-alert.js'
import type { WorkspaceId } from '../workspace.js'

/** Something in a workspace that does not work, or soon will not. */
export type Attention =
  | { readonly _tag: 'NoSender' }
  | { readonly _tag: 'SenderFailing'; readonly since: Instant }
  /** The token of the sender may not read its business account, so templates are neither shown nor checked. */
  | { readonly _tag: 'AccountRefused'; readonly since: Instant }
  | { readonly _tag: 'EndpointFailing'; readonly url: string; readonly since: Instant }
  | { readonly _tag: 'EndpointDisabled'; readonly url: string }
  | { readonly _tag: 'WalletExhausted'; readonly since: Instant }
  | { readonly _tag: 'WalletLow'; readonly since: Instant; readonly threshold: bigint | undefined }
  /** The platform has stopped sending some templates; `more` are not named here. */
  | { readonly _tag: 'TemplatesStopped'; readonly templates: ReadonlyArray<Pick<TemplateRecord, 'name' | 'language' | 'status'>>; readonly more: number }
/** What finding out what needs attention needs. */
export type AttentionDeps = {
  readonly senders: Pick<Senders, 'senderOf'>
  readonly eventEndpoints: Pick<EventEndpoints, 'list'>
  readonly walletAlerts: Pick<WalletAlerts, 'alertsOf'>
  readonly templateCatalogue: Pick<TemplateCatalogue, 'list'>
}

/** What needs attention in a workspace. */
export const attentionTo = async (
  { senders, eventEndpoints, walletAlerts, templateCatalogue }: AttentionDeps, workspace: WorkspaceId,
): Promise<E.Either<PortFailure, ReadonlyArray<Attention>>> => {
  const [sender, endpoints, alerts] = await Promise.all([senders.senderOf(workspace)(), eventEndpoints.list(workspace)(), walletAlerts.alertsOf(workspace)()])
  if (E.isLeft(sender)) return sender
  if (E.isLeft(endpoints)) return endpoints
  if (E.isLeft(alerts)) return alerts
  const assigned = O.toUndefined(sender.right)
  const templates = await stoppedTemplates(templateCatalogue, assigned)
  if (E.isLeft(templates)) return templates
  return E.right([...toSender(assigned), ...toWallet(O.toUndefined(alerts.right)), ...endpoints.right.flatMap(toEndpoint), ...templates.right])
}

const toSender = (sender: Sender | undefined): ReadonlyArray<Attention> => {
  if (sender === undefined) return [{ _tag: 'NoSender' }]
  const { failingSince, accountRefusedSince } = sender
  return [
    ...(failingSince === undefined ? [] : [{ _tag: 'SenderFailing', since: failingSince } as const]),
    ...(accountRefusedSince === undefined ? [] : [{ _tag: 'AccountRefused', since: accountRefusedSince } as const]),
  ]
}

/** An exhausted wallet is low as well, and one sentence says both. */
const toWallet = (alerts: AlertState | undefined): ReadonlyArray<Attention> => {
  if (alerts?.exhaustedSince !== undefined) return [{ _tag: 'WalletExhausted', since: alerts.exhaustedSince }]
  return alerts?.lowSince === undefined ? [] : [{ _tag: 'WalletLow', since: alerts.lowSince, threshold: alerts.threshold }]
}

const toEndpoint = ({ url, status, failingSince }: EventEndpoint): ReadonlyArray<Attention> => {
  if (status === 'disabled') return [{ _tag: 'EndpointDisabled', url }]
  return failingSince === undefined ? [] : [{ _tag: 'EndpointFailing', url, since: failingSince }]
}

const TEMPLATES_AT_ONCE = 500
const NAMED = 10

/** What the platform does to a template that it has sent before. */
const STOPPED = ['paused', 'disabled', 'limit_exceeded']

const stoppedTemplates = async (catalogue: AttentionDeps['templateCatalogue'], sender: Sender | undefined): Promise<E.Either<PortFailure, ReadonlyArray<Attention>>> => {
  const account = readableAccount(sender)
  if (account === undefined) return E.right([])
  const found: Array<TemplateRecord> = []
  let cursor: string | undefined
  do {
    const page = await catalogue.list(account, { limit: TEMPLATES_AT_ONCE, ...(cursor !== undefined && { cursor }) })()
    if (E.isLeft(page)) return page
    found.push(...page.right.items.filter(({ status }) => STOPPED.includes(status)))
    cursor = page.right.next
  } while (cursor !== undefined)
  const templates = found.slice(0, NAMED).map(({ name, language, status }) => ({ name, language, status }))
  return E.right(found.length === 0 ? [] : [{ _tag: 'TemplatesStopped', templates, more: found.length - templates.length }])
}
