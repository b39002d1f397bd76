import type { AttemptName } from '../attempts.js'
import type { Email } from '../member.js'
import { networkOf } from '../network-address.js'
import type { SessionId } from '../session.js'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../time.js'

/** Someone who guesses: after five wrong passwords a second, then twice as long each time, up to 15 minutes. An hour forgets one. */
export const GUESSER = { free: 5, firstDelayMs: SECOND_MS, longestDelayMs: 15 * MINUTE_MS, forgetOneMs: HOUR_MS }

/** All who try with one email: many addresses that guess together make half a guess a second, and its owner still has her turn. */
export const EMAIL = { free: 20, firstDelayMs: SECOND_MS / 4, longestDelayMs: 2 * SECOND_MS, forgetOneMs: 2 * MINUTE_MS }

/** All who try from one network, such as an office: a hundred slips an hour are free. */
export const NETWORK = { free: 100, firstDelayMs: SECOND_MS / 4, longestDelayMs: 5 * SECOND_MS, forgetOneMs: HOUR_MS / 100 }

/** The attempts with an email from a network address. */
export const guesserAttempts = (email: Email, address: string | undefined): AttemptName =>
  ({ name: `password of ${email} from ${address === undefined ? 'nowhere' : networkOf(address)}`, ...GUESSER })

/** The attempts with an email, wherever they come from. */
export const emailAttempts = (email: Email): AttemptName => ({ name: `password of ${email}`, ...EMAIL })

/** The attempts from a network address; none where it is unknown. */
export const addressAttempts = (address: string | undefined): ReadonlyArray<AttemptName> =>
  (address === undefined ? [] : [{ name: `network ${networkOf(address)}`, ...NETWORK }])

/** The attempts from a device that is known for a member: those of strangers do not delay it. */
export const deviceAttempts = (device: string): AttemptName => ({ name: `password on ${device}`, ...GUESSER })

/** The attempts of one who is signed in already: a session that an attacker has got must not do for guessing the password. */
export const sessionAttempts = (session: SessionId): AttemptName => ({ name: `password in ${session}`, ...GUESSER })
