import { promises as dns } from 'node:dns'
import { codeOf } from './failed-call.js'
import { makeTurns } from './turns.js'

/** Finds the IP addresses of a host; it rejects where it finds none. It may give up once `signal` is aborted. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<ReadonlyArray<string>>

const DNS_TIMEOUT_MS = 1_500

/** The system's look-ups occupy threads that all of Node.js shares, of which there are four. */
const SYSTEM_LOOKUPS = 2

/** A name server was asked and did not answer, so the system's look-up would wait for it again. */
const NO_ANSWER: ReadonlySet<unknown> = new Set(['ETIMEOUT', 'ECANCELLED'])

/**
 * Makes a resolver that asks the name servers, and the system for names that they do not know, such as those in `/etc/hosts`.
 *
 * The system's look-up (`getaddrinfo`) cannot be cancelled and blocks a thread until it ends. Some hosts whose name servers are silent would stop every
 * other look-up. So the name servers are asked first, which blocks nothing.
 */
export const makeResolve = (): Resolve => {
  const turns = makeTurns(SYSTEM_LOOKUPS)
  return async (hostname, signal) => {
    const resolver = new dns.Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 })
    const cancel = (): void => resolver.cancel()
    signal.addEventListener('abort', cancel)
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    signal.removeEventListener('abort', cancel)
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    const unanswered = answers.find((answer) => answer.status === 'rejected' && NO_ANSWER.has(codeOf(answer.reason)))
    if (unanswered?.status === 'rejected') throw unanswered.reason
    return turns.take(signal, async () => (await dns.lookup(hostname, { all: true })).map(({ address }) => address))
  }
}
