import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { MemoryStorage } from '../../adapters/memory/index.js'
import type { PortFailure } from '../../core/errors.js'
import type { MessageId } from '../../core/message.js'
import { DOWN } from './failing.js'
import type { Fault } from './schedule.js'

/** Ports that fail as a list of faults says, call by call, and then no more. */
export const makeFaultyPorts = (listed: ReadonlyArray<Fault>) => {
  const faults = [...listed]
  const proven = new Set<MessageId>()

  const faulty =
    <Arguments extends ReadonlyArray<unknown>, Failure, Result>(
      method: (...args: Arguments) => TaskEither<Failure, Result>,
      written?: (...args: Arguments) => void,
    ) =>
    (...args: Arguments): TaskEither<Failure | PortFailure, Result> =>
    async () => {
      const fault = faults.shift() ?? 'works'
      if (fault === 'fails') return E.left(DOWN)
      const outcome = await method(...args)()
      written?.(...args)
      return fault === 'answer_lost' ? E.left(DOWN) : outcome
    }

  return {
    /** The messages of which it is durable, in the log or in the wallet, that the platform accepted them. */
    proven,
    /** From now on nothing fails. */
    mend: () => void faults.splice(0),
    ports: ({ messageLog, wallet }: MemoryStorage): Partial<MemoryStorage> => ({
      messageLog: {
        ...messageLog,
        open: faulty(messageLog.open),
        settle: faulty(messageLog.settle, (_workspace, id, { state }) => { if (state === 'accepted') proven.add(id) }),
        find: faulty(messageLog.find),
        stale: faulty(messageLog.stale),
      },
      wallet: {
        hold: faulty(wallet.hold),
        capture: faulty(wallet.capture, ({ message }) => void proven.add(message)),
        release: faulty(wallet.release),
        refund: faulty(wallet.refund),
        stale: faulty(wallet.stale),
      },
    }),
  }
}
