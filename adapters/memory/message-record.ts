import { isRemembered, merge, type Change, type Draft, type MessageRecord } from '../../core/ports/message-log.js'

type Mark = MessageRecord['history'][number]

/** The record of a message that is opened. */
export const recordOf = ({ id, workspace, message, price, at }: Draft): MessageRecord => ({
  id,
  workspace,
  platformId: undefined,
  kind: message._tag === 'Text' ? 'text' : 'template',
  to: message.to,
  state: 'pending',
  price,
  templateName: message._tag === 'Template' ? message.name : undefined,
  language: message._tag === 'Template' ? message.language : undefined,
  error: undefined,
  pricing: undefined,
  createdAt: at,
  history: [{ state: 'pending', at }],
})

/**
 * The record of a message after a change is heard of.
 *
 * An error belongs to the state it explains, and goes with it. The platform's id and what it reports on billing are the
 * same in every change that has them, so the first to bring them is believed, however late it comes.
 */
export const changed = (record: MessageRecord, { state, at, platformId, error, pricing }: Change): MessageRecord => {
  const after = merge(record.state, state)
  const isNew = isRemembered(record.state, state) && !record.history.some((mark) => mark.state === state)
  return {
    ...record,
    state: after,
    platformId: record.platformId ?? platformId,
    error: after === record.state ? record.error : error,
    pricing: record.pricing ?? pricing,
    history: isNew ? [...record.history, { state, at }].sort(oldestFirst) : record.history,
  }
}

/** Of two marks at the same moment the one that leads to the other comes first; the platform tells whole seconds only. */
const oldestFirst = (a: Mark, b: Mark): number => a.at - b.at || (merge(a.state, b.state) === b.state ? -1 : 1)
