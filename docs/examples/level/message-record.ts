import { isRemembered, merge, type Change, type Draft, type MessageRecord } from 'postern'

/** The record of a message that is opened. What it says is not part of it. */
export const recordOf = ({ id, workspace, message, price, at }: Draft): MessageRecord => ({
  id, workspace, price,
  platformId: undefined,
  kind: message._tag === 'Text' ? 'text' : 'template',
  to: message.to,
  state: 'pending',
  templateName: message._tag === 'Template' ? message.name : undefined,
  language: message._tag === 'Template' ? message.language : undefined,
  error: undefined,
  pricing: undefined,
  createdAt: at,
  history: [{ state: 'pending', at }],
})

/** The record once a change is heard of. The error goes with the state that it explains; the other two are the same in every change. */
export const changed = (record: MessageRecord, change: Change): MessageRecord => {
  const state = merge(record.state, change.state)
  const isNew = isRemembered(record.state, change.state) && !record.history.some((mark) => mark.state === change.state)
  return {
    ...record,
    state,
    platformId: record.platformId ?? change.platformId,
    error: state === record.state ? record.error : change.error,
    pricing: record.pricing ?? change.pricing,
    history: isNew ? [...record.history, { state: change.state, at: change.at }].sort(oldestFirst) : record.history,
  }
}

type Mark = MessageRecord['history'][number]

const oldestFirst = (a: Mark, b: Mark): number => a.at - b.at || (merge(a.state, b.state) === b.state ? -1 : 1)
