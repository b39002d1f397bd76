import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import { isMessageId, type MessageId, type MessageRecord, parseIdempotencyKey } from '../../../../core/messages/message.js'
import type { UnknownSender } from '../../../../core/senders/sender.js'
import { mayBeAgain, type NotAgain } from '../../../../core/sending/again.js'
import type { Quote } from '../../../../core/sending/quote.js'
import { type Answer, redirect, redirectWithFlash } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { written } from '../../chart.js'
import { Icon } from '../../icons.js'
import { writeMoney } from '../../money.js'
import { type InWorkspace, workspacePage } from '../../page.js'
import { TEXTS } from '../../texts.js'
import { type SendFailure, sendProblem } from '../sending/send-problems.js'
import { type Filters, FILTERS, isFiltered, parseFilters } from './message-filters.js'
import { listFiltered, LOOKED_AT_ONCE } from './message-query.js'
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
  { again }: MessagesSection, { by, workspace: { id: workspace }, request: { params, form }, signedIn }: InWorkspace,
  show: (problem: string) => Promise<Answer>,
): Promise<Answer> => {
  const { message = '' } = params
  const key = parseIdempotencyKey(form['key'] ?? '')
  if (again === undefined || !isMessageId(message)) return failurePage({ _tag: 'NotFound' }, signedIn)
  if (E.isLeft(key)) return show(TEXTS.failure.malformedText)
  const sent = await again.sendAgain({ by, workspace, message, idempotencyKey: key.right })
  if (E.isRight(sent)) return redirect(`${messagesPath(workspace)}/${sent.right.id}`)
  const { left } = sent
  if (left._tag === 'NoSuchMessage') return failurePage({ _tag: 'NotFound' }, signedIn)
  return left._tag === 'Forbidden' || left._tag === 'PortFailure'
    ? failurePage(left, signedIn)
    : show(againProblem(left))
}

/** The maximum number of messages that are chosen together: more than those of one page, if all messages of a list are chosen. */
export const MAX_CHOSEN = 150
/** How many messages are quoted or sent concurrently. */
const AT_ONCE = 5

const inTurn = async <Of, Result>(all: ReadonlyArray<Of>, run: (one: Of) => Promise<Result>): Promise<ReadonlyArray<Result>> => {
  const results: Array<Result> = []
  for (let from = 0; from < all.length; from += AT_ONCE) results.push(...await Promise.all(all.slice(from, from + AT_ONCE).map(run)))
  return results
}

const chosenIn = (names: Iterable<string>): ReadonlyArray<MessageId> => [...new Set([...names].filter(isMessageId))].slice(0, MAX_CHOSEN)

/** The field of the form that chooses all messages of the list, and not only those of the page. The form then also has the filters of the list. */
export const ALL = 'all'

/** The filters of a list, all of whose messages a form chooses; nothing if the form chooses single messages, or if a filter is invalid. */
export const allChosen = (form: URLSearchParams): Filters | undefined => {
  const filters = parseFilters(new URLSearchParams([...form].filter(([name]) => FILTERS.some((filter) => filter === name))))
  return form.has(ALL) && E.isRight(filters) ? filters.right : undefined
}

/** The messages that a form chooses. */
const idsIn = async (
  section: MessagesSection, workspace: WorkspaceId, form: URLSearchParams,
): Promise<E.Either<UnknownSender | PortFailure, ReadonlyArray<MessageId>>> => {
  const filters = allChosen(form)
  if (filters === undefined) return E.right(chosenIn(form.keys()))
  const listed = await listFiltered(section)(workspace, {
    ...filters, limit: MAX_CHOSEN, ...(isFiltered(filters) && { look: LOOKED_AT_ONCE }),
  })
  return E.map(({ items }: { readonly items: ReadonlyArray<MessageRecord> }) => items.map(({ id }) => id))(listed)
}

/** The chosen messages of a workspace, newest first. */
export const readChosen = async (
  { readMessage }: MessagesSection, workspace: WorkspaceId, names: Iterable<string>,
): Promise<E.Either<PortFailure, ReadonlyArray<MessageRecord>>> => {
  const read = await inTurn(chosenIn(names).toSorted().toReversed(), (id) => readMessage(workspace, { id }))
  return E.map((found: ReadonlyArray<O.Option<MessageRecord>>) => found.flatMap((one) => (O.isSome(one) ? [one.value] : [])))(
    E.sequenceArray(read),
  )
}

/** The prices of the messages that can be sent again, and why the others cannot. */
type Quoted = { readonly ready: ReadonlyMap<MessageId, bigint>; readonly problems: ReadonlyArray<string> }

const quoteAll = async (
  section: MessagesSection, workspace: WorkspaceId, form: URLSearchParams,
): Promise<E.Either<PortFailure | UnknownSender | { readonly _tag: 'NotFound' }, Quoted>> => {
  const { again } = section
  if (again === undefined) return E.left({ _tag: 'NotFound' })
  const ids = await idsIn(section, workspace, form)
  if (E.isLeft(ids)) return ids
  const quotes = await inTurn(ids.right, async (message) => ({ message, quoted: await again.quoteAgain({ workspace, message }) }))
  const [ready, problems] = [new Map<MessageId, bigint>(), new Array<string>()]
  for (const { message, quoted } of quotes) {
    if (E.isRight(quoted)) ready.set(message, quoted.right.price.micros)
    else if (quoted.left._tag === 'PortFailure') return E.left(quoted.left)
    else problems.push(againProblem(quoted.left))
  }
  return E.right({ ready, problems })
}

