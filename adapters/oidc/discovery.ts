import type * as OpenIdClient from 'openid-client'
import type { ClientAuth, Configuration } from 'openid-client'
import { CLOCK_SKEW_MS } from '../../core/access/members.js'
import { type Clock, HOUR_MS, SECOND_MS } from '../../core/kernel/time.js'
import { boundedFetch } from './bounded-fetch.js'
import { isSafe } from './issuer-address.js'

/** Which provider, and who Postern is to it. */
export type Registration = { readonly issuer: string; readonly clientId: string; readonly clientSecret: string; readonly timeoutMs: number }

/** The package, and what the provider's metadata says. */
export type Discovered = { readonly client: typeof OpenIdClient; readonly config: Configuration }

/** How long metadata counts. A provider may move its endpoints; no gateway should have to be restarted for that. */
const KEPT_MS = HOUR_MS

/** Makes a function that reads the provider's metadata. What it has read is kept for an hour. A failure is not kept, so the next call asks again. */
export const makeDiscovery = (registration: Registration, now: Clock): (() => Promise<Discovered>) => {
  let kept: { readonly discovered: Promise<Discovered>; readonly until: number } | undefined
  return () => {
    if (kept !== undefined && now() < kept.until) return kept.discovered
    const asked = { discovered: discover(registration), until: now() + KEPT_MS }
    kept = asked
    asked.discovered.catch(() => {
      if (kept === asked) kept = undefined
    })
    return asked.discovered
  }
}

/** The metadata has to name the issuer that was configured: a shared issuer of many companies would vouch for people of all of them. */
const discover = async ({ issuer, clientId, clientSecret, timeoutMs }: Registration): Promise<Discovered> => {
  const client = await import('openid-client')
  const address = new URL(issuer)
  const metadata = { [client.clockTolerance]: CLOCK_SKEW_MS / SECOND_MS }
  const config = await client.discovery(address, clientId, metadata, authenticating(client, clientSecret), {
    [client.customFetch]: boundedFetch(timeoutMs),
    execute: [client.enableNonRepudiationChecks, ...(address.protocol === 'http:' ? [client.allowInsecureRequests] : [])],
  })
  const { issuer: named, authorization_endpoint: page } = config.serverMetadata()
  if (new URL(named).href !== address.href) throw new Error('its metadata names another issuer')
  if (page === undefined || !URL.canParse(page) || !isSafe(new URL(page))) throw new Error('its metadata names no https address to sign in at')
  return { client, config }
}

/** The client's secret goes into the header, which every provider has to take, except where the metadata lists other ways only. */
const authenticating =
  (client: typeof OpenIdClient, secret: string): ClientAuth =>
  (server, metadata, body, headers) => {
    const ways = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const authenticate = ways.includes('client_secret_basic') ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret)
    authenticate(server, metadata, body, headers)
  }
