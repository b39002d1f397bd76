import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Client } from 'postern/client'

const VALID_MS = 10 * 60_000
const RESEND_MS = 60_000
const MAX_SENDS = 3
const MAX_ATTEMPTS = 5

/** A requested code. The code itself is not stored but computed again, so that it cannot be read here. */
type Issue = { readonly id: string; readonly expiresAt: number; readonly sends: number; readonly sentAt: number; readonly attempts: number }

export type Requested =
  | { readonly outcome: 'sent' | 'unconfirmed' }
  | { readonly outcome: 'wait'; readonly ms: number }
  | { readonly outcome: 'too_many' }
  | { readonly outcome: 'failed'; readonly code: string }

export type OtpDeps = { readonly postern: Pick<Client, 'sendTemplate'>; readonly secret: string; readonly now?: () => number }

/** One-time passwords for sign-ins. This example keeps them in memory. If you run several processes, keep an `Issue` for each number in your database. */
export const makeOtp = ({ postern, secret, now = Date.now }: OtpDeps) => {
  const issues = new Map<string, Issue>()

  const codeOf = (to: string, { id }: Issue): string =>
    String(createHmac('sha256', secret).update(`${id} ${to}`).digest().readUInt32BE() % 1_000_000).padStart(6, '0')

  /** Sends a code, or the same code again while it is valid, so that the first message to arrive contains the right code. */
  const request = async (to: string): Promise<Requested> => {
    const at = now()
    for (const [number, { expiresAt }] of issues) if (expiresAt <= at) issues.delete(number)
    const issue: Issue = issues.get(to) ?? { id: randomUUID(), expiresAt: at + VALID_MS, sends: 0, sentAt: at - RESEND_MS, attempts: 0 }
    if (issue.sends >= MAX_SENDS) return { outcome: 'too_many' }
    if (at < issue.sentAt + RESEND_MS) return { outcome: 'wait', ms: issue.sentAt + RESEND_MS - at }
    // Stored before the send, so that a simultaneous second request has to wait.
    const sent: Issue = { ...issue, sends: issue.sends + 1, sentAt: at }
    issues.set(to, sent)
    const parameters = [{ type: 'text', text: codeOf(to, sent) }]
    const components = [{ type: 'body', parameters }, { type: 'button', sub_type: 'url', index: '0', parameters }]
    const answer = await postern.sendTemplate({ to, template_name: 'one_time_code', components }, { idempotencyKey: `otp ${sent.id} ${sent.sends}` })
    if (answer.ok) return { outcome: 'sent' }
    // The code may have been sent. The customer has to wait as after any send, and can then request it again.
    if (answer.code === 'outcome_unknown' || answer.unanswered > 0) return { outcome: 'unconfirmed' }
    // Nothing was sent, so the customer does not have to wait.
    issues.set(to, { ...(issues.get(to) ?? issue), sends: issue.sends, sentAt: issue.sentAt })
    return { outcome: 'failed', code: answer.code }
  }

  /** Whether a code is correct. A code is accepted once, and is not accepted after too many wrong attempts. */
  const check = (to: string, code: string): boolean => {
    const issue = issues.get(to)
    if (issue === undefined || now() >= issue.expiresAt || issue.attempts >= MAX_ATTEMPTS) return false
    issues.set(to, { ...issue, attempts: issue.attempts + 1 })
    const [given, right] = [Buffer.from(code), Buffer.from(codeOf(to, issue))]
    if (given.length !== right.length || !timingSafeEqual(given, right)) return false
    issues.delete(to)
    return true
  }

  return { request, check }
}