const sumOf = ({ ready }: Quoted): bigint => [...ready.values()].reduce((sum, micros) => sum + micros, 0n)

/** Asks whether the chosen messages shall be sent again: how many, for which price, and which cannot be sent again. */
export const quoteChosen = async (section: MessagesSection, page: InWorkspace): Promise<Answer> => {
  const quoted = await quoteAll(section, page.workspace.id, new URLSearchParams({ ...page.request.form }))
  return E.isLeft(quoted) ? failurePage(quoted.left, page.signedIn) : asking(section, page, quoted.right)
}

/** The price for which the chosen messages can be sent again, for the bar; nothing if none of them can. */
export const priceChosen = async (section: MessagesSection, page: InWorkspace): Promise<Answer> => {
  const quoted = await quoteAll(section, page.workspace.id, page.request.query)
  if (E.isLeft(quoted)) return failurePage(quoted.left, page.signedIn)
  const { ready, problems } = quoted.right
  const price = writeMoney(sumOf(quoted.right), page.workspace.currency)
  return { _tag: 'Part', content: () => <>{ready.size > 0 && `· ${problems.length === 0 ? price : texts.priceOf(ready.size, price)}`}</> }
}

const asking = (
  { newFormKey }: MessagesSection, page: InWorkspace, quoted: Quoted,
): Answer => {
  const { workspace } = page
  const { ready, problems } = quoted
  const path = messagesPath(workspace.id)
  const price = writeMoney(sumOf(quoted), workspace.currency)
  return workspacePage(page, {
    title: texts.title, path, ...(ready.size === 0 && { status: 422 }),
    content: (
      <>
        <p>{ready.size === 0 ? texts.none : texts.asks(ready.size, price)}</p>
        <Problems of={problems} />
        <form method="post" action={`${path}/again/confirm`} class="again">
          <input type="hidden" name="key" value={newFormKey()} />
          {[...ready.keys()].map((id) => <input key={id} type="hidden" name={id} value="on" />)}
          {ready.size > 0 && <button>{texts.sendAll(ready.size, price)}</button>}
          <a class="button plain" href={path}>{texts.back}</a>
        </form>
      </>
    ),
  })
}

/** Sends the chosen messages again; each has its own idempotency key, made of that of the form. */
export const sendChosen = async (section: MessagesSection, page: InWorkspace): Promise<Answer> => {
  const { again } = section
  const { by, workspace: { id: workspace }, request: { form }, signedIn } = page
  if (again === undefined) return failurePage({ _tag: 'NotFound' }, signedIn)
  const problems: Array<string> = []
  const [ids, formKey] = [chosenIn(Object.keys(form)), form['key'] ?? '']
  const sent = await inTurn(ids, async (message) => {
    const key = parseIdempotencyKey(`${formKey} ${message}`)
    return E.isLeft(key) ? key : again.sendAgain({ by, workspace, message, idempotencyKey: key.right })
  })
  for (const one of sent) {
    if (E.isRight(one)) continue
    if (one.left._tag === 'InvalidIdempotencyKey') return failurePage({ _tag: 'Malformed' }, signedIn)
    if (one.left._tag === 'Forbidden') return failurePage(one.left, signedIn)
    problems.push(one.left._tag === 'PortFailure' ? TEXTS.failure.unavailable : againProblem(one.left))
  }
  if (problems.length === ids.length) return asking(section, page, { ready: new Map(), problems })
  return redirectWithFlash(messagesPath(workspace), (
    <div class={problems.length === 0 ? 'note' : 'note bad'} role="status">
      <p>{texts.sent(ids.length - problems.length)}</p><Problems of={problems} />
    </div>
  ))
}

/** Each problem once, with the number of messages that it concerns. */
const Problems = ({ of }: { readonly of: ReadonlyArray<string> }): VNode => (
  <>
    {[...new Set(of)].map((problem) => <p key={problem}>{texts.left(of.filter((one) => one === problem).length)} {problem}</p>)}
  </>
)

/** All messages of a list of which the page shows only a part. */
export type Every = { readonly count: number; readonly filters: URLSearchParams; readonly mayBeAgain: boolean }

/**
 * What can be done with the chosen messages. It is shown once a message is chosen; sending again only if it suits all of them, with the price, which the script
 * asks for. `every` offers to choose all messages of the list.
 */
export const SelectionBar = ({ path, maySend, every }: {
  readonly path: string; readonly maySend: boolean; readonly every: Every | undefined
}): VNode => (
  <div class="selection" role="region" aria-label={texts.selection}>
    <strong><span class="count" /> {texts.chosen}</strong>
    {every !== undefined && (
      <label class="choice every" {...(every.mayBeAgain && { 'data-again': '' })}>
        <input type="checkbox" name={ALL} />{texts.every(written(every.count))}
        {[...every.filters].map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)}
      </label>
    )}
    {maySend && <button class="resend">{texts.title} <span class="price" role="status" /></button>}
    <button class="plain" formmethod="get" formaction={`${path}/chosen.csv`}><Icon name="download" />{texts.export}</button>
    <button type="reset" class="plain" aria-label={texts.clear} title={texts.clear}><Icon name="close" /></button>
  </div>
)

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
