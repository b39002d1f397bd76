import { makeWebhook } from '../../adapters/cloud-api/index.js'
import type { Log, Webhook, WebhookRejection } from '../../adapters/koa/index.js'
import type { Instant } from '../../core/kernel/time.js'
import type { Config } from './config.js'
import { logAtIntervals } from './log-at-intervals.js'
import type { GatewayMetrics } from './metrics.js'

type Secrets = Pick<Config['platform'], 'verifyToken' | 'appSecret'>

/** The webhook; absent unless both secrets are set, since without them nothing proves that a notification comes from the platform. */
export const gatewayWebhook = (
  { verifyToken, appSecret }: Secrets, { countWebhookRejection, countIgnoredItems }: Pick<GatewayMetrics, 'countWebhookRejection' | 'countIgnoredItems'>, log: Log,
): { readonly webhook?: Webhook } => {
  if (verifyToken === undefined || appSecret === undefined) return {}
  const logRejection = logWebhookRejections(log, Date.now)
  const onRejected = (reason: WebhookRejection): void => {
    countWebhookRejection(reason)
    logRejection(reason)
  }
  return { webhook: { ...makeWebhook({ verifyToken, appSecret }), onRejected, onIgnored: countIgnoredItems } }
}

/** Logs the first wrong signature at once, then at most one line a minute with the number of wrong signatures since the last line. */
export const logWebhookRejections = (log: Log, now: () => Instant): ((reason: WebhookRejection) => void) => {
  const logSignature = logAtIntervals(log, now, 'warn', 'webhook_signature_rejected')
  return (reason) => {
    if (!reason.startsWith('signature_')) return
    logSignature({
      reason: reason.slice('signature_'.length), advice: 'compare PLATFORM_APP_SECRET with the app secret in the settings of the platform app',
    })
  }
}
