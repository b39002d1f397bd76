import type { AttemptResult } from '../../core/events/delivery.js'
import { retryAfterMs } from '../../core/kernel/failure.js'
import type { Instant } from '../../core/kernel/time.js'
import { answerText } from './answer-text.js'
import type { EndpointAnswer } from './call-endpoint.js'
import { failureSentence } from './failure-sentence.js'

/** Statuses with which an endpoint may say when to try again. */
const MAY_WAIT: ReadonlySet<number> = new Set([429, 503])

const GONE = 410

const NOT_CALLED = 'No connection was free in time, so the endpoint was not called; try again'

/** Decides what came of an attempt. The event is delivered only if the status is 2xx. */
export const readResult = (answer: EndpointAnswer, now: Instant): Omit<AttemptResult, 'durationMs'> => {
  if (answer._tag === 'Unanswered') {
    const { error, isUntried } = answer
    const unanswered = { delivered: false, httpStatus: undefined, answer: undefined }
    return isUntried === true ? { ...unanswered, error: NOT_CALLED, isUntried } : { ...unanswered, error: failureSentence(error) }
  }
  const { status, retryAfter, beginning } = answer
  const read = { httpStatus: status, answer: answerText(beginning) }
  if (status >= 200 && status < 300) return { ...read, delivered: true, error: undefined }
  const wait = MAY_WAIT.has(status) ? retryAfterMs(retryAfter, now) : undefined
  return {
    ...read, delivered: false, error: sentenceOf(status),
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(status === GONE && { isGone: true }),
  }
}

const sentenceOf = (status: number): string => {
  if (status === GONE) return 'The endpoint answered with status 410: it is gone for good'
  if (status >= 300 && status < 400) return `The endpoint answered with status ${status}; redirects are not followed`
  return `The endpoint answered with status ${status}`
}
