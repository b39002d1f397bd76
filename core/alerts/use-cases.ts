import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../access/access.js'
import { type ActDeps, perform } from '../access/acting.js'
import { type EventEndpoints, type FaultOfUrl, type InvalidEndpointUrl, parseEndpointUrl } from '../events/endpoint.js'
import type { Actor } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import { type Clock, MINUTE_MS } from '../kernel/time.js'
import type { UnknownWorkspace, Workspace, Workspaces } from '../kernel/workspace.js'
import type { MessageStatistics } from '../messages/statistics.js'
import { makeShowScheduled, type ShowScheduledDeps } from '../money/scheduled.js'
import { entriesOfAlert, NO_ALERTS, type WalletAlerts } from '../money/wallet.js'
import type { NumberHealth } from '../senders/number-health.js'
import type { SenderLists } from '../senders/sender.js'
import type { TemplateCatalogue } from '../templates/catalogue.js'
import { type AlertKind, type Alerts, nextAlertAttempt, SHARE_OF_MS, troublesOf, type WaitingAlert, type Watched } from './alert.js'
import { ALERT_TEXTS } from './texts.js'

/** The ports from which it is read what is wrong in a workspace. */
export type WatchedPorts = {
  readonly walletAlerts: Pick<WalletAlerts, 'alertsOf'>
  readonly senders: Pick<SenderLists, 'sendersOf'>
  readonly eventEndpoints: Pick<EventEndpoints, 'list'>
  /** Without it, no number is watched. */
  readonly numberHealth?: Pick<NumberHealth, 'of'>
  readonly templateCatalogue: Pick<TemplateCatalogue, 'list'>
  readonly messageStatistics: Pick<MessageStatistics, 'counts'>
}

/**
 * Reads what is wrong in every workspace in use whose alerts reach anyone, and stores the alerts to deliver. Right: how many. Before that, it raises the alert of a balance that will be low
 * once the scheduled messages of the next day are paid, in every workspace in use. It goes on
 * while `goOn` allows it.
 */
export type WatchWorkspaces = (goOn: () => boolean) => Promise<E.Either<PortFailure, number>>

/** The dependencies of watching workspaces. */
export type WatchWorkspacesDeps = WatchedPorts & ActDeps & ShowScheduledDeps & {
  readonly walletAlerts: Pick<WalletAlerts, 'alertsOf' | 'raiseLow'>
  readonly alerts: Pick<Alerts, 'note' | 'reaches'>
  readonly workspaces: Pick<Workspaces, 'list'>
  /** 32 lowercase hexadecimal digits of a UUIDv7. */
  readonly newAlertId: () => string
  readonly now: Clock
}

/** The alerts are of the state of a workspace, not of its events: events are stored only if something listens to them. */
export const makeWatchWorkspaces =
  (deps: WatchWorkspacesDeps): WatchWorkspaces =>
  async (goOn) => {
    const workspaces = await deps.workspaces.list()
    if (E.isLeft(workspaces)) return workspaces
    let [raised, failure]: readonly [number, E.Left<PortFailure> | undefined] = [0, undefined]
    for (const { id, archivedAt } of workspaces.right) {
      if (!goOn()) break
      const noted = archivedAt === undefined ? await watch(deps, id) : E.right(0)
      // The other workspaces are watched anyway.
      if (E.isLeft(noted)) failure = noted
      else raised += noted.right
    }
    return failure ?? E.right(raised)
  }

const watch = async (deps: WatchWorkspacesDeps, workspace: WorkspaceId): Promise<E.Either<PortFailure, number>> => {
  const lowered = await raiseScheduled(deps, workspace)
  if (E.isLeft(lowered)) return lowered
  const reaches = await deps.alerts.reaches(workspace)
  if (E.isLeft(reaches)) return reaches
  if (!reaches.right) return E.right(0)
  const at = deps.now()
  const watched = await readWatched(deps, workspace, at)
  return E.isLeft(watched) ? watched : deps.alerts.note(workspace, troublesOf(watched.right, at), at, deps.newAlertId)
}

/**
 * Raises the alert of a low balance if the messages that are due soon will leave less than the threshold. A hold cannot raise it in time, because nothing is held for them yet.
 */
const raiseScheduled = async (deps: WatchWorkspacesDeps, workspace: WorkspaceId): Promise<E.Either<PortFailure, boolean>> => {
  const nothing = E.right(false)
  if (deps.messageQueue === undefined) return nothing
  const alerts = await deps.walletAlerts.alertsOf(workspace)
  if (E.isLeft(alerts)) return alerts
  const { threshold, lowSince } = O.getOrElse(() => NO_ALERTS)(alerts.right)
  if (threshold === undefined || lowSince !== undefined) return nothing
  const scheduled = await makeShowScheduled(deps)(workspace)
  if (E.isLeft(scheduled) || scheduled.right.soon === 0n) return E.isLeft(scheduled) ? scheduled : nothing
  return deps.walletAlerts.raiseLow({ workspace, micros: scheduled.right.soon, at: deps.now() }, entriesOfAlert(deps))
}

