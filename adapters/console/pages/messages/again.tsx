import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import { isMessageId, type MessageRecord, parseIdempotencyKey } from '../../../../core/messages/message.js'
import { mayBeAgain, type NotAgain } from '../../../../core/sending/again.js'
import type { Quote } from '../../../../core/sending/quote.js'
import { type Answer, redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { writeMoney } from '../../money.js'
import type { ActIn, InWorkspace } from '../../page.js'
import { TEXTS } from '../../texts.js'
import { type SendFailure, sendProblem } from '../sending/send-problems.js'
import { messagesPath } from './message-table.js'
import type { MessagesSection } from './messages-section.js'

const { again: texts } = TEXTS

/** What sending a message again would cost, with a key for its form, or why it cannot be sent again. */
type Given =
  | { readonly _tag: 'Quoted'; readonly price: Quote['price']; readonly formKey: string }
  | { readonly _tag: 'Refused'; readonly problem: string }

/** Whether and for how much a person may send a message again; nothing for a message that may have reached the customer. */
export const againOf = async (
  { again, newFormKey }: MessagesSection, { workspace, signedIn: { principal } }: InWorkspace, message: MessageRecord,
): Promise<Given | PortFailure | undefined> => {
  if (again === undefined || !mayBeAgain(message) || !isAllowed(principal, 'message.send', workspace)) return undefined
  const quoted = await again.quoteAgain({ workspace: workspace.id, message: message.id })
  if (E.isRight(quoted)) return { _tag: 'Quoted', price: quoted.right.price, formKey: newFormKey() }
  return quoted.left._tag === 'PortFailure' ? quoted.left : { _tag: 'Refused', problem: againProblem(quoted.left) }
}

/** Sends one message again. `show` shows the message with the problem. */
export const sendAgain = async (
  { again }: MessagesSection, { by, workspace, request: { params, form }, signedIn, again: showAgain }: ActIn,
  show: (page: InWorkspace, problem: string) => Promise<Answer>,
): Promise<Answer> => {
  const { message = '' } = params
  const key = parseIdempotencyKey(form['key'] ?? '')
  if (again === undefined || !isMessageId(message)) return failurePage({ _tag: 'NotFound' }, signedIn)
  if (E.isLeft(key)) return failurePage({ _tag: 'Malformed' }, signedIn)
  const sent = await again.sendAgain({ by, workspace, message, idempotencyKey: key.right })
  if (E.isRight(sent)) return redirect(`${messagesPath(workspace)}/${sent.right.id}`)
  const { left } = sent
  if (left._tag === 'NoSuchMessage') return failurePage({ _tag: 'NotFound' }, signedIn)
  return left._tag === 'Forbidden' || left._tag === 'PortFailure'
    ? failurePage(left, signedIn)
    : showAgain((page) => show(page, againProblem(left)))
}

/** Why a message cannot be sent again, and what to do. */
export const againProblem = (
  failure: Exclude<SendFailure | NotAgain, { readonly _tag: 'Forbidden' | 'PortFailure' }>,
): string =>
  (failure._tag === 'NoSuchMessage' || failure._tag === 'NotFailed' || failure._tag === 'ContentNotKept'
    ? texts.problems[failure._tag]
    : sendProblem(failure))

/** Offers to send a message again, and names the price; or says why that is impossible. */
export const Again = ({ path, given }: { readonly path: string; readonly given: Given }): VNode => {
  if (given._tag === 'Refused') return <p class="soft">{texts.impossible} {given.problem}</p>
  const price = writeMoney(given.price.micros, given.price.currency)
  return (
    <form method="post" action={path} class="again">
      <input type="hidden" name="key" value={given.formKey} />
      <button>{texts.send(price)}</button><span class="hint">{texts.isNew}</span>
    </form>
  )
}
