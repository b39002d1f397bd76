import type { VNode } from 'preact'
import { isForgotten } from '../../../core/customers/customer.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { errorCodeOf, type MessageRecord, type MessageState, moneyMove } from '../../../core/messages/message.js'
import type { ConsolePath } from '../answer.js'
import { Amount, Moment, Table } from '../parts.js'
import { TEXTS } from '../texts.js'

const { messages: texts, sections } = TEXTS

/** The address of the messages of a workspace. */
export const messagesPath = (workspace: WorkspaceId): ConsolePath => `/console/workspaces/${workspace}/messages`

/** The address of a customer's page. */
export const customerPath = (workspace: WorkspaceId, id: string): ConsolePath => `/console/workspaces/${workspace}/customers/${encodeURIComponent(id)}`

/** A state, by its name and by a colour. */
export const State = ({ state }: { readonly state: MessageState }): VNode => {
  const move = moneyMove(state)
  return <span class={`state ${move === 'capture' ? 'good' : move === 'keep' ? 'open' : 'bad'}`}>{state}</span>
}

/** To whom a message went, with the way to what is known of the customer. */
export const Recipient = ({ message: { workspace, to } }: { readonly message: MessageRecord }): VNode =>
  (isForgotten(to) ? <span class="soft">{texts.forgotten}</span> : <a class="mono" href={customerPath(workspace, to)}>{to}</a>)

/** What a message is: its template with the language, or its summary; its kind, of one from an earlier version. */
export const whatOf = ({ kind, summary, templateName, language }: MessageRecord): string =>
  (templateName === undefined ? summary ?? texts.kinds[kind] : [templateName, ...(language === undefined ? [] : [`(${language})`])].join(' '))

/** The price of a message; struck out, with the word for it, where the message costs nothing after all. */
export const Charge = ({ message: { state, price: { micros, currency } } }: { readonly message: MessageRecord }): VNode => {
  const move = moneyMove(state)
  const amount = <Amount micros={micros} currency={currency} />
  return move === 'keep' || move === 'capture' || micros === 0n ? amount : <><s class="soft">{amount}</s> {texts.notCharged[move]}</>
}

/** Messages, each with the way to its page. */
export const MessageTable = ({ messages, withoutRecipient = false }: {
  readonly messages: ReadonlyArray<MessageRecord>; readonly withoutRecipient?: boolean
}): VNode => (
  <Table label={sections.messages} columns={[texts.opened, ...(withoutRecipient ? [] : [texts.to]), texts.what, texts.state, texts.price]}>
    {messages.map((message) => (
      <tr key={message.id} id={message.id}>
        <td data-label={texts.opened}><a href={`${messagesPath(message.workspace)}/${message.id}`}><Moment at={message.createdAt} /></a></td>
        {!withoutRecipient && <td data-label={texts.to}><Recipient message={message} /></td>}
        <td data-label={texts.what}>{whatOf(message)}</td>
        <td data-label={texts.state}><State state={message.state} /><ErrorCode message={message} /></td>
        <td data-label={texts.price} class="amount"><Charge message={message} /></td>
      </tr>
    ))}
  </Table>
)

const ErrorCode = ({ message: { error } }: { readonly message: MessageRecord }): VNode | null => {
  const code = errorCodeOf(error)
  return code === undefined ? null : <span class="soft"> {code}</span>
}
