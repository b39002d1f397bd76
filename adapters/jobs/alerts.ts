import type { AlertCarriers, AlertUseCases } from '../../core/alerts/use-cases.js'
import { MINUTE_MS } from '../../core/kernel/time.js'
import { type Job, type JobReports, orThrow } from './job.js'

/** What the job needs: the use cases of alerts, and how alerts are carried. */
export type AlertsJobDeps = Pick<AlertUseCases, 'deliverAlerts' | 'watchWorkspaces'> & { readonly carriers: AlertCarriers }

/** Finds what is wrong in the workspaces, and alerts people. Alerts that wait are delivered even if the search failed. */
export const alerts = (
  { watchWorkspaces, deliverAlerts, carriers, log, onFailure }: JobReports & AlertsJobDeps, everyMs = MINUTE_MS,
): Job => ({
  name: 'alerts', everyMs, failed: 'alerts_failed',
  pass: async ({ hasEnded }) => {
    const goOn = () => !hasEnded()
    const raised = await watchWorkspaces(goOn)
    const { delivered, failed, error } = orThrow(await deliverAlerts(carriers, goOn))
    if (error !== undefined) onFailure('alert_delivery_failed', new Error(error))
    const count = orThrow(raised)
    if (count + delivered + failed > 0) log?.('info', 'alerts_delivered', { raised: count, delivered, failed })
    return undefined
  },
})
