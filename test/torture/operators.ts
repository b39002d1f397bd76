import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { openStorage } from '../../adapters/knex/index.js'
import type { Simulator } from '../../apps/simulator/simulator.js'
import type { StaleMessage } from '../../core/messages/message-log.js'
import type { ResolveMessage } from '../../core/sending/reconcile.js'
import { SECRET } from '../support/gateway.js'
import { administrationOf } from '../support/use-cases.js'
import type { Answered } from './run-record.js'
import type { SeededRandom } from './seeded-random.js'

/** The pause between two reads of the messages of unknown outcome, in milliseconds, and how many of them are resolved concurrently. */
const PAUSE_MS = 50
const AT_ONCE = 20

export type OperatorsOptions = {
  readonly url: string
  readonly simulator: Simulator
  readonly random: SeededRandom
  readonly unconfirmedAfterMs: number
  /** Whether the client of a customer has received its last response: a sent message may be marked as not sent by mistake only if no client sends it again. */
  readonly isDone: (to: string) => boolean
  readonly goesOn: () => boolean
}

/**
 * Two operators who resolve each message of unknown outcome at the same time, each over separate connections. They look up the message at the
 * platform; for a message that never arrived there, they sometimes set opposite outcomes.
 */
export const runOperators = async ({
  url, simulator, random, unconfirmedAfterMs, isDone, goesOn,
}: OperatorsOptions): Promise<ReadonlyArray<Answered>> => {
  const storages = [openStorage({ url, secret: SECRET }), openStorage({ url, secret: SECRET })] as const
  const [first, second] = storages.map((storage): ResolveMessage =>
    administrationOf(storage, { unconfirmedAfterMs }).messages.resolveMessage) as [ResolveMessage, ResolveMessage]
  const answered: Answered[] = []
  const answer = async (resolve: ResolveMessage, { workspace, id }: StaleMessage, outcome: 'sent' | 'not_sent'): Promise<void> => {
    const result = await resolve({ by: { principal: { _tag: 'CommandLine' } }, workspace, message: id, outcome, note: 'looked up' })
    answered.push({ message: id, outcome, result: E.isRight(result) ? 'done' : result.left._tag })
  }
  const answerAll = async (): Promise<void> => {
    const stale = await storages[0].messageLog.stale({ state: 'unconfirmed', before: Date.now(), limit: AT_ONCE })
    // The database may be down; the operators read again later.
    if (E.isLeft(stale)) return
    const accepted = new Set(simulator.received().filter(({ outcome }) => outcome === 'accepted').map(({ callback }) => callback))
    for (const { workspace, id } of stale.right) {
      const found = await storages[0].messageLog.find(workspace, { id })
      if (E.isLeft(found) || O.isNone(found.right)) continue
      const isSent = accepted.has(id)
      const contradicts = !isSent && isDone(found.right.value.to) && random.chance(0.5)
      const outcomes = isSent ? ['sent', 'sent'] as const : contradicts ? ['sent', 'not_sent'] as const : ['not_sent', 'not_sent'] as const
      await Promise.all([first, second].map((resolve, index) => answer(resolve, { workspace, id }, outcomes[index] ?? 'sent')))
    }
  }
  try {
    while (goesOn()) {
      await answerAll()
      await delay(PAUSE_MS)
    }
    return answered
  } finally {
    await Promise.all(storages.map((storage) => storage.close()))
  }
}
