import * as E from 'fp-ts/lib/Either.js'
import type { MemoryStorage } from '../../adapters/memory/index.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import type { MessageId } from '../../core/messages/message.js'
import { DOWN } from './failing-method.js'
import type { Fault } from './scenario.js'

/** Ports that fail by a list of faults, one fault for each call; after the list they work. */
export const makeFaultyPorts = (listed: ReadonlyArray<Fault>) => {
  const faults = [...listed]
  const proven = new Set<MessageId>()

  const faulty =
    <Arguments extends ReadonlyArray<unknown>, Failure, Result>(
      method: (...args: Arguments) => Promise<E.Either<Failure, Result>>,
      written?: (...args: Arguments) => void,
    ) =>
    async (...args: Arguments): Promise<E.Either<Failure | PortFailure, Result>> => {
      const fault = faults.shift() ?? 'works'
      if (fault === 'fails') return E.left(DOWN)
      const outcome = await method(...args)
      written?.(...args)
      return fault === 'answer_lost' ? E.left(DOWN) : outcome
    }

  return {
    /** The messages whose acceptance by the platform is stored in the log or in the wallet. */
    proven,
    /** Ends the failures. */
    stopFailing: () => void faults.splice(0),
    ports: ({ messageLog, wallet }: MemoryStorage): Partial<MemoryStorage> => ({
      messageLog: {
        ...messageLog,
        open: faulty(messageLog.open),
        apply: faulty(messageLog.apply, (_workspace, id, { state }) => { if (state === 'accepted') proven.add(id) }),
        find: faulty(messageLog.find),
        stale: faulty(messageLog.stale),
      },
      wallet: {
        hold: faulty(wallet.hold),
        capture: faulty(wallet.capture, ({ message }) => void proven.add(message)),
        capturePart: faulty(wallet.capturePart, ({ message }) => void proven.add(message)),
        release: faulty(wallet.release),
        refund: faulty(wallet.refund),
        holdOf: faulty(wallet.holdOf),
        stale: faulty(wallet.stale),
      },
    }),
  }
}
