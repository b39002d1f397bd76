import * as E from 'fp-ts/lib/Either.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Along } from '../../core/kernel/outbox.js'
import type { MovedMessage } from '../../core/messages/message-log.js'
import type { MessageRecord, NoSuchMessage, NotUnconfirmed } from '../../core/messages/message.js'
import { checkResolution, type MessageMoney, moneyAgrees, type Resolution } from '../../core/money/ledger.js'
import type { Accounts } from './accounts.js'
import type { EventState } from './event-state.js'
import { changeMessage, type WorkspaceMessages } from './message-log.js'
import { pageById } from './page.js'
import { atomic, infallible } from './task.js'
import { moveHold } from './wallet.js'

type State = { readonly books: Accounts; readonly shelves: ReadonlyMap<WorkspaceId, WorkspaceMessages>; readonly events: EventState }

/** The messages and their holds, in memory. */
export const makeMemoryMessageMoney = (state: State): MessageMoney => ({
  resolve: (resolution, along) => atomic(() => resolve(state, resolution, along)),
  mismatches: (query) =>
    infallible(() => {
      const holds = [...state.books].flatMap(([workspace, { holds: of }]) => Array.from(of, ([message, { state: hold }]) =>
        ({ workspace, message, hold, state: state.shelves.get(workspace)?.records.get(message)?.state })))
      const { items, next } = pageById(holds, query, ({ message }) => message)
      return { items: items.filter((one) => !moneyAgrees(one.hold, one.state)), next }
    }),
})

const resolve = (
  { books, shelves, events }: State, resolution: Resolution, along: Along<MovedMessage> | undefined,
): E.Either<NoSuchMessage | NotUnconfirmed, MessageRecord> => {
  const { workspace, message: id, at, note } = resolution
  const shelf = shelves.get(workspace)
  const message = shelf?.records.get(id)
  const change = checkResolution(message, books.get(workspace)?.holds.get(id)?.state, resolution)
  if (E.isLeft(change)) return change
  if (change.right !== undefined) {
    changeMessage({ shelf, events }, id, change.right, along)
    moveHold(books, change.right.state === 'accepted' ? 'capture' : 'release', { workspace, message: id, at, note })
  }
  const after = shelf?.records.get(id)
  return after === undefined ? E.left({ _tag: 'NoSuchMessage', id }) : E.right(after)
}
