import * as E from 'fp-ts/lib/Either.js'
import { Counter, Gauge, type Registry } from 'prom-client'
import { SECOND_MS } from '../../core/kernel/time.js'
import type { HoldReason } from '../../core/messages/queue-holds.js'
import type { LimitEvent, OnLimit } from '../../core/sending/dispatch.js'
import type { MeasureQueue, QueueMeasures } from '../../core/sending/show-queue.js'
import { shareForMetrics } from './share-result.js'

const REASONS: ReadonlyArray<HoldReason> = ['operator', 'asleep', 'other_installation']

type Measured = QueueMeasures['senders'][number]

const SENDER = ['workspace', 'sender'] as const

/**
 * Shows what is queued: in total, and of the senders that have waited for the longest time.
 *
 * It is read from the database when the metrics are requested, at most every 15 seconds, and only so many messages are counted that this stays fast. If the database fails or is slow, the last
 * values are shown.
 */
export const showQueue = (register: Registry, measure: MeasureQueue, now: () => number = Date.now): void => {
  const measured = shareForMetrics(async () => {
    const known = await measure()
    if (E.isLeft(known)) throw known.left.cause
    return known.right
  })
  const show = <Label extends string>(
    name: string, help: string, labelNames: ReadonlyArray<Label>, set: (gauge: Gauge<Label>, measured: QueueMeasures) => void,
  ): void => {
    const gauge: Gauge<Label> = new Gauge({
      name, help, labelNames: [...labelNames], registers: [register], aggregator: 'first',
      collect: async () => {
        const known = await measured()
        if (known === undefined) return
        gauge.reset()
        set(gauge, known)
      },
    })
  }
  const secondsSince = (at: number | undefined): number => (at === undefined ? 0 : Math.max(0, now() - at) / SECOND_MS)
  const ofSenders = (
    name: string, help: string, value: (of: Measured) => number | undefined,
  ): void => show(name, help, SENDER, (gauge, { senders }) => {
    for (const one of senders) {
      const shown = value(one)
      if (shown !== undefined) gauge.set({ workspace: one.workspace, sender: one.sender }, shown)
    }
  })

  show('postern_queue_messages', 'Queued messages that are due, and those that are due later; at most 100,000 are counted.', ['state'],
    (gauge, { due, later }) => {
      gauge.set({ state: 'due' }, due)
      gauge.set({ state: 'later' }, later)
    })
  show('postern_queue_oldest_due_seconds', 'How long the oldest queued message that is due has been due.', [], (gauge, { oldestDueAt }) => {
    gauge.set(secondsSince(oldestDueAt))
  })
  show('postern_queue_sender_messages', 'The same of the senders that have waited longest; at most 10,000 of each are counted.',
    [...SENDER, 'state'], (gauge, { senders }) => {
      for (const { workspace, sender, due, later } of senders) {
        gauge.set({ workspace, sender, state: 'due' }, due)
        gauge.set({ workspace, sender, state: 'later' }, later)
      }
    })
  ofSenders('postern_queue_sender_oldest_due_seconds', 'How long the oldest message of the same senders has been due.', ({ oldestDueAt }) =>
    secondsSince(oldestDueAt))
  ofSenders('postern_queue_sender_rate', 'How many messages a second the same senders may send now.', ({ rate }) => rate)
  show('postern_queue_held_messages', 'Queued messages that a hold of every workspace keeps, by its reason.', ['why'],
    (gauge, { holds, due, later }) => {
      const hold = holds.find(({ workspace }) => workspace === undefined)
      for (const why of REASONS) gauge.set({ why }, hold?.why === why ? due + later : 0)
    })
}

/** The maximum number of senders that a process counts apart. */
const MAX_SENDERS = 100

/** Counts the slots that senders take, the requests that limits refuse, and how often the platform slows a sender down. Senders after the first 100 of a process are counted together. */
export const countLimits = (register: Registry): OnLimit => {
  const registers = [register]
  const slots = new Counter({
    name: 'postern_sender_slots_total', help: 'Slots that senders have taken, and those of them that they have lost.',
    labelNames: [...SENDER, 'outcome'], registers,
  })
  const refused = new Counter({
    name: 'postern_sender_refused_total', help: 'Requests that a limit refused before their messages were opened.',
    labelNames: [...SENDER, 'limit'], registers,
  })
  const slowed = new Counter({
    name: 'postern_sender_slowed_total', help: 'Answers of the platform that slow a sender down.', labelNames: [...SENDER, 'why'],
    registers,
  })
  const known = new Set<string>()
  const labelsOf = ({ workspace, sender }: LimitEvent): Readonly<Record<typeof SENDER[number], string>> => {
    const key = `${workspace} ${sender}`
    if (!known.has(key) && known.size >= MAX_SENDERS) return { workspace: 'other', sender: 'other' }
    known.add(key)
    return { workspace, sender }
  }
  return (event) => {
    const labels = labelsOf(event)
    switch (event.event) {
      case 'slot_taken': return slots.inc({ ...labels, outcome: 'taken' })
      case 'slot_lost': return slots.inc({ ...labels, outcome: 'lost' })
      case 'refused': return refused.inc({ ...labels, limit: LIMITS[event.limit] })
      case 'slowed_down': return slowed.inc({ ...labels, why: event.why })
    }
  }
}

const LIMITS: Readonly<Record<Extract<LimitEvent, { readonly event: 'refused' }>['limit'], string>> = {
  PairLimitReached: 'pair_limit', SenderLimitReached: 'sender_limit', PortfolioLimitReached: 'portfolio_limit',
}
