import type * as E from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { EventEndpoint } from '../events/endpoint.js'
import type { PortFailure } from '../kernel/failure.js'
import type { MemberId, WorkspaceId } from '../kernel/ids.js'
import type { Language } from '../kernel/language.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from '../kernel/time.js'
import type { UnknownWorkspace } from '../kernel/workspace.js'
import type { MessageCount } from '../messages/statistics.js'
import type { AlertState } from '../money/wallet.js'
import type { KnownNumber } from '../senders/number-health.js'
import type { ListedSender } from '../senders/sender.js'
import type { Template } from '../templates/template.js'
import { ALERT_TEXTS, type TroubleFact } from './texts.js'

/** The subjects of alerts, from which a person chooses. */
export const ALERT_KINDS = ['balance', 'sending', 'quality', 'endpoint'] as const

/** The subject of an alert. */
export type AlertKind = (typeof ALERT_KINDS)[number]

/** Whether a text is the kind of an alert. */
export const isAlertKind = (text: string): text is AlertKind => (ALERT_KINDS as ReadonlyArray<string>).includes(text)

/**
 * Something that is wrong in a workspace now. `topic` identifies it as long as it lasts; at most 600 characters. `fact` says it to people in their language, and
 * `sentence` in English: neither contains a secret or text of a message.
 */
export type Trouble = { readonly kind: AlertKind; readonly topic: string; readonly sentence: string; readonly fact: TroubleFact }

/** The same trouble is alerted again after this time, if it lasts. Once it was resolved, it is alerted again immediately. */
export const REPEATED_AFTER_MS = DAY_MS

/** An alert that could not be delivered is dropped this long after it was raised. */
export const ALERT_EXPIRES_AFTER_MS = DAY_MS

/** The maximum number of alerts of one workspace that wait; further ones are dropped. */
export const MAX_WAITING_ALERTS = 500

const ATTEMPT_PAUSES_MS: ReadonlyArray<number> = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS]

/** When an alert is tried again after this number of attempts; `undefined` if it is dropped. */
export const nextAlertAttempt = (attempts: number, raisedAt: Instant, at: Instant): Instant | undefined => {
  const next = at + (ATTEMPT_PAUSES_MS[Math.min(attempts, ATTEMPT_PAUSES_MS.length) - 1] ?? DAY_MS)
  return next - raisedAt > ALERT_EXPIRES_AFTER_MS ? undefined : next
}

/** What is known of a workspace that may be wrong. */
export type Watched = {
  readonly alerts: AlertState
  readonly senders: ReadonlyArray<Pick<ListedSender, 'phoneNumberId' | 'failingSince' | 'isUnreadable'>>
  readonly endpoints: ReadonlyArray<Pick<EventEndpoint, 'id' | 'status' | 'failingSince'>>
  /** The numbers of its senders, as far as they are known. */
  readonly numbers: ReadonlyArray<Pick<KnownNumber, 'displayNumber' | 'phoneNumberId' | 'quality'>>
  readonly templates: ReadonlyArray<Pick<Template, 'name' | 'language' | 'status' | 'quality'>>
  /** The messages of the last `SHARE_OF_MS`. */
  readonly counts: ReadonlyArray<Pick<MessageCount, 'state' | 'messages'>>
}

/** The period over which the share of failed messages is watched. */
export const SHARE_OF_MS = HOUR_MS
/** So many messages must have ended, and this share of them must have failed. */
const [FEWEST_MESSAGES, FAILING_SHARE] = [20, 0.2]
/** Shorter outages of an endpoint end by themselves. */
const ENDPOINT_OUTAGE_MS = 15 * MINUTE_MS

const FAILED: ReadonlySet<string> = new Set(['failed', 'refused'])
const OPEN: ReadonlySet<string> = new Set(['pending', 'unconfirmed', 'released'])

/** What is wrong in a workspace at a given time. */
export const troublesOf = ({ alerts, senders, endpoints, numbers, templates, counts }: Watched, at: Instant): ReadonlyArray<Trouble> => {
  const sum = (of: (state: string) => boolean) => counts.reduce((total, { state, messages }) => total + (of(state) ? messages : 0), 0)
  const [failed, ended] = [sum((state) => FAILED.has(state)), sum((state) => !OPEN.has(state))]
  return [
    ...(alerts.exhaustedSince !== undefined
      ? [trouble('balance', 'wallet.empty', { _tag: 'WalletEmpty' })]
      : alerts.lowSince !== undefined ? [trouble('balance', 'wallet.low', { _tag: 'WalletLow' })] : []),
    ...(ended >= FEWEST_MESSAGES && failed >= ended * FAILING_SHARE
      ? [trouble('sending', 'messages.failing', { _tag: 'MessagesFailing', failed, ended })]
      : []),
    ...senders.flatMap(({ phoneNumberId: sender, failingSince }) =>
      (failingSince === undefined ? [] : [trouble('quality', `sender.failing ${sender}`, { _tag: 'TokenRefused', sender })])),
    ...senders.flatMap(({ phoneNumberId: sender, isUnreadable }) =>
      (isUnreadable ? [trouble('quality', `sender.unreadable ${sender}`, { _tag: 'TokenUnreadable', sender })] : [])),
    ...numbers.flatMap(({ phoneNumberId, displayNumber: number = phoneNumberId, quality }) =>
      (quality === 'red' ? [trouble('quality', `number is red ${phoneNumberId}`, { _tag: 'NumberRed', number })] : [])),
    ...templates.flatMap(({ name, language, status, quality }) => {
      if (status === 'paused' || status === 'disabled') {
        return [trouble('quality', `template is ${status} ${name} ${language}`, { _tag: 'TemplateStopped', name, language, status })]
      }
      return quality === 'red'
        ? [trouble('quality', `template has the quality red ${name} ${language}`, { _tag: 'TemplateRed', name, language })]
        : []
    }),
    ...endpoints.flatMap(({ id: endpoint, status, failingSince }) => {
      if (failingSince === undefined || (status === 'enabled' && at - failingSince < ENDPOINT_OUTAGE_MS)) return []
      return status === 'disabled'
        ? [trouble('endpoint', `endpoint.disabled ${endpoint}`, { _tag: 'EndpointDisabled', endpoint })]
        : [trouble('endpoint', `endpoint.failing ${endpoint}`, { _tag: 'EndpointFailing', endpoint })]
    }),
  ]
}