/** The templates of an account that are read at most, in pages. */
const [TEMPLATE_PAGES, TEMPLATES_AT_ONCE] = [20, 200]

const readWatched = async (deps: WatchedPorts, workspace: WorkspaceId, at: number): Promise<E.Either<PortFailure, Watched>> => {
  const alerts = await deps.walletAlerts.alertsOf(workspace)
  if (E.isLeft(alerts)) return alerts
  const found = await deps.senders.sendersOf(workspace)
  if (E.isLeft(found)) return found
  const endpoints = await deps.eventEndpoints.list(workspace)
  if (E.isLeft(endpoints)) return endpoints
  const counts = await deps.messageStatistics.counts(workspace, '5m', { from: at - SHARE_OF_MS, to: at })
  if (E.isLeft(counts)) return counts
  const numbers = await (deps.numberHealth?.of(workspace) ?? E.right([]))
  if (E.isLeft(numbers)) return numbers
  const accounts = new Set(found.right.flatMap(({ businessAccountId }) => businessAccountId ?? []))
  const templates = E.sequenceArray(await Promise.all(Array.from(accounts, (account) => readTemplates(deps, account))))
  if (E.isLeft(templates)) return templates
  return E.right({
    alerts: O.getOrElse(() => NO_ALERTS)(alerts.right), senders: found.right, endpoints: endpoints.right, numbers: numbers.right,
    templates: templates.right.flat(), counts: counts.right,
  })
}

const readTemplates = async (
  { templateCatalogue }: WatchedPorts, accountId: string,
): Promise<E.Either<PortFailure, Watched['templates']>> => {
  const templates: Array<Watched['templates'][number]> = []
  let cursor: string | undefined
  for (let pages = 0; pages < TEMPLATE_PAGES && (pages === 0 || cursor !== undefined); pages += 1) {
    const page: Awaited<ReturnType<TemplateCatalogue['list']>> = await templateCatalogue.list(
      accountId, { limit: TEMPLATES_AT_ONCE, ...(cursor !== undefined && { cursor }) },
    )
    if (E.isLeft(page)) return page
    templates.push(...page.right.items)
    cursor = page.right.next
  }
  return E.right(templates)
}

/** The text of an alert: one subject line, and a body. It contains no secret and no text of a message. */
export type AlertText = { readonly subject: string; readonly body: string }

/** Carries alerts, by e-mail or to a channel. It never rejects, and returns within 30 seconds: `undefined` if the alert was accepted, otherwise why not. */
export type AlertCarrier = (alert: WaitingAlert, text: AlertText) => Promise<string | undefined>

/** The carriers of a gateway. Without `mail`, alerts for members are dropped. */
export type AlertCarriers = {
  readonly mail: AlertCarrier | undefined
  readonly channel: AlertCarrier
  /** The address of the console, without a slash at the end; without it, alerts contain no link. */
  readonly publicUrl: string | undefined
}

/**
 * Delivers the alerts that are due. Right: how many were delivered, and how many failed.
 *
 * An alert is claimed before it is carried and removed after it, so a recipient gets it once, except if the process ends after the carrier has accepted it and before it is
 * removed: then it is delivered again.
 */
export type DeliverAlerts = (carriers: AlertCarriers, goOn: () => boolean) => Promise<E.Either<PortFailure, DeliveredAlerts>>

/** What a pass has delivered; `error` is the last failure. */
export type DeliveredAlerts = { readonly delivered: number; readonly failed: number; readonly error?: string }

/** The dependencies of delivering alerts. */
export type DeliverAlertsDeps = {
  readonly alerts: Pick<Alerts, 'claim' | 'settle'>
  readonly workspaces: Pick<Workspaces, 'find'>
  readonly now: Clock
}

const CLAIMED_FOR_MS = 5 * MINUTE_MS
const MAX_DELIVERED = 500

