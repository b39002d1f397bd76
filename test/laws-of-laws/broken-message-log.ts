import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type Billed, billedAs, type Draft, type MessageLog, sumBilled } from '../../core/messages/message-log.js'
import type { MessageId, MessageRecord } from '../../core/messages/message.js'
import { andThen, withResult } from './broken-memory.js'

type Defect = (log: MessageLog) => Partial<MessageLog>

/** Changes every draft before it is opened. */
export const opening = (change: (draft: Draft) => Draft): Defect => ({ open }) => ({ open: (draft) => open(change(draft)) })

/** Changes every record that is found by an id. */
export const changingRecords = (change: (record: MessageRecord) => MessageRecord): Defect => ({ find }) =>
  ({ find: (...of) => withResult(find(...of), O.map(change)) })

/** Answers with the first message of a key, whatever became of it. */
export const keepingClaims: Defect = ({ open, find }) => {
  const first = new Map<string, MessageId>()
  return {
    open: (draft) => andThen(find(draft.workspace, { id: first.get(draft.claim?.key ?? '') ?? draft.id }), async (found) => {
      if (O.isSome(found)) return E.right({ _tag: 'Claimed', by: found.value, sameRequest: true })
      if (draft.claim !== undefined) first.set(draft.claim.key, draft.id)
      return open(draft)
    }),
  }
}

/** Applies a change that names another platform id as if it named none. */
export const forgettingPlatformId: Defect = ({ apply, find }) => ({
  apply: (workspace, id, { platformId, ...change }) => andThen(find(workspace, { id }), (found) =>
    apply(
      workspace, id,
      O.isSome(found) && found.value.platformId !== undefined ? change : { ...change, ...(platformId !== undefined && { platformId }) },
    )),
})

/** Sums records other than they are, or other entries of them. */
export const summing = (
  change: (record: MessageRecord) => MessageRecord,
  changeEntry: (record: MessageRecord, entry: Billed) => Billed = (_record, entry) => entry,
): Defect => ({ open, find }) => {
  const opened = new Map<MessageId, WorkspaceId>()
  return {
    open: (draft) => {
      opened.set(draft.id, draft.workspace)
      return open(draft)
    },
    billed: async () => {
      const entries: Billed[] = []
      for (const [id, workspace] of opened) {
        const found = await find(workspace, { id })
        const record = E.isRight(found) ? O.toUndefined(found.right) : undefined
        const entry = record && billedAs(change(record))
        if (record !== undefined && entry !== undefined) entries.push(changeEntry(record, entry))
      }
      return E.right(sumBilled(entries))
    },
  }
}