const trouble = (kind: AlertKind, topic: string, fact: TroubleFact): Trouble =>
  ({ kind, topic, fact, sentence: ALERT_TEXTS.en.sentence(fact) })

/** A trouble that was alerted, and when it was alerted last. */
export type KnownTrouble = { readonly topic: string; readonly alertedAt: Instant }

/** The troubles to alert now, and the topics that no longer last. */
export const alertsToRaise = (
  known: ReadonlyArray<KnownTrouble>, troubles: ReadonlyArray<Trouble>, at: Instant,
): { readonly raised: ReadonlyArray<Trouble>; readonly resolved: ReadonlyArray<string> } => {
  const [alerted, lasting] = [new Map(known.map(({ topic, alertedAt }) => [topic, alertedAt])), new Set(troubles.map(({ topic }) => topic))]
  return {
    raised: troubles.filter(({ topic }) => {
      const last = alerted.get(topic)
      return last === undefined || at - last >= REPEATED_AFTER_MS
    }),
    resolved: known.flatMap(({ topic }) => (lasting.has(topic) ? [] : [topic])),
  }
}

/** The people and the channel that an alert reaches. */
export type AlertRecipient =
  | {
      readonly _tag: 'Member'; readonly member: MemberId; readonly email: string
      /** The language of the member; absent if it is not known. */
      readonly language?: Language
    }
  | { readonly _tag: 'Channel'; readonly url: string }

/** An alert for one recipient, with everything that was raised for them at the same time. */
export type WaitingAlert = {
  /** 32 lowercase hexadecimal digits of a UUIDv7. */
  readonly id: string
  readonly workspace: WorkspaceId
  readonly to: AlertRecipient
  /** The previous release stores no facts. */
  readonly troubles: ReadonlyArray<Pick<Trouble, 'kind' | 'sentence'> & Partial<Pick<Trouble, 'fact'>>>
  readonly raisedAt: Instant
  /** The number of earlier attempts. */
  readonly attempts: number
}

/** What people want to be alerted about, what was alerted, and the alerts that wait for their delivery. Addresses of channels are encrypted at rest. */
export interface Alerts {
  /** The kinds that a member gets by e-mail; none at first. */
  readonly choicesOf: (member: MemberId) => Promise<E.Either<PortFailure, ReadonlyArray<AlertKind>>>
  /** Replaces the kinds that a member gets by e-mail. */
  readonly choose: (member: MemberId, kinds: ReadonlyArray<AlertKind>) => Promise<E.Either<PortFailure, void>>
  /** The address of a workspace's channel, which gets every kind; none at first. */
  readonly channelOf: (workspace: WorkspaceId) => Promise<E.Either<PortFailure, Option<string>>>
  /** Sets or removes the address of a workspace's channel. `outboxEntries` is called if the workspace exists. */
  readonly setChannel: (
    workspace: WorkspaceId, url: string | undefined, outboxEntries?: MakeOutboxEntries<WorkspaceId>,
  ) => Promise<E.Either<UnknownWorkspace | PortFailure, void>>
  /** Whether an alert of a workspace would reach anyone: a member with access to it who chose a kind, or a channel. */
  readonly reaches: (workspace: WorkspaceId) => Promise<E.Either<PortFailure, boolean>>
  /**
   * Stores what is wrong in a workspace now, and the alerts of what is to be raised (`alertsToRaise`), one for each recipient: members with access to the
   * workspace, with the kinds that they chose, and the channel. All of it or nothing. Right: the number of new alerts.
   *
   * If more than `MAX_WAITING_ALERTS` would wait, none is added. Repeating it adds nothing.
   */
  readonly note: (
    workspace: WorkspaceId, troubles: ReadonlyArray<Trouble>, at: Instant, newId: () => string,
  ) => Promise<E.Either<PortFailure, number>>
  /**
   * Takes at most `limit` alerts that are due, the oldest first, and makes them due again at `until` with one more attempt, so that another process does not take
   * them meanwhile. An alert whose recipient no longer exists or has no access is dropped. A member is given with their language at this time.
   */
  readonly claim: (at: Instant, until: Instant, limit: number) => Promise<E.Either<PortFailure, ReadonlyArray<WaitingAlert>>>
  /** Removes an alert that was delivered or dropped, or sets when it is tried again. An alert that is gone changes nothing. */
  readonly settle: (id: string, next: Instant | undefined) => Promise<E.Either<PortFailure, void>>
}
