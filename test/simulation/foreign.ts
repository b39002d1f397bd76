import { AsyncLocalStorage } from 'node:async_hooks'
import * as E from 'fp-ts/lib/Either.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { MessageState } from '../../core/messages/message.js'
import type { StorageCall } from './gateway.js'
import type { HearForeign } from './platform.js'
import type { World } from './world.js'

/** The promises about statuses of other programs that send through the same number. */
export type ForeignPromises = {
  readonly hear: HearForeign
  /** A gateway receives a report at the address of another app than that of its sender. */
  readonly hearElsewhere: HearForeign
  /** A gateway calls the storage. */
  readonly onCall: (call: StorageCall) => void
  /** A message of a workspace is open. */
  readonly onOpened: (workspace: WorkspaceId) => void
}

/** The values that the promises are checked against. */
export type ForeignParts = {
  readonly world: World
  readonly messages: () => Iterable<{ readonly workspace: WorkspaceId; readonly state: MessageState }>
  readonly check: (isKept: boolean, promise: string, seen: () => string) => void
}

/** The only calls that a gateway may make for such a status: those that find its owner. */
const LOOKS: ReadonlyArray<string> = ['senders.ownerOf', 'messageLog.find', 'messageLog.stale']

/** Makes the checker of these promises. */
export const makeForeignPromises = ({ world, messages, check }: ForeignParts): ForeignPromises => {
  const hearing = new AsyncLocalStorage<string>()
  const opened = new Map<WorkspaceId, number>()
  const openedIn = (workspace: WorkspaceId): number => opened.get(workspace) ?? 0
  const isAwaited = (workspace: WorkspaceId): boolean =>
    [...messages()].some((message) => message.workspace === workspace && (message.state === 'pending' || message.state === 'unconfirmed'))

  const hear: HearForeign = async (workspace, tell) => {
    const [wasAwaited, before] = [isAwaited(workspace), openedIn(workspace)]
    const answer = await hearing.run('a status of another program', tell)
    if (answer === 'lost') return answer
    if (E.isRight(answer)) {
      check(['unknown_message', 'unknown_sender'].includes(answer.right.join()), 'a status of another program is none of ours', () =>
        `${workspace}: ${answer.right.join()}`)
      world.reach('a status of another program is confirmed')
    } else if (answer.left._tag === 'NotYetKnown') {
      const mayBeOurs = wasAwaited || openedIn(workspace) > before
      check(mayBeOurs, 'a status of another program is confirmed at once where no message waits for its outcome', () => workspace)
      world.reach('a status of another program is asked for again')
    }
    return answer
  }

  const hearElsewhere: HearForeign = async (workspace, tell) => {
    const answer = await hearing.run('a report at the address of another app', tell)
    if (answer !== 'lost' && E.isRight(answer)) {
      check(['other_app', 'unknown_sender'].includes(answer.right.join()), 'a report at the address of another app is ignored', () =>
        `${workspace}: ${answer.right.join()}`)
      world.reach('sender: a report at the address of another app')
    }
    return answer
  }

  return {
    hear, hearElsewhere,
    onCall: ({ port, method }) => {
      const heard = hearing.getStore()
      if (heard === undefined) return
      check(LOOKS.includes(`${port}.${method}`), `${heard} changes nothing`, () => `it comes to ${port}.${method}`)
    },
    onOpened: (workspace) => void opened.set(workspace, openedIn(workspace) + 1),
  }
}
