import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { listening, type Listening, withBody } from '../../support/listening.js'

type Json = Readonly<Record<string, unknown>>

/** What the provider does, which a test may change; what is left out it does right. */
export type Faults = {
  metadata?: Json
  /** Answers of endpoints, instead of the right ones. */
  discovery?: ((response: ServerResponse) => void) | undefined
  token?: ((response: ServerResponse) => void) | undefined
  keys?: ((response: ServerResponse) => void) | undefined
  /** Claims of the ID token that differ from the right ones, made of the moment in seconds; those that are undefined are left out. */
  claims?: (seconds: number) => Json
  /** Signs with a key that is not the provider's. */
  forged?: boolean
}

/** A provider made of answers, for those that a real one never gives. */
export type FaultyProvider = Listening & {
  readonly faults: Faults
  /** How often its metadata was asked for. */
  discoveries: number
  /** The answer to the browser: the query of the callback for an address of `begin`. */
  readonly answerTo: (address: string) => string
  /** The last request to the token endpoint. */
  tokenRequest: { readonly authorization: string | undefined; readonly body: URLSearchParams } | undefined
}

const [own, other] = [generateKeyPairSync('rsa', { modulusLength: 2048 }), generateKeyPairSync('rsa', { modulusLength: 2048 })]
const OWN_KEY = { ...own.publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256', use: 'sig' }

/** Starts one that does everything right. */
export const startFaultyProvider = async (): Promise<FaultyProvider> => {
  const faults: Faults = {}
  let nonce: string | null = null
  const server = await listening(createServer(withBody((body, request, response) => {
    const { url } = server
    const { pathname } = new URL(request.url ?? '/', url)
    if (pathname === '/.well-known/openid-configuration') {
      provider.discoveries += 1
      return faults.discovery === undefined ? json(response, { ...metadataOf(url), ...faults.metadata }) : faults.discovery(response)
    }
    if (pathname === '/jwks') return faults.keys === undefined ? json(response, { keys: [OWN_KEY] }) : faults.keys(response)
    if (pathname !== '/token') return response.writeHead(404).end()
    provider.tokenRequest = { authorization: request.headers.authorization, body: new URLSearchParams(body.toString()) }
    if (faults.token !== undefined) return faults.token(response)
    return json(response, { access_token: 'an-access-token', token_type: 'bearer', expires_in: 60, id_token: idToken(url, nonce, faults) })
  })))
  const provider: FaultyProvider = {
    ...server, faults, discoveries: 0, tokenRequest: undefined,
    answerTo: (address) => {
      const asked = new URL(address).searchParams
      nonce = asked.get('nonce')
      return `?${new URLSearchParams({ code: 'a-secret-code', state: asked.get('state') ?? '' }).toString()}`
    },
  }
  return provider
}

const metadataOf = (url: string): Json => ({
  issuer: url, authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token`, jwks_uri: `${url}/jwks`,
  response_types_supported: ['code'], subject_types_supported: ['public'], id_token_signing_alg_values_supported: ['RS256'],
})

const idToken = (issuer: string, nonce: string | null, { claims, forged }: Faults): string => {
  const now = Math.floor(Date.now() / 1_000)
  const payload = {
    iss: issuer, sub: 'ada', aud: 'postern', nonce, iat: now, exp: now + 60, email: 'ada@example.com', email_verified: true,
    ...claims?.(now),
  }
  const signed = [{ alg: 'RS256', kid: 'k1' }, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  const { privateKey } = forged === true ? other : own
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
}

/** Answers with JSON. */
export const json = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
