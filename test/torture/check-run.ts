import type { ReceivedMessage } from '../../apps/simulator/control/logs.js'
import type { MessageRecord } from '../../core/messages/message.js'
import type { Entry } from '../../core/money/ledger.js'
import { checkFreeTexts, checkResolutions, settledByHand } from './check-resolutions.js'
import { groupedBy } from './grouped-by.js'
import type { ClientReply, ClientRequest, Finding, RunRecord } from './run-record.js'

/** All violations of a run, and how many messages could not be matched with the platform's reports. */
export type CheckResult = { readonly findings: ReadonlyArray<Finding>; readonly untraceable: number }

/** The wallet entries of one message: how many of each kind, and how many at another price than the message's. */
type Money = {
  readonly captures: number
  readonly refunds: number
  readonly releases: number
  readonly holds: number
  readonly wrong: number
}

/** Checks a run: every message against what the platform accepted, the wallet's entries and the replies to clients. */
export const checkRun = (run: RunRecord): CheckResult => {
  const { requests, arrivals, messages, entries } = run
  const byHand = settledByHand(run)
  const records = new Map(messages.map((record) => [String(record.id), record]))
  const entriesOf = groupedBy(entries, ({ message }) => message)
  const moneyOf = (record: MessageRecord): Money => moneyIn(entriesOf.get(record.id) ?? [], record.price.micros)
  const accepted = arrivals.filter(({ outcome }) => outcome === 'accepted')
  const acceptedAs = new Map(accepted.map((arrival) => [arrival.callback, arrival]))
  const untraceable = accepted.filter((arrival) =>
    isUntraceable(arrival, records.get(String(arrival.callback)), byHand.get(String(arrival.callback)) === 'sent'))
  return {
    untraceable: untraceable.length,
    findings: [
      ...messages.flatMap((record) =>
        messageFindings(record, moneyOf(record), acceptedAs.get(record.id), byHand.get(record.id) === 'sent')),
      ...checkResolutions(run),
      ...checkFreeTexts(run),
      ...[...entriesOf.keys()].flatMap((id) =>
        id === undefined || records.has(id) ? [] : moneyWithoutMessage(id, entriesOf.get(id) ?? [])),
      ...accepted.flatMap(({ callback, to }) => (records.has(String(callback)) ? [] : [{ about: to, fault: `was sent as ${callback}, which is in no log` }])),
      ...duplicateFindings(requests, accepted),
      ...requests.flatMap((request) => requestFindings(request, records, acceptedAs)),
    ],
  }
}

/** No response or report named the message to the gateway: its response was lost, and its statuses had only the platform's id. It was given up, or an operator set it to sent. */
const isUntraceable = ({ faults }: ReceivedMessage, record: MessageRecord | undefined, wasSaidSent: boolean): boolean =>
  faults.includes('noCallbackData') && (record?.state === 'released' || (wasSaidSent && record?.state === 'accepted'))
  && record.platformId === undefined

/** An operator marked it as sent, and its failure was reported only with an id of the platform that the gateway never received. */
const isFailureUntraceable = ({ faults }: ReceivedMessage, { platformId }: MessageRecord, wasSaidSent: boolean): boolean =>
  wasSaidSent && platformId === undefined && (faults.includes('failedWithoutCallback') || faults.includes('noCallbackData'))

const messageFindings = (
  record: MessageRecord, money: Money, arrival: ReceivedMessage | undefined, wasSaidSent: boolean,
): ReadonlyArray<Finding> => {
  const { captures, refunds, releases, holds, wrong } = money
  const net = captures - refunds
  const expected = record.state === 'failed' || record.state === 'refused' || record.state === 'released' ? 0 : 1
  return findingsOf(record, [
    [record.state === 'pending' || record.state === 'unconfirmed', `was left ${record.state}`],
    [captures > 1 || refunds > 1 || releases > 1 || holds > 1, `was booked twice: ${describeMoney(money)}`],
    [wrong > 0, 'was booked at another price than its own'],
    [net !== expected, `is ${record.state}, but its money says ${describeMoney(money)}`],
    [holds === 0 && captures + refunds + releases > 0, `was booked without a hold: ${describeMoney(money)}`],
    [arrival === undefined && net !== 0 && !wasSaidSent, 'was never accepted, and is charged'],
    ...(arrival === undefined ? [] : acceptedProblems(record, net, { arrival, wasSaidSent })),
  ])
}

