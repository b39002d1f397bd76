import { type FairShares, makeFairQueue, makeFairShares } from '../../core/kernel/fairness.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'

/** For what a connection is needed: an endpoint of a workspace, at a host with its port. */
export type ConnectionUse = { readonly workspace: WorkspaceId; readonly url: string; readonly host: string }

/** How many connections may be in use at once, and how long a call waits for one, in milliseconds. */
export type ConnectionPlacesOptions = { readonly places: number; readonly placesPerHost: number; readonly waitMs: number }

/** Places for connections in use. */
export type ConnectionPlaces = {
  /** Waits for a place and gives the function that gives it back; `undefined` where none was free in time. It rejects where `signal` is aborted before, with its reason. */
  readonly take: (use: ConnectionUse, signal: AbortSignal) => Promise<(() => void) | undefined>
}

/** How many calls wait for each place; no workspace with many endpoints has more attempts under way. */
const WAITING_FOR_EACH = 8

type Waiting = { readonly use: ConnectionUse; readonly end: (hasPlace: boolean) => void }

/**
 * Makes the places, which workspaces share, and take turns for where they have to wait; the endpoints of a workspace take turns, too.
 *
 * An endpoint may keep a connection for as long as an attempt may take, and it cannot be taken back before. So all connections of one workspace leave some free, of
 * all and of those to a host that others use as well, and another workspace gets a connection at once or with the next ones that end.
 */
export const makeConnectionPlaces = ({ places, placesPerHost, waitMs }: ConnectionPlacesOptions): ConnectionPlaces => {
  const queue = makeFairQueue<Waiting>(WAITING_FOR_EACH * places)
  const inAll = makeFairShares<WorkspaceId>(places)
  const ofHosts = new Map<string, FairShares<WorkspaceId>>()

  const mayBegin = ({ workspace, host }: ConnectionUse): boolean => inAll.mayTake(workspace) && (ofHosts.get(host)?.mayTake(workspace) ?? true)

  const begin = ({ workspace, host }: ConnectionUse): void => {
    const ofHost = ofHosts.get(host) ?? makeFairShares<WorkspaceId>(placesPerHost)
    ofHosts.set(host, ofHost)
    for (const shares of [inAll, ofHost]) shares.take(workspace)
  }

  const end = ({ workspace, host }: ConnectionUse): void => {
    const ofHost = ofHosts.get(host)
    for (const shares of [inAll, ofHost]) shares?.giveBack(workspace)
    if (ofHost?.free() === placesPerHost) ofHosts.delete(host)
    for (let next = takeNext(); next !== undefined; next = takeNext()) {
      begin(next.use)
      next.end(true)
    }
  }

  const takeNext = (): Waiting | undefined => queue.shift(({ use }) => mayBegin(use))

  const turn = (use: ConnectionUse, signal: AbortSignal): Promise<boolean> =>
    new Promise((resolve, reject) => {
      const key = [use.workspace, use.url] as const
      const leave = (): void => {
        queue.remove(key, waiting)
        clearTimeout(deadline)
        signal.removeEventListener('abort', abort)
      }
      const abort = (): void => {
        leave()
        reject(signal.reason as Error)
      }
      const waiting: Waiting = {
        use,
        end: (hasPlace) => {
          leave()
          resolve(hasPlace)
        },
      }
      const deadline = setTimeout(() => waiting.end(false), waitMs)
      signal.addEventListener('abort', abort)
      queue.push(key, waiting)?.end(false)
    })

  return {
    take: async (use, signal) => {
      signal.throwIfAborted()
      // What waits may not begin, or it would have begun when a place came back: so nothing is overtaken here.
      if (mayBegin(use)) begin(use)
      else if (!(await turn(use, signal))) return undefined
      let isGivenBack = false
      return () => {
        if (!isGivenBack) end(use)
        isGivenBack = true
      }
    },
  }
}