export const makeDeliverAlerts =
  (deps: DeliverAlertsDeps): DeliverAlerts =>
  async ({ mail, channel, publicUrl }, goOn) => {
    let total: DeliveredAlerts = { delivered: 0, failed: 0 }
    for (let tried = 0; tried < MAX_DELIVERED && goOn(); tried += 1) {
      const claimed = await deps.alerts.claim(deps.now(), deps.now() + CLAIMED_FOR_MS, 1)
      if (E.isLeft(claimed)) return claimed
      const [alert] = claimed.right
      if (alert === undefined) break
      const workspace = await deps.workspaces.find(alert.workspace)
      if (E.isLeft(workspace)) return workspace
      const carry = alert.to._tag === 'Channel' ? channel : mail
      const isDropped = carry === undefined || O.isNone(workspace.right)
      const error = isDropped ? undefined : await carry(alert, alertText(alert, workspace.right.value, publicUrl))
      const next = error === undefined ? undefined : nextAlertAttempt(alert.attempts + 1, alert.raisedAt, deps.now())
      const settled = await deps.alerts.settle(alert.id, next)
      if (E.isLeft(settled)) return settled
      if (error !== undefined) total = { ...total, failed: total.failed + 1, error }
      else if (!isDropped) total = { ...total, delivered: total.delivered + 1 }
    }
    return E.right(total)
  }

/** The page of the console about each kind. */
const PAGES: Readonly<Record<AlertKind, string>> = {
  balance: '/wallet', sending: '/messages', quality: '/templates', endpoint: '/endpoints',
}

/** A member reads it in their language, and a channel in English. */
const alertText = (
  { to, troubles }: WaitingAlert, { id, name }: Pick<Workspace, 'id' | 'name'>, publicUrl: string | undefined,
): AlertText => {
  const texts = ALERT_TEXTS[to._tag === 'Member' ? to.language ?? 'en' : 'en']
  const [first, ...others] = troubles.map(({ kind, sentence, fact }) =>
    ({ kind, sentence: fact === undefined ? sentence : texts.sentence(fact) }))
  const kinds = new Set(troubles.map(({ kind }) => kind))
  const page = first === undefined || kinds.size > 1 ? '' : PAGES[first.kind]
  const link = publicUrl === undefined ? [] : ['', `${publicUrl}/console/workspaces/${id}${page}`]
  const more = others.length === 0 ? '' : texts.more(others.length)
  return {
    subject: `Postern, ${name.replace(/\p{Cc}+/gu, ' ')}: ${first?.sentence ?? ''}${more}`,
    body: [...[first, ...others].map((one) => one?.sentence ?? ''), ...link].join('\n'),
  }
}

/** Sets or removes the address of the channel that gets a workspace's alerts. It is secret, so the audit log contains only whether there is one. */
export type SetAlertChannel = (command: SetAlertChannelCommand) => Promise<E.Either<SetAlertChannelError, void>>

/** An empty `url` removes the channel. */
export type SetAlertChannelCommand = { readonly by: Actor; readonly workspace: WorkspaceId; readonly url: string }

/** How setting the channel can fail. */
export type SetAlertChannelError = InvalidEndpointUrl | UnknownWorkspace | Forbidden | PortFailure

/** The dependencies of setting the channel. */
export type SetAlertChannelDeps = ActDeps & { readonly alerts: Pick<Alerts, 'setChannel'>; readonly faultOfUrl?: FaultOfUrl }

export const makeSetAlertChannel =
  ({ alerts, faultOfUrl, ...deps }: SetAlertChannelDeps): SetAlertChannel =>
  async ({ by, workspace, url: given }) => {
    const text = given.trim()
    const url = text === '' ? E.right(undefined) : parseEndpointUrl(text, faultOfUrl)
    return perform(
      deps, { by, act: 'alert.set_channel', workspace, subject: workspace, details: { channel: text === '' ? 'none' : 'set' } }, {},
      async (outboxEntries: MakeOutboxEntries<WorkspaceId>): Promise<E.Either<Exclude<SetAlertChannelError, Forbidden>, void>> =>
        (E.isLeft(url) ? url : alerts.setChannel(workspace, url.right, outboxEntries)),
    )
  }

/** The use cases of alerts to people. */
export type AlertUseCases = {
  /** The kinds that a member gets by e-mail. */
  readonly showChoices: Alerts['choicesOf']
  /** Replaces the kinds that a member gets by e-mail; members choose for themselves. */
  readonly chooseAlerts: Alerts['choose']
  readonly showChannel: Alerts['channelOf']
  readonly setAlertChannel: SetAlertChannel
  readonly watchWorkspaces: WatchWorkspaces
  readonly deliverAlerts: DeliverAlerts
}

/** What these use cases need together. */
export type AlertUseCasesDeps = WatchWorkspacesDeps & DeliverAlertsDeps & SetAlertChannelDeps & {
  readonly alerts: Alerts
  readonly workspaces: Pick<Workspaces, 'find' | 'list'>
}

export const makeAlertUseCases = (deps: AlertUseCasesDeps): AlertUseCases => ({
  showChoices: deps.alerts.choicesOf,
  chooseAlerts: deps.alerts.choose,
  showChannel: deps.alerts.channelOf,
  setAlertChannel: makeSetAlertChannel(deps),
  watchWorkspaces: makeWatchWorkspaces(deps),
  deliverAlerts: makeDeliverAlerts(deps),
})
