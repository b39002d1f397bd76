import type { VNode } from 'preact'
import { isForgotten } from '../../../../core/customers/customer.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import { errorCodeOf, type MessageId, type MessageRecord, type MessageState, moneyMove, type OwnErrorCode } from '../../../../core/messages/message.js'
import type { ConsolePath } from '../../answer.js'
import { Money, State, Table, Time, type Tone } from '../../parts.js'
import { writeCustomerId } from '../../phone.js'
import { TEXTS } from '../../texts.js'
import { wordFor } from '../../words.js'

const { messages: texts, sections } = TEXTS

/** The address of the messages of a workspace. */
export const messagesPath = (workspace: WorkspaceId): ConsolePath => `/console/workspaces/${workspace}/messages`

/** The address of a customer's page. */
export const customerPath = (workspace: WorkspaceId, id: string): ConsolePath => `/console/workspaces/${workspace}/customers/${encodeURIComponent(id)}`

/** The state of a message, in its colour. */
export const MessageStateChip = ({ state }: { readonly state: MessageState }): VNode => <State text={wordFor('states', state)} tone={TONES[state]} />

/** A message with an unknown outcome may need a person; a message that was given up no longer does. */
export const TONES: Readonly<Record<MessageState, Tone>> = {
  pending: 'moving', accepted: 'moving', sent: 'moving', delivered: 'good', read: 'good', played: 'good', unconfirmed: 'attention', failed: 'bad', refused: 'bad', released: 'quiet',
}

/** The recipient of a message, with a link to the customer. */
export const Recipient = ({ message: { workspace, to } }: { readonly message: MessageRecord }): VNode =>
  (isForgotten(to) ? <span class="soft">{texts.forgotten}</span> : <a class="whole" href={customerPath(workspace, to)}>{writeCustomerId(to)}</a>)

/** A short description of a message: its template with the language, or its summary, or, for a message of an earlier version, its kind. */
export const whatOf = ({ kind, summary, templateName, language }: MessageRecord): string =>
  (templateName === undefined ? summary === undefined ? texts.kinds[kind] : texts.summary(summary) : [templateName, ...(language === undefined ? [] : [`(${language})`])].join(' '))

/** The price of a message; struck through, with an explanation, if the message turned out to be free. */
export const Charge = ({ message: { state, price: { micros, currency } } }: { readonly message: MessageRecord }): VNode => {
  const move = moneyMove(state)
  const amount = <Money micros={micros} currency={currency} />
  return move === 'keep' || move === 'capture' || micros === 0n ? amount : <><s class="soft">{amount}</s> {texts.notCharged[move]}</>
}

/** The address of a message's page. */
const addressOfMessage = ({ workspace, id }: MessageRecord): string => `${messagesPath(workspace)}/${id}`

/** A table of messages, each with a link to its page. */
export const MessageTable = ({ messages, addressOf = addressOfMessage, chosen, withoutRecipient = false }: {
  readonly messages: ReadonlyArray<MessageRecord>; readonly addressOf?: (message: MessageRecord) => string
  /** The message that is shown next to the table. */
  readonly chosen?: MessageId
  readonly withoutRecipient?: boolean
}): VNode => (
  <Table label={sections.messages} columns={[texts.what, texts.state, ...(withoutRecipient ? [] : [texts.to]), { number: texts.price }, { number: texts.opened }]}>
    {messages.map((message) => (
      <tr key={message.id} id={message.id}>
        <td class="first"><a href={addressOf(message)} {...(message.id === chosen && { 'aria-current': true })}>{whatOf(message)}</a></td>
        <td class="mark"><MessageStateChip state={message.state} /><ErrorCode message={message} /></td>
        {!withoutRecipient && <td data-label={texts.to}><Recipient message={message} /></td>}
        <td data-label={texts.price} class="number"><Charge message={message} /></td>
        <td data-label={texts.opened} class="number soft"><Time at={message.createdAt} as="ago" /></td>
      </tr>
    ))}
  </Table>
)

/** The error of a message in a few words, with the code in the tooltip; the code itself if there are no words for it. */
export const ErrorCode = ({ message: { error } }: { readonly message: Pick<MessageRecord, 'error'> }): VNode | null => {
  const code = errorCodeOf(error)
  return code === undefined ? null : <>{' '}<span class="soft" title={String(code)}>{SHORT[code] ?? code}</span></>
}

const SHORT: Readonly<Partial<Record<number | OwnErrorCode, string>>> = texts.errors
