import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { uuidv7 } from 'uuidv7'
import { openStorage } from '../../adapters/knex/index.js'
import { endpointIdOf, type EndpointSecret } from '../../core/events/endpoint.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { EventReceiver } from '../support/event-receiver.js'
import { SECRET } from '../support/gateway.js'
import { rightOf } from '../support/right-of.js'

/** Adds an endpoint for the receiver to each workspace. */
export const addEndpoints = async (url: string, workspaces: ReadonlyArray<WorkspaceId>, receiver: EventReceiver): Promise<void> => {
  const storage = openStorage({ url, secret: SECRET })
  try {
    for (const workspace of workspaces) {
      const secret = `whsec_${randomBytes(24).toString('base64')}` as EndpointSecret
      receiver.trust(`/${workspace}`, secret)
      rightOf(await storage.eventEndpoints.add({
        id: endpointIdOf(uuidv7()), workspace, url: `${receiver.url}/${workspace}`, types: ['*'], description: 'torture',
        createdAt: Date.now(), secret,
      }))
    }
  } finally {
    await storage.close()
  }
}

const POLL_MS = 200

/** Waits until no event is waiting for an endpoint; `false` if the deadline passes. */
export const waitUntilDelivered = async (url: string, deadlineMs: number): Promise<boolean> => {
  const storage = openStorage({ url, secret: SECRET })
  try {
    for (const last = performance.now() + deadlineMs; performance.now() < last; await delay(POLL_MS)) {
      if (rightOf(await storage.eventOutbox.backlog(1)).oldest.length === 0) return true
    }
    return false
  } finally {
    await storage.close()
  }
}
