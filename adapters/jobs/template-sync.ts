import * as E from 'fp-ts/lib/Either.js'
import type { Leases } from '../../core/kernel/leases.js'
import { DAY_MS, type Instant, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { Receive } from '../../core/reports/receive.js'
import type { SenderAccount, SenderAccounts } from '../../core/senders/sender.js'
import type { CatalogueState, TemplateCatalogue } from '../../core/templates/catalogue.js'
import type { SyncedTemplates, SyncTemplates, SyncTemplatesError } from '../../core/templates/sync.js'
import type { JobReports, RunningJob } from './job.js'
import { makeLoop } from './loop.js'

/** Keeps the catalogue of templates in step with the platform's lists. It has no timer: each pass reads the lists that are due. */
export type TemplateSync = {
  /** Requests that a list is read in the next pass, or once a minute has passed since the last reading; `false` if this was requested already. */
  readonly want: (accountId: string) => boolean
  /** Reads the lists that are due. Resolves to the time until the next list is due, in milliseconds. */
  readonly pass: () => Promise<number>
  /** Starts no more readings of lists. */
  readonly end: () => void
}

/** The use cases and ports with which lists are read and stored. */
export type TemplateSyncPorts = {
  readonly syncTemplates: SyncTemplates
  readonly senders: Pick<SenderAccounts, 'accounts'>
  readonly templateCatalogue: Pick<TemplateCatalogue, 'stateOf'>
}

/** How a reading of a list ended. */
export type TemplateSyncReport = {
  readonly accountId: string
  readonly outcome: E.Either<SyncTemplatesError, SyncedTemplates>
  /** Whether this process reads the list for the first time, or the previous reading failed. */
  readonly isFirst: boolean
}

export type TemplateSyncJobDeps = TemplateSyncPorts & Pick<JobReports, 'onFailure'> & {
  readonly leases: Leases
  readonly onTemplatesRead?: (reading: TemplateSyncReport) => void
}

export type TemplateSyncDeps = TemplateSyncJobDeps & {
  readonly now: () => Instant
  /** How old a list may become, in milliseconds. */
  readonly everyMs: number
}

/** The event of a failed reading. */
const FAILED = 'template_sync_failed'

/** A list is read at most once in this time, however often the platform reports changes. */
const SHORTEST_PAUSE_MS = MINUTE_MS

/** How many lists are read simultaneously. */
const AT_ONCE = 4

/** Longer than any reading takes. After a process crashes, no other process reads the list until its lease expires. */
const LEASE_MS = 3 * MINUTE_MS

/** The longest time for which a lease is kept because the platform asked to wait. */
const LONGEST_LEASE_MS = DAY_MS

/** What this process plans for an account. */
type Plan = {
  /** A list was read before and is too old; `undefined` if no list is. */
  wantedAt: Instant | undefined
  /** When to check whether the list is due. */
  checkAt: Instant
  /** The platform asked not to be called before this time. */
  notBefore: Instant
  /** Whether the last reading succeeded. */
  wasRead: boolean
}

/**
 * Creates it. A list is read at the start, when it is older than `everyMs`, and soon after the platform has reported a change.
 *
 * If several processes use one database, only the process that holds an account's lease reads its list. The other processes see in the catalogue that the list was
 * read. While the platform asks not to be called for an account, its lease is kept.
 */
export const makeTemplateSync = (deps: TemplateSyncDeps): TemplateSync => {
  const { senders, templateCatalogue, leases, now, everyMs } = deps
  const shortestPauseMs = Math.min(SHORTEST_PAUSE_MS, everyMs)
  const plans = new Map<string, Plan>()
  // If another process has just read a list, it is new enough for the start of this process.
  const startedAt = now() - shortestPauseMs
  let hasEnded = false

  const planOf = (accountId: string): Plan => {
    const plan = plans.get(accountId) ?? { wantedAt: startedAt, checkAt: now(), notBefore: 0, wasRead: false }
    plans.set(accountId, plan)
    return plan
  }

  const pass = async (): Promise<number> => {
    const accounts = await senders.accounts()
    if (E.isLeft(accounts)) {
      failed(accounts.left.cause)
      return shortestPauseMs
    }
    const known = new Set(accounts.right.map(({ accountId }) => accountId))
    for (const accountId of plans.keys()) if (!known.has(accountId)) plans.delete(accountId)
    const due = accounts.right.filter(({ accountId }) => nextAt(planOf(accountId)) <= now())
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      for (let account = due.shift(); account !== undefined && !hasEnded; account = due.shift()) await syncIfDue(account).catch(failed)
    }))
    return Math.min(...[...plans.values()].map(nextAt)) - now()
  }

  const syncIfDue = async (account: SenderAccount): Promise<void> => {
    const [lease, plan] = [`templates ${account.accountId}`, planOf(account.accountId)]
    plan.checkAt = now() + shortestPauseMs
    const taken = await leases.take(lease, LEASE_MS, LONGEST_LEASE_MS)
    if (E.isLeft(taken)) return failed(taken.left.cause)
    if (!taken.right) return
    try {
      const state = await templateCatalogue.stateOf(account.accountId)
      if (E.isLeft(state)) return failed(state.left.cause)
      schedule(plan, triedAt(state.right))
      if (plan.checkAt <= now()) await sync(account, plan)
    } finally {
      const isKept = plan.notBefore > now()
      const ended = await (isKept
        ? leases.take(lease, Math.min(plan.notBefore - now(), LONGEST_LEASE_MS), LONGEST_LEASE_MS)
        : leases.release(lease))
      if (isKept && E.isLeft(ended)) failed(ended.left.cause)
    }
  }

  const sync = async ({ accountId, workspace, sender }: SenderAccount, plan: Plan): Promise<void> => {
    const at = now()
    const outcome = await deps.syncTemplates({ workspace, sender, orOthers: true })
    schedule(plan, at)
    if (E.isLeft(outcome) && outcome.left._tag === 'PlatformThrottled') {
      plan.notBefore = now() + (outcome.left.retryAfterSeconds ?? everyMs / SECOND_MS) * SECOND_MS
    }
    deps.onTemplatesRead?.({ accountId, outcome, isFirst: !plan.wasRead })
    plan.wasRead = E.isRight(outcome)
  }

  /** Plans the next check after a reading that started at the given time. */
  const schedule = (plan: Plan, at: Instant): void => {
    if (plan.wantedAt !== undefined && plan.wantedAt <= at) plan.wantedAt = undefined
    plan.checkAt = at + (plan.wantedAt === undefined ? everyMs : shortestPauseMs)
  }

  const failed = (cause: unknown): void => { deps.onFailure(FAILED, cause) }

  return {
    want: (accountId) => {
      const isNew = plans.get(accountId)?.wantedAt === undefined
      const plan = planOf(accountId)
      plan.wantedAt = now()
      if (isNew) plan.checkAt = Math.min(plan.checkAt, now())
      return isNew
    },
    pass,
    end: () => { hasEnded = true },
  }
}

