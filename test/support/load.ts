import { setTimeout as delay } from 'node:timers/promises'
import { request, type Answer } from './gateway.js'

/** The response to a send; `lost` if the connection broke before the response. */
export type Outcome = Answer | 'lost'

/** Senders that send one message after another. */
export type Load = {
  /** The outcomes so far. */
  readonly outcomes: () => ReadonlyArray<Outcome>
  /** How many sends were answered with a status. */
  readonly count: (status: number) => number
  /** Resolves when every sender has stopped. */
  readonly done: Promise<void>
  /** Stops every sender after its current message, and waits for that. */
  readonly stop: () => Promise<void>
}

export type LoadOptions = {
  /** Addresses of gateways; the senders are spread evenly over them. */
  readonly urls: ReadonlyArray<string>
  readonly key: string
  readonly senders: number
  /** How many of the senders send to `ANSWERED_LATE`, so that a request to the platform is always in flight. */
  readonly late?: number
  /** The number of the first customer, so that two loads send to different customers; 0 by default. */
  readonly firstCustomer?: number
  /** Whether a sender stops after an outcome; if absent, it sends until `stop` is called. */
  readonly stopsAfter?: (outcome: Outcome) => boolean
}

/** The simulator accepts a message to it and answers after `delays.late`. */
export const ANSWERED_LATE = '15550100709'

/** The price of one message of the load on the built-in rate card, in micros. */
export const PRICE = 62_500n

/** The pause of a sender after a failed send, so that retries do not keep the machine busy. */
const BACK_OFF_MS = 20

/** Recipients without a fault of the simulator, at the same price as `ANSWERED_LATE`. */
const recipient = (n: number): string => `1555020${String(n).padStart(6, '0')}`

/** Starts senders of templates; each message has another customer. */
export const startLoad = ({ urls, key, senders, late = 0, firstCustomer = 0, stopsAfter: enough = () => false }: LoadOptions): Load => {
  const outcomes: Outcome[] = []
  let stopped = false
  let customers = firstCustomer

  const sendOn = async (url: string, isLate: boolean): Promise<void> => {
    while (!stopped) {
      const outcome = await sendTemplate(url, key, isLate ? ANSWERED_LATE : recipient(customers++)).catch(() => 'lost' as const)
      outcomes.push(outcome)
      if (enough(outcome)) return
      if (outcome === 'lost' || outcome.status !== 200) await delay(BACK_OFF_MS)
    }
  }

  const done = Promise.all(Array.from({ length: senders }, (_, n) => sendOn(urls[n % urls.length] ?? '', n < late))).then(() => undefined)
  return {
    outcomes: () => outcomes,
    count: (status) => answered(outcomes).filter((answer) => answer.status === status).length,
    done,
    stop: () => {
      stopped = true
      return done
    },
  }
}

/** Sends a template to a customer. Rejects if the connection breaks. */
export const sendTemplate = (url: string, key: string, to: string): Promise<Answer> =>
  request(`${url}/v1/messages/send-template`, 'POST', key, { json: { to, template_name: 'hello_world' } })

/** The outcomes that are responses. */
export const answered = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<Answer> =>
  outcomes.flatMap((outcome) => (outcome === 'lost' ? [] : [outcome]))

/** The ids of the messages that were answered with 200. */
export const sentIds = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<string> =>
  answered(outcomes).flatMap(({ status, headers }) => (status === 200 ? [headers.get('Postern-Message') ?? 'none'] : []))
