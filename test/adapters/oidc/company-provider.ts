import { generateKeyPairSync } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import Provider, { type AdapterFactory, type AdapterPayload, type Configuration } from 'oidc-provider'
import { listening, type Listening } from '../../support/listening.js'

/** A person of the company, as its provider knows her. */
export type Person = { readonly sub: string; readonly email?: string; readonly email_verified?: boolean }

/** A real provider, and who sits before the browser. */
export type CompanyProvider = Listening & {
  /** The next person who signs in; undefined: she cancels. */
  person: Person | undefined
}

export const CLIENT_ID = 'postern'
export const CLIENT_SECRET = 'a-client-secret-of-tests'

/** Starts `oidc-provider`. Its page for passwords is left out: it signs in `person` at once. Emails are in its user info, not in the ID token. */
export const startCompanyProvider = async (redirectUri: string): Promise<CompanyProvider> => {
  const state: { person: Person | undefined } = { person: undefined }
  const people = new Map<string, Person>()
  const server = createServer()
  const address = await listening(server)
  // A provider needs its own address, which only a server that listens has.
  const provider = new Provider(address.url, configuration(redirectUri, people))
  const handle = provider.callback()
  const listener: RequestListener = (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) return void handle(request, response)
    void (async () => {
      const { person } = state
      if (person === undefined) return provider.interactionFinished(request, response, { error: 'access_denied' })
      people.set(person.sub, person)
      const grant = new provider.Grant({ accountId: person.sub, clientId: CLIENT_ID })
      grant.addOIDCScope('openid email')
      await provider.interactionFinished(request, response, {
        login: { accountId: person.sub, remember: false }, consent: { grantId: await grant.save() },
      })
    })()
  }
  server.on('request', listener)
  return Object.assign(state, address)
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

const configuration = (redirectUri: string, people: ReadonlyMap<string, Person>): Configuration => ({
  clients: [
    {
      client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: [redirectUri], grant_types: ['authorization_code'],
      response_types: ['code'],
    },
  ],
  claims: { openid: ['sub'], email: ['email', 'email_verified'] },
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }] },
  adapter: makeAdapter(),
  cookies: { keys: ['cookies-of-tests'] },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  pkce: { required: () => true },
  findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
  ttl: { AccessToken: 60, AuthorizationCode: 60, IdToken: 60, Interaction: 60, Session: 60, Grant: 60 },
})

/** What the provider stores, in memory. Nothing expires: a test is shorter than everything stored lives. */
const makeAdapter = (): AdapterFactory => {
  const stored = new Map<string, AdapterPayload>()
  return (kind) => ({
    upsert: async (id, payload) => void stored.set(`${kind} ${id}`, payload),
    find: async (id) => stored.get(`${kind} ${id}`),
    findByUid: async (uid) => [...stored.values()].find((payload) => payload.uid === uid),
    findByUserCode: async () => undefined,
    consume: async (id) => void stored.set(`${kind} ${id}`, { ...stored.get(`${kind} ${id}`), consumed: Math.floor(Date.now() / 1_000) }),
    destroy: async (id) => void stored.delete(`${kind} ${id}`),
    revokeByGrantId: async (grantId) => {
      for (const [key, payload] of stored) if (payload.grantId === grantId) stored.delete(key)
    },
  })
}
