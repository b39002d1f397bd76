import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  BUCKET_MS, bucketSpan, bucketStart, chargedIn, countMessages, firstMessageIdAt, isInSpan, sumCounts, type BucketWidth, type Category, type Instant,
  type MessageCount, type MessageRecord, type MessageState, type MessageStatistics, type Page, type PageQuery, type PortFailure, type TimeSpan, type WorkspaceId,
} from '../../../core/ports/message-statistics.js'

export const messageStatistics = (records: ReadonlyArray<MessageRecord>, counts: Map<WorkspaceId, ReadonlyArray<MessageCount>>): MessageStatistics => ({
  counts: (workspace: WorkspaceId, width: BucketWidth, { from, to }: TimeSpan): TE.TaskEither<PortFailure, ReadonlyArray<MessageCount>> =>
    TE.right((counts.get(workspace) ?? []).filter(({ start }) => start === bucketStart(width, start) && start >= from && start < to)),
  recount: (workspace: WorkspaceId, width: '5m' | '1h', start: Instant): TE.TaskEither<PortFailure, number> => {
    const counted = countMessages(start, records.filter((record) => record.workspace === workspace && isInSpan(bucketSpan(width, start), record)))
    counts.set(workspace, sumCounts([...counts.get(workspace) ?? [], ...counted]))
    return TE.right(counted.length)
  },
  workspacesWith: (span: TimeSpan, { limit }: PageQuery): TE.TaskEither<PortFailure, Page<WorkspaceId>> =>
    TE.right({ items: records.filter((record) => isInSpan(span, record)).map(({ workspace }) => workspace).slice(0, limit), next: undefined }),
  removeOld: (width: BucketWidth, before: Instant): TE.TaskEither<PortFailure, number> => TE.right(before > BUCKET_MS[width] ? 0 : 1),
  progress: (): TE.TaskEither<PortFailure, ReadonlyMap<string, Instant>> => TE.right(new Map()),
  noteProgress: (name: string, at: Instant): TE.TaskEither<PortFailure, void> => TE.fromIO(() => { counts.delete(`${name} ${at}` as WorkspaceId) }),
  openWindows: (workspace: WorkspaceId, after: Instant, limit: number): TE.TaskEither<PortFailure, number> => TE.right(workspace === '' ? after : limit),
})

export const countedAs = (state: MessageState, category: Category, { id, price }: MessageRecord): MessageCount | undefined =>
  id < firstMessageIdAt(0) ? undefined : { start: 0, state, category, messages: 1, micros: chargedIn(state, price.micros) }
