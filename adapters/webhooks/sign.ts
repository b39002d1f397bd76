import { Webhook } from 'standardwebhooks'
import type { EndpointSecret } from '../../core/events/endpoint.js'
import { type Instant, SECOND_MS } from '../../core/kernel/time.js'
import { FailedCall } from './failed-call.js'

/** The headers of a delivery by Standard Webhooks 1.0, with one signature for each secret. */
export type SignedHeaders = { readonly 'webhook-id': string; readonly 'webhook-timestamp': string; readonly 'webhook-signature': string }

/** Signs a body with each secret. It throws a `FailedCall` where a secret has not the form `whsec_…`. */
export const signedHeaders = (secrets: ReadonlyArray<EndpointSecret>, id: string, body: string, at: Instant): SignedHeaders => {
  const seconds = Math.floor(at / SECOND_MS)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map((secret) => readSecret(secret).sign(id, new Date(seconds * SECOND_MS), body)).join(' '),
  }
}

const readSecret = (secret: EndpointSecret): Webhook => {
  try {
    return new Webhook(secret)
  } catch {
    throw new FailedCall('The secret of the endpoint cannot be used; rotate it')
  }
}