const acceptedProblems = (
  record: MessageRecord, net: number, { arrival, wasSaidSent }: { readonly arrival: ReceivedMessage; readonly wasSaidSent: boolean },
): ReadonlyArray<readonly [boolean, string]> => {
  const failed = arrival.statuses.includes('failed')
  const arrived = arrival.statuses.includes('delivered') || arrival.statuses.includes('read')
  const latest = ['read', 'delivered', 'sent'].find((state) => arrival.statuses.includes(state))
  const isSettled = failed || isUntraceable(arrival, record, wasSaidSent)
  return [
    [net !== 1 && !isSettled, `was accepted, and is not charged; reported: ${arrival.statuses.join(', ')}`],
    [!isSettled && latest !== undefined && record.state !== latest, `was reported ${latest} and acknowledged, and is ${record.state}`],
    [net !== 0 && failed && !arrived && !isFailureUntraceable(arrival, record, wasSaidSent), `failed, and is not refunded; its faults: ${arrival.faults.join(', ')}; as ${record.platformId}`],
    [record.platformId !== undefined && record.platformId !== arrival.wamid, `is remembered as ${record.platformId}, but was accepted as ${arrival.wamid}`],
    [record.to !== arrival.to, 'went to another customer'],
  ]
}

/** Each customer belongs to one request, so a customer with two accepted messages means that one was sent twice. */
const duplicateFindings = (requests: ReadonlyArray<ClientRequest>, accepted: ReadonlyArray<ReceivedMessage>): ReadonlyArray<Finding> => {
  const arrivedAt = groupedBy(accepted, ({ to }) => to)
  return requests.flatMap(({ to, key }) => {
    const times = arrivedAt.get(to)?.length ?? 0
    const how = key === undefined ? 'without a key, though the answer said that nothing was sent' : 'under one key'
    return times > 1 ? [{ about: to, fault: `was sent ${times} messages ${how}` }] : []
  })
}

/** Statuses that no client may receive, even after kills. */
const DEFECTS: ReadonlySet<number> = new Set([401, 422, 500])

const requestFindings = (
  { to, replies }: ClientRequest, records: ReadonlyMap<string, MessageRecord>, acceptedAs: ReadonlyMap<string | undefined, ReceivedMessage>,
): ReadonlyArray<Finding> => {
  const answered = replies.filter((reply): reply is ClientReply => typeof reply === 'object')
  const successes = answered.filter(({ status }) => status === 200)
  return [
    ...answered.flatMap(({ status, code }) => (DEFECTS.has(status) ? [{ about: to, fault: `was answered ${status} ${code}` }] : [])),
    ...(new Set(successes.map(({ platformId }) => platformId)).size > 1
      ? [{ about: to, fault: 'was answered two different message ids' }]
      : []),
    ...successes.flatMap(({ message = '', platformId }) => findingsOf({ id: message }, [
      [!records.has(message), `was answered 200 for ${to} and is in no log`],
      [acceptedAs.get(message)?.wamid !== platformId, `was answered 200 with ${platformId}, which the platform did not accept it as`],
    ])),
  ]
}

/** The holds of a message that was never opened must have been released. */
const moneyWithoutMessage = (id: string, entries: ReadonlyArray<Entry>): ReadonlyArray<Finding> => {
  const money = moneyIn(entries, undefined)
  return findingsOf({ id }, [[money.captures > 0 || money.releases !== money.holds, `is in no log, and its money says ${describeMoney(money)}`]])
}

const moneyIn = (entries: ReadonlyArray<Entry>, price: bigint | undefined): Money => {
  const count = (kind: Entry['kind']): number => entries.filter((entry) => entry.kind === kind).length
  return {
    captures: count('capture'), refunds: count('refund'), releases: count('release'), holds: count('hold'),
    wrong: price === undefined ? 0 : entries.filter(({ micros }) => micros !== price).length,
  }
}

const describeMoney = ({ holds, captures, refunds, releases }: Money): string =>
  `${holds} held, ${captures} captured, ${refunds} refunded, ${releases} released`

const findingsOf = ({ id }: { readonly id: string }, faults: ReadonlyArray<readonly [boolean, string]>): ReadonlyArray<Finding> =>
  faults.flatMap(([is, fault]) => (is ? [{ about: id, fault }] : []))
