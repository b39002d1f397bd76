import http from 'node:http'
import https from 'node:https'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Scheme } from './address-guard.js'
import { assertMayDial, makeCheckedLookup, type CheckedLookupDeps } from './checked-lookup.js'

/** How connections are made and kept. How many are in use at once is not bounded here. */
export type AgentDeps = CheckedLookupDeps & {
  /** How many connections of each scheme are kept for the next event; where there are more, the oldest ones are closed. */
  readonly maxIdle: number
  /** Certificates, in PEM, of authorities to trust in place of those that come with Node.js. */
  readonly ca?: string | undefined
}

/** Pools of connections to addresses that were checked. */
export type CheckedAgents = { readonly of: (scheme: Scheme) => http.Agent; readonly close: () => void }

/** How long a connection is kept for the next event, in milliseconds. */
const IDLE_MS = 20_000

/** How long one of several addresses of a host may take to accept a connection before the next is tried, in milliseconds. */
const NEXT_ADDRESS_MS = 2_000

type Check = (socket: Socket) => void

/** Makes the pools; `close` closes every connection, also those in use. */
export const makeCheckedAgents = (deps: AgentDeps): CheckedAgents => {
  const plain = keeping(deps.maxIdle, new PlainAgent(optionsOf(deps, 'http:'), checkOf(deps, 'http:')))
  const secureOptions = { ...optionsOf(deps, 'https:'), rejectUnauthorized: true, ...(deps.ca !== undefined && { ca: deps.ca }) }
  const secure = keeping(deps.maxIdle, new SecureAgent(secureOptions, checkOf(deps, 'https:')))
  return {
    of: (scheme) => (scheme === 'https:' ? secure : plain),
    close: () => {
      plain.destroy()
      secure.destroy()
    },
  }
}

const optionsOf = (deps: AgentDeps, scheme: Scheme) => ({
  keepAlive: true,
  maxFreeSockets: deps.maxIdle,
  timeout: IDLE_MS,
  lookup: makeCheckedLookup(deps, scheme),
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
})

/** Checks where a connection has really come to, before its first byte is written: before TLS begins, and before the request. */
const checkOf = ({ guard }: AgentDeps, scheme: Scheme): Check => (socket) => {
  socket.prependOnceListener('connect', () => {
    try {
      assertMayDial(guard, socket.remoteAddress ?? '', scheme)
    } catch (error) {
      socket.destroy(error as Error)
    }
  })
}

/** Closes the oldest idle connection where there would be one too many. Node.js bounds those to one host only, and those that are idle would count among all. */
const keeping = <Agent extends http.Agent>(maxIdle: number, agent: Agent): Agent => {
  const keepSocketAlive = agent.keepSocketAlive.bind(agent)
  agent.keepSocketAlive = (socket) => {
    const idle = Object.values(agent.freeSockets).flatMap((sockets = []) => sockets)
    if (idle.length >= maxIdle) idle.find(({ destroyed }) => !destroyed)?.destroy()
    return keepSocketAlive(socket)
  }
  return agent
}

const checked = <Made extends Duplex | null | undefined>(made: Made, check: Check): Made => {
  if (made instanceof Socket) check(made)
  return made
}

class PlainAgent extends http.Agent {
  readonly #check: Check

  constructor(options: http.AgentOptions, check: Check) {
    super(options)
    this.#check = check
  }

  override createConnection(...args: Parameters<http.Agent['createConnection']>): Duplex | null | undefined {
    return checked(super.createConnection(...args), this.#check)
  }
}

class SecureAgent extends https.Agent {
  readonly #check: Check

  constructor(options: https.AgentOptions, check: Check) {
    super(options)
    this.#check = check
  }

  override createConnection(...args: Parameters<https.Agent['createConnection']>): Duplex | null | undefined {
    return checked(super.createConnection(...args), this.#check)
  }
}
