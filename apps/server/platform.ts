import * as E from 'fp-ts/lib/Either.js'
import { makeAppWebhooks } from '../../adapters/cloud-api/app-webhooks.js'
import { makeWebhook } from '../../adapters/cloud-api/webhook.js'
import { readTemplatesOnReport } from '../../adapters/jobs/template-sync.js'
import type { Upkeep } from '../../adapters/jobs/upkeep.js'
import type { FindWebhook, Log, Webhook, WebhookRejection } from '../../adapters/koa/index.js'
import type { Relay } from '../../core/events/relay.js'
import type { Instant } from '../../core/kernel/time.js'
import { wordsOf } from '../../core/messages/conversation.js'
import { alertData, type WalletAlert } from '../../core/money/wallet.js'
import type { Postern } from '../../core/postern.js'
import type { Receive, Report, ReportOutcome } from '../../core/reports/receive.js'
import type { AppUseCases } from '../../core/workspaces/apps.js'
import type { Config } from './config.js'
import { logAtIntervals } from './log-throttle.js'
import type { GatewayMetrics } from './metrics.js'

type Secrets = Pick<Config['platform'], 'verifyToken' | 'appSecret'>

/** The webhook; absent unless both secrets are set, because without them nothing proves that a notification comes from the platform. */
export const gatewayWebhook = (
  { verifyToken, appSecret }: Secrets,
  { countWebhookRejection, countIgnoredItems }: Pick<GatewayMetrics, 'countWebhookRejection' | 'countIgnoredItems'>, log: Log,
): { readonly webhook?: Webhook } => {
  if (verifyToken === undefined || appSecret === undefined) return {}
  const onRejected = rejections(countWebhookRejection, logWebhookRejections(log, Date.now))
  return { webhook: { ...makeWebhook({ verifyToken, appSecret }), onRejected, onIgnored: countIgnoredItems } }
}

/** The webhooks of the stored apps. */
export const gatewayAppWebhooks = (
  apps: AppUseCases | undefined,
  { countWebhookRejection, countIgnoredItems }: Pick<GatewayMetrics, 'countWebhookRejection' | 'countIgnoredItems'>, log: Log,
): { readonly appWebhook?: FindWebhook } =>
  (apps === undefined ? {} : {
    appWebhook: makeAppWebhooks({
      apps: { list: apps.listApps, secretsOf: apps.readSecrets },
      more: ({ name }) => ({
        onRejected: rejections(countWebhookRejection, logWebhookRejections(log, Date.now, name)), onIgnored: countIgnoredItems,
      }),
    }),
  })

const rejections = (
  count: (reason: WebhookRejection) => void, logRejection: (reason: WebhookRejection) => void,
) => (reason: WebhookRejection): void => {
  count(reason)
  logRejection(reason)
}

/** Logs the first wrong signature immediately, then at most one line a minute with the number of wrong signatures since the last line. `app` is the name of a stored app. */
export const logWebhookRejections = (log: Log, now: () => Instant, app?: string): ((reason: WebhookRejection) => void) => {
  const logSignature = logAtIntervals(log, now, 'warn', 'webhook_signature_rejected')
  const secret = app === undefined ? 'PLATFORM_APP_SECRET' : 'the secret given to `postern app add` or `postern app rotate`'
  return (reason) => {
    if (!reason.startsWith('signature_')) return
    logSignature({
      ...(app !== undefined && { app }), reason: reason.slice('signature_'.length),
      advice: `compare ${secret} with the app secret in the settings of the platform app`,
    })
  }
}

/** What is done to a gateway's reports in addition to their processing. */
export type ReportCoats = {
  readonly content: Config['events']['content']
  readonly metrics: Pick<GatewayMetrics, 'countedReceive'>
  readonly log: Log
  readonly readTemplatesSoon: Upkeep['readTemplatesSoon']
}

/**
 * The processing of reports as the webhook runs it: without the content of customers' messages if it must not be kept, then counted and logged; a report about
 * templates makes the gateway read their list.
 */
export const gatewayReports = (
  { receive, relay }: Pick<Postern['upkeep'], 'receive' | 'relay'>, { content, metrics, log, readTemplatesSoon }: ReportCoats,
) => {
  const isKept = content !== 'off'
  const counted = metrics.countedReceive(isKept ? receive : withoutContent(receive))
  return {
    receive: readTemplatesOnReport(logReportOutcomes(counted, log), readTemplatesSoon), relay: isKept ? relay : relayWithoutContent(relay),
  }
}

/** The same use case; the content of customers' messages is removed before any of it could be stored. Short words stay, because they may stop messages, but are not stored. */
export const withoutContent =
  (receive: Receive): Receive =>
  (reports) => receive(reports.map(stripped))

const stripped = (report: Report): Report => {
  if ((report._tag !== 'Inbound' && report._tag !== 'UncountedInbound') || report.message === undefined) return report
  const { content: _content, context: _context, ...message } = report.message
  const words = report._tag === 'Inbound' ? wordsOf(report.message) : undefined
  return { ...report, message: { ...message, ...(words !== undefined && { words }) } }
}

/** The same use case; changes that contain customers' messages are dropped, because the content could not be removed from the platform's data. */
const relayWithoutContent =
  (relay: Relay): Relay =>
  (changes) => relay(changes.filter(({ hasContent }) => !hasContent))

/** Logs alerts of wallets, with their amounts as decimal strings. */
export const logWalletAlerts = (log: Log) => (alert: WalletAlert): void =>
  log('warn', alert._tag === 'WalletLow' ? 'wallet_low' : 'wallet_exhausted', { workspace: alert.workspace, ...alertData(alert) })

/** The outcomes that an operator has to investigate, and their log events. */
const EVENTS: ReadonlyMap<ReportOutcome, string> = new Map([
  ['unknown_sender', 'reports_for_unknown_sender'],
  ['other_app', 'reports_for_another_app'],
  ['platform_id_mismatch', 'statuses_of_another_message'],
  ['opt_out_unanswered', 'opt_outs_not_answered'],
])

/**
 * The same use case; it also logs one line for each phone number id, or business account, whose reports have a fault.
 *
 * `unknown_sender`: no workspace sends through this number. `other_app`: the sender or the account belongs to another app than the one at whose webhook the report
 * arrived. `platform_id_mismatch`: a status contains our id of one message and the platform's id of another message.
 * `opt_out_unanswered`: the answer to a word that stops messages could not be sent, for example because the wallet is empty.
 */
const logReportOutcomes = (receive: Receive, log: Log): Receive => async (reports) => {
  const outcomes = await receive(reports)
  if (E.isLeft(outcomes)) return outcomes
  const counts = new Map<string, { readonly event: string; readonly of: Readonly<Record<string, string>>; count: number }>()
  outcomes.right.forEach((outcome, place) => {
    const [event, report] = [EVENTS.get(outcome), reports[place]]
    if (event === undefined || report === undefined) return
    const of = subjectOf(report)
    const key = JSON.stringify([event, of])
    const known = counts.get(key)
    if (known === undefined) counts.set(key, { event, of, count: 1 })
    else known.count += 1
  })
  for (const { event, of, count } of counts.values()) log('warn', event, { ...of, count })
  return outcomes
}

/** The ids that are the platform's for a business: a phone number id is not a phone number, so it may be logged. */
const subjectOf = (report: Report): Readonly<Record<string, string>> => ({
  ...('phoneNumberId' in report ? { phone_number_id: report.phoneNumberId } : { business_account_id: report.accountId }),
  ...(report.app !== undefined && { app: report.app }),
})
