import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { isForgotten } from '../../../../core/customers/customer.js'
import type { NameCustomers } from '../../../../core/customers/use-cases.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import { type MessageId, type MessageRecord, type MessageState, moneyMove } from '../../../../core/messages/message.js'
import { errorCodeOf, type OwnErrorCode } from '../../../../core/messages/own-errors.js'
import { mayBeAgain } from '../../../../core/sending/again.js'
import type { Departure } from '../../../../core/sending/show-queue.js'
import type { ConsolePath } from '../../answer.js'
import type { UsesOf } from '../../gateway.js'
import { writeMoney } from '../../money.js'
import { Money, State, Table, Time, type Tone } from '../../parts.js'
import { writeCustomerId } from '../../phone.js'
import type { Sorting } from '../../sorting.js'
import { TEXTS } from '../../texts.js'
import { wordFor } from '../../words.js'

const { messages: texts, queue: queueTexts, sections } = TEXTS

/** The address of the messages of a workspace. */
export const messagesPath = (workspace: WorkspaceId): ConsolePath => `/console/workspaces/${workspace}/messages`

/** The address of a customer's page. */
export const customerPath = (workspace: WorkspaceId, id: string): ConsolePath => `/console/workspaces/${workspace}/customers/${encodeURIComponent(id)}`

/** The state of a message, in its colour. */
export const MessageStateChip = ({ state }: { readonly state: MessageState }): VNode => (
  <State text={wordFor('states', state)} tone={TONES[state]} />
)

/** When the queued messages of a list leave, by their ids. */
export type Departures = ReadonlyMap<MessageId, Departure>

/** The dependency of pages that show when queued messages leave; a gateway without a queue has none. */
export type DepartureSection = { readonly queue?: Pick<UsesOf<'queue'>, 'departuresOf'> | undefined }

/** Reads when the queued ones of some messages of a workspace leave. */
export const readDepartures = async (
  { queue }: DepartureSection, workspace: WorkspaceId, messages: ReadonlyArray<MessageRecord>,
): Promise<E.Either<PortFailure, Departures>> => (queue === undefined ? E.right(new Map()) : queue.departuresOf(workspace, messages))

/** When a queued message leaves, or what it waits for, beside its state. */
export const Departs = ({ departure }: { readonly departure: Departure | undefined }): VNode | null =>
  (departure === undefined ? null : (
    <>
      {' '}
      <span class="soft why">
        {departure.waitsFor === 'time'
          ? <>{queueTexts.leaves} <Time at={departure.dueAt} as="next" /></>
          : queueTexts.waitsFor[departure.waitsFor]}
      </span>
    </>
  ))

/** A message with an unknown outcome may need a person; a message that was given up no longer does. */
export const TONES: Readonly<Record<MessageState, Tone>> = {
  queued: 'moving', pending: 'moving', accepted: 'moving', sent: 'moving', delivered: 'good', read: 'good', played: 'good',
  unconfirmed: 'attention',
  failed: 'bad', refused: 'bad', released: 'quiet', canceled: 'quiet',
}

/** The names of the recipients of messages, by workspace and id. */
export type Names = ReadonlyMap<string, string>

const nameKey = (workspace: WorkspaceId, id: string): string => `${workspace} ${id}`

/** Reads the names of the recipients of messages. */
export const readNames = async (
  nameCustomers: NameCustomers, messages: ReadonlyArray<MessageRecord>,
): Promise<E.Either<PortFailure, Names>> => {
  const named = await Promise.all([...new Set(messages.map(({ workspace }) => workspace))].map(async (workspace) => {
    const ids = messages.flatMap((message) => (message.workspace === workspace && !isForgotten(message.to) ? [message.to] : []))
    return E.map((names: ReadonlyMap<string, string>) => Array.from(names, ([id, name]) => [nameKey(workspace, id), name] as const))(
      await nameCustomers(workspace, ids),
    )
  }))
  return E.map((all: ReadonlyArray<ReadonlyArray<readonly [string, string]>>) => new Map(all.flat()))(E.sequenceArray(named))
}

/** The name of a message's recipient, if it is known. */
export const nameIn = (names: Names, { workspace, to }: MessageRecord): string | undefined => names.get(nameKey(workspace, to))

/** The name of a message's recipient, otherwise the number or user id. */
export const nameOf = ({ workspace, to }: MessageRecord, names: Names): string =>
  (isForgotten(to) ? texts.forgotten : names.get(nameKey(workspace, to)) ?? writeCustomerId(to))

/** The recipient of a message in one line: the name, if it is known, and the number or user id. */
export const Who = ({ message, names }: { readonly message: MessageRecord; readonly names: Names }): VNode => {
  const { to } = message
  if (isForgotten(to)) return <span class="soft">{texts.forgotten}</span>
  const [name, id] = [nameIn(names, message), writeCustomerId(to)]
  return name === undefined
    ? <span class="whole">{id}</span>
    : <><span class="cut" title={name}>{name}</span>{' '}<span class="whole soft">{id}</span></>
}

