import { PULL_LISTENS_MS } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import type { Database } from './database.js'
import { keptFor } from './kept-for.js'
import { instant, select } from './sql.js'

/** The workspaces to which an endpoint or an application that asks for events listens. */
export type EventListeners = {
  readonly listens: (workspace: string, at: Instant) => Promise<boolean>
  /** When a workspace's application last asked for events, as far as it was noted; `undefined` if it never did. */
  readonly pulledAt: (workspace: string) => Promise<Instant | undefined>
  /** Whatever adds, changes or removes a listener through this adapter calls it afterwards, so that the change counts at once. */
  readonly forget: () => void
}

/** How long what was read is kept, in milliseconds, so that a send costs no query for it. */
const KEPT_MS = 2_000

/** The only key of the kept answers, because one query reads all workspaces. */
const ALL = ''

/** Reads the listeners of all workspaces, and keeps them for a short time. */
export const makeEventListeners = ({ db }: Database): EventListeners => {
  const kept = keptFor(KEPT_MS, async () => {
    const [endpoints, pulls] = await Promise.all([
      select(db, "SELECT DISTINCT workspace_id FROM event_endpoints WHERE status = 'enabled'"),
      select(db, 'SELECT workspace_id, pulled_at FROM event_streams WHERE pulled_at IS NOT NULL'),
    ])
    return {
      endpoints: new Set(endpoints.map((row) => String(row['workspace_id']))),
      pulls: new Map(pulls.map((row) => [String(row['workspace_id']), instant(row['pulled_at'])])),
    }
  })
  const pulledAt = async (workspace: string): Promise<Instant | undefined> => (await kept.get(ALL)).pulls.get(workspace)
  return {
    listens: async (workspace, at) => {
      const { endpoints, pulls } = await kept.get(ALL)
      const pulled = pulls.get(workspace)
      return endpoints.has(workspace) || (pulled !== undefined && at - pulled < PULL_LISTENS_MS)
    },
    pulledAt,
    forget: () => { kept.forget(ALL) },
  }
}