const nextAt = ({ checkAt, notBefore }: Plan): Instant => Math.max(checkAt, notBefore)

/** When the list was last read, successfully or not; 0 if never. */
const triedAt = ({ listedAt = 0, fault }: CatalogueState): Instant => Math.max(listedAt, fault?.at ?? 0)

/** The job that reads the platform's lists of templates. */
export type TemplateSyncJob = Required<RunningJob> & {
  /** Requests that the list of an account is read soon, because the platform has reported a change; once a minute at most. */
  readonly readSoon: (accountId: string) => void
}

/** New senders are noticed after this pause at the latest. */
const LONGEST_PAUSE_MS = MINUTE_MS

/** The delay after a report of the platform; reports of many templates arrive together. */
const SOON_MS = SECOND_MS

/** How long `stop` waits, in milliseconds. */
const STOP_MS = 2 * SECOND_MS

/** Creates the job; it reads nothing before it is started. A list older than `everyMs`, in milliseconds, is read again. */
export const makeTemplateSyncJob = (deps: TemplateSyncJobDeps, everyMs: number): TemplateSyncJob => {
  const sync = makeTemplateSync({ ...deps, everyMs, now: Date.now })
  const loop = makeLoop({
    pass: async () => Math.min(LONGEST_PAUSE_MS, Math.max(SOON_MS, await sync.pass())),
    everyMs: LONGEST_PAUSE_MS,
    onFailure: (error) => { deps.onFailure(FAILED, error) },
  })
  return {
    start: loop.start,
    readSoon: (accountId) => {
      if (sync.want(accountId)) loop.wake(SOON_MS)
    },
    stop: () => {
      sync.end()
      return loop.stop(STOP_MS)
    },
    idle: () => loop.stop(),
  }
}

/** The same use case, which also requests a reading of an account's list if one of its templates has changed, according to the app of the account. */
export const readTemplatesOnReport = (receive: Receive, readSoon: (accountId: string) => void): Receive => async (reports) => {
  const outcomes = await receive(reports)
  if (E.isLeft(outcomes)) return outcomes
  for (const [index, report] of reports.entries()) {
    if (report._tag === 'TemplateChanged' && outcomes.right[index] !== 'other_app') readSoon(report.accountId)
  }
  return outcomes
}
