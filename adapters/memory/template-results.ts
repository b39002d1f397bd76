import { isForgotten, recordKeyOf } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { UTC_DAYS } from '../../core/kernel/time.js'
import { type MessageId, type MessageRecord, messageTime } from '../../core/messages/message.js'
import { chargedIn, isInSpan } from '../../core/messages/statistics.js'
import { answerableOf, answeredBy, repliedTo, type ResultCount, type TemplateResults } from '../../core/templates/results.js'
import type { ConsentState } from './consents.js'
import { infallible } from './kernel.js'
import type { WorkspaceMessages } from './messages.js'

type State = {
  readonly tables: ReadonlyMap<WorkspaceId, WorkspaceMessages>
  readonly consents: Pick<ConsentState, 'history'>
  /** The messages that customers replied to. */
  readonly replied: Set<MessageId>
}

/** What template messages achieve, in memory. */
export const makeMemoryTemplateResults = ({ tables, consents, replied }: State): TemplateResults => ({
  noteReply: (reply) => infallible(() => {
    const answered = repliedTo(recordsOf(tables, reply.workspace), reply)
    if (answered !== undefined) replied.add(answered.id)
  }),
  counts: (workspace, { template, language, ...span }) => infallible(() => {
    const optedOut = optOutsIn(recordsOf(tables, workspace), consents.history.get(workspace) ?? [])
    const counts = new Map<string, ResultCount>()
    for (const message of recordsOf(tables, workspace)) {
      const { id, templateName, price: { micros } } = message
      if (templateName !== template || (language !== undefined && message.language !== language) || !isInSpan(span, message)) continue
      const [day, state] = [UTC_DAYS.startOf(messageTime(id)), message.state === 'played' ? 'read' : message.state] as const
      const before = counts.get(`${day} ${state}`) ?? { day, state, messages: 0, micros: 0n, replied: 0, optedOut: 0 }
      counts.set(`${day} ${state}`, {
        ...before, messages: before.messages + 1, micros: before.micros + chargedIn(state, micros),
        replied: before.replied + Number(replied.has(id)), optedOut: before.optedOut + Number(optedOut.has(id)),
      })
    }
    return [...counts.values()].sort((a, b) => a.day - b.day)
  }),
})

const recordsOf = (tables: State['tables'], workspace: WorkspaceId): ReadonlyArray<MessageRecord> =>
  [...tables.get(workspace)?.records.values() ?? []]

/** The messages after which their customer opted out. */
const optOutsIn = (
  records: ReadonlyArray<MessageRecord>, history: ReadonlyArray<{ readonly key: string; readonly status: string; readonly since: number }>,
): ReadonlySet<MessageId> => {
  const isTo = (key: string) => ({ to }: MessageRecord): boolean => !isForgotten(to) && recordKeyOf(to) === key
  return new Set(history.filter(({ status }) => status === 'withdrawn').flatMap(({ key, since }) =>
    answeredBy(records.filter(isTo(key)).flatMap((message) => answerableOf(message) ?? []), since)?.id ?? []))
}