/** The recipient of a message, with a link to the customer. */
export const Recipient = ({ message: { workspace, to } }: { readonly message: MessageRecord }): VNode =>
  isForgotten(to)
    ? <span class="soft">{texts.forgotten}</span>
    : <a class="whole" href={customerPath(workspace, to)}>{writeCustomerId(to)}</a>

/** A short description of a message: its template with the language, or its summary, or, for a message of an earlier version, its kind. */
export const whatOf = ({ kind, summary, templateName, language }: MessageRecord): string =>
  templateName === undefined
    ? summary === undefined ? texts.kinds[kind] : texts.summary(summary)
    : [templateName, ...(language === undefined ? [] : [`(${language})`])].join(' ')

/** The same with the language apart. */
export const What = ({ message }: { readonly message: MessageRecord }): VNode => {
  const { templateName, language } = message
  return templateName === undefined
    ? <>{whatOf(message)}</>
    : <>{templateName}{language !== undefined && <span class="soft"> {language}</span>}</>
}

/** The price of a message; struck through, with an explanation, if the message turned out to be free. */
export const Charge = ({ message: { state, price: { micros, currency } } }: { readonly message: MessageRecord }): VNode => {
  const move = moneyMove(state)
  const amount = <Money micros={micros} currency={currency} />
  return move === 'keep' || move === 'capture' || micros === 0n ? amount : <><s class="soft">{amount}</s> {texts.notCharged[move]}</>
}

/** The address of a message's page. */
const addressOfMessage = ({ workspace, id }: MessageRecord): string => `${messagesPath(workspace)}/${id}`

/** The column by which messages are sorted. */
export const BY_TIME = 'time'

/** A table of messages, one line each, with a link to its page. */
export const MessageTable = ({ messages, names, addressOf = addressOfMessage, chosen, hasPicks = false, sorting, departures }: {
  readonly messages: ReadonlyArray<MessageRecord>
  readonly names: Names
  readonly departures?: Departures
  readonly addressOf?: (message: MessageRecord) => string
  /** The message that is shown next to the table. */
  readonly chosen?: MessageId
  /** Whether each row has a checkbox; then the table is in a form. */
  readonly hasPicks?: boolean
  /** The order by `BY_TIME`, if the table can be sorted. */
  readonly sorting?: Sorting
}): VNode => (
  <Table
    label={sections.messages} isCompact {...(sorting && { sorting })}
    columns={[
      ...(hasPicks ? [{ pick: texts.chooseAll }] : []), texts.to, texts.state, texts.what,
      { number: texts.price }, { number: texts.opened, sort: BY_TIME },
    ]}
  >
    {messages.map((message) => (
      <tr key={message.id} id={message.id} {...(mayBeAgain(message) && { 'data-again': '' })}>
        {hasPicks && <td class="pick"><input type="checkbox" name={message.id} aria-label={texts.choose(nameOf(message, names))} /></td>}
        <td class="first">
          <a href={addressOf(message)} {...(message.id === chosen && { 'aria-current': true })}><Who message={message} names={names} /></a>
        </td>
        <td class="mark">
          <MessageStateChip state={message.state} /><Departs departure={departures?.get(message.id)} /><ErrorCode message={message} />
        </td>
        <td class="what cut" title={whatOf(message)}><What message={message} /></td>
        <td class="number amount"><Charged message={message} /></td>
        <td class="number sent"><Time at={message.createdAt} as="ago" /></td>
      </tr>
    ))}
  </Table>
)

/** What a message was charged in the end; a message that was not charged names its price in the tooltip. */
const Charged = ({ message: { state, price: { micros, currency } } }: { readonly message: MessageRecord }): VNode => {
  const move = moneyMove(state)
  if (move === 'keep' || move === 'capture' || micros === 0n) return <Money micros={micros} currency={currency} />
  return <span class="money soft" title={`${writeMoney(micros, currency)} ${texts.notCharged[move]}`}>{writeMoney(0n, currency)}</span>
}

/** The error of a message in a few words, with the code in the tooltip. */
export const ErrorCode = ({ message: { error } }: { readonly message: Pick<MessageRecord, 'error'> }): VNode | null => {
  const code = errorCodeOf(error)
  return code === undefined ? null : <>{' '}<span class="soft why" title={String(code)}>{shortErrorOf(code)}</span></>
}

/** An error in a few words; the code itself if there are no words for it. */
export const shortErrorOf = (code: number | OwnErrorCode): string => SHORT[code] ?? String(code)

const SHORT: Readonly<Partial<Record<number | OwnErrorCode, string>>> = texts.errors
