import { MINUTE_MS } from '../../core/kernel/time.js'
import type { PortfolioBudget } from '../../core/messages/portfolio-budget.js'
import { type Job, type JobReports, orThrow } from './job.js'

/** Notes how many customers of each portfolio count, for the days that pages show. A customer counts for a day, so few are missed between two passes. */
export const portfolioDays = (
  { portfolioBudget }: JobReports & { readonly portfolioBudget: Pick<PortfolioBudget, 'noteDay'> }, everyMs = 10 * MINUTE_MS,
): Job => ({
  name: 'portfolio-days', everyMs, failed: 'portfolio_days_failed',
  pass: async () => {
    orThrow(await portfolioBudget.noteDay(Date.now()))
    return undefined
  },
})
