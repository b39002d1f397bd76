import { setTimeout as delay } from 'node:timers/promises'
import { request, type Answer } from './gateway.js'

/** How a send ended for who asked for it; `lost` where the connection broke before the answer. */
export type Outcome = Answer | 'lost'

/** Senders that send one message after another. */
export type Load = {
  /** What has ended so far. */
  readonly outcomes: () => ReadonlyArray<Outcome>
  /** How many of them were answered with a status. */
  readonly count: (status: number) => number
  /** Once every sender has had enough. */
  readonly done: Promise<void>
  /** Lets every sender finish what it is at, and waits for that. */
  readonly stop: () => Promise<void>
}

export type LoadOptions = {
  /** Addresses of gateways; the senders are spread evenly over them. */
  readonly urls: ReadonlyArray<string>
  readonly key: string
  readonly senders: number
  /** How many of the senders write to `ANSWERED_LATE`, so that at any moment something is under way at the platform. */
  readonly late?: number
  /** Whether a sender stops after an outcome; where absent it goes on until it is told to stop. */
  readonly enough?: (outcome: Outcome) => boolean
}

/** The simulator accepts a message to it and answers after `delays.late`. */
export const ANSWERED_LATE = '15550100709'

/** What one message of the load costs by the built-in rate card, in micros. */
export const PRICE = 62_500n

/** How long a sender that was turned away waits before it tries again, so that it does not keep the machine busy with that. */
const BACK_OFF_MS = 20

/** Recipients at which the simulator behaves well, at the price of `ANSWERED_LATE`. */
const recipient = (n: number): string => `1555020${String(n).padStart(6, '0')}`

/** Starts senders of templates, each message to a customer of its own. */
export const startLoad = ({ urls, key, senders, late = 0, enough = () => false }: LoadOptions): Load => {
  const outcomes: Outcome[] = []
  let stopped = false
  let customers = 0

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

/** Sends a template to a customer. Rejects where the connection breaks. */
export const sendTemplate = (url: string, key: string, to: string): Promise<Answer> =>
  request(`${url}/v1/messages/send-template`, 'POST', key, { json: { to, template_name: 'hello_world' } })

/** The outcomes that are answers. */
export const answered = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<Answer> =>
  outcomes.flatMap((outcome) => (outcome === 'lost' ? [] : [outcome]))

/** The ids of the messages that were sent, as callers were told. */
export const sentIds = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<string> =>
  answered(outcomes).flatMap(({ status, headers }) => (status === 200 ? [headers.get('Postern-Message') ?? 'none'] : []))
