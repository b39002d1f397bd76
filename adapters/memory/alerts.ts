import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import {
  type AlertKind, type AlertRecipient, type Alerts, alertsToRaise, MAX_WAITING_ALERTS, type WaitingAlert,
} from '../../core/alerts/alert.js'
import type { MemberId, WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import type { UnknownWorkspace } from '../../core/kernel/workspace.js'
import type { AccessState } from './access.js'
import { type EventState, storeEvents } from './events.js'
import { atomic, infallible } from './kernel.js'

/** The choices, the channels, what was alerted, and the alerts that wait. */
export type AlertsState = {
  readonly choices: Map<MemberId, ReadonlyArray<AlertKind>>
  readonly channels: Map<WorkspaceId, string>
  readonly alerted: Map<WorkspaceId, ReadonlyMap<string, Instant>>
  readonly waiting: Map<string, Omit<WaitingAlert, 'to'> & { readonly to: MemberId | undefined; readonly dueAt: Instant }>
}

/** Without an alert. */
export const openAlertsState = (): AlertsState => ({ choices: new Map(), channels: new Map(), alerted: new Map(), waiting: new Map() })

/** The alerts in memory. */
export const makeMemoryAlerts = (
  workspaces: ReadonlyMap<WorkspaceId, unknown>, { members }: AccessState, events: EventState, state: AlertsState,
): Alerts => {
  const { choices, channels, alerted, waiting } = state
  const hasAccess = (id: MemberId, workspace: WorkspaceId): boolean => {
    const member = members.get(id)?.member
    return member !== undefined && (member.isOperator || member.roles.has(workspace))
  }
  const audience = (workspace: WorkspaceId) => [...choices].filter(([id, kinds]) => kinds.length > 0 && hasAccess(id, workspace))
  const recipient = ({ to, workspace }: {
    readonly to: MemberId | undefined; readonly workspace: WorkspaceId
  }): AlertRecipient | undefined => {
    if (to === undefined) {
      const url = channels.get(workspace)
      return url === undefined ? undefined : { _tag: 'Channel', url }
    }
    const member = members.get(to)?.member
    if (member === undefined || !hasAccess(to, workspace)) return undefined
    const { email, language } = member
    return { _tag: 'Member', member: to, email, ...(language !== undefined && { language }) }
  }
  return {
    choicesOf: (member) => infallible(() => choices.get(member) ?? []),
    choose: (member, kinds) => infallible(() => void choices.set(member, kinds.toSorted())),
    channelOf: (workspace) => infallible(() => O.fromNullable(channels.get(workspace))),
    setChannel: (workspace, url, outboxEntries) => atomic((): E.Either<UnknownWorkspace, void> => {
      if (!workspaces.has(workspace)) return E.left({ _tag: 'UnknownWorkspace' })
      if (url === undefined) channels.delete(workspace)
      else channels.set(workspace, url)
      if (outboxEntries !== undefined) storeEvents(events, outboxEntries(workspace))
      return E.right(undefined)
    }),
    reaches: (workspace) => infallible(() => channels.has(workspace) || audience(workspace).length > 0),
    note: (workspace, troubles, at, newId) => infallible(() => {
      const known = alerted.get(workspace) ?? new Map<string, Instant>()
      const { raised, resolved } = alertsToRaise([...known].map(([topic, alertedAt]) => ({ topic, alertedAt })), troubles, at)
      alerted.set(workspace, new Map([
        ...[...known].filter(([topic]) => !resolved.includes(topic)), ...raised.map(({ topic }) => [topic, at] as const),
      ]))
      const to = [...audience(workspace), ...(channels.has(workspace) ? [[undefined, undefined] as const] : [])].flatMap(([id, kinds]) => {
        const theirs = raised.filter(({ kind }) => kinds?.includes(kind) ?? true)
        return theirs.length === 0 ? [] : [{ to: id, troubles: theirs.map(({ kind, sentence, fact }) => ({ kind, sentence, fact })) }]
      })
      const others = [...waiting.values()].filter((one) => one.workspace === workspace).length
      if (others + to.length > MAX_WAITING_ALERTS) return 0
      for (const one of to) {
        const id = newId()
        waiting.set(id, { id, workspace, ...one, raisedAt: at, attempts: 0, dueAt: at })
      }
      return to.length
    }),
    claim: (at, until, limit) => infallible(() =>
      [...waiting.values()].filter(({ dueAt }) => dueAt <= at).toSorted((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1))
        .slice(0, limit).flatMap((one) => {
          const { dueAt: _dueAt, ...alert } = one
          const to = recipient(one)
          if (to === undefined) {
            waiting.delete(one.id)
            return []
          }
          waiting.set(one.id, { ...one, attempts: one.attempts + 1, dueAt: until })
          return [{ ...alert, to }]
        })),
    settle: (id, next) => infallible(() => {
      const one = waiting.get(id)
      if (one === undefined) return
      if (next === undefined) waiting.delete(id)
      else waiting.set(id, { ...one, dueAt: next })
    }),
  }
}
