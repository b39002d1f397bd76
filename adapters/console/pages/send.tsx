import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { CustomerId } from '../../../core/customers/customer.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { Clock, Instant } from '../../../core/kernel/time.js'
import { isMessageId, parseIdempotencyKey } from '../../../core/messages/message.js'
import type { QuoteMessage } from '../../../core/sending/quote.js'
import type { SendAsPerson } from '../../../core/sending/send.js'
import type { TemplateRecord } from '../../../core/templates/template.js'
import type { ListTemplates } from '../../../core/templates/use-cases.js'
import { type Answer, redirect } from '../answer.js'
import { failurePage } from '../failure-page.js'
import { actIn, inWorkspace, type InWorkspace, type Page, type PageDeps, workspacePage } from '../page.js'
import { TEXTS } from '../texts.js'
import { type Chosen, type FormMessage, readChoice, readMessage, type SendForm } from './send-form.js'
import { Check, Choose, Compose, SentPage } from './send-parts.js'
import { type SendFailure, sendProblem } from './send-problems.js'

const { send: texts, sections } = TEXTS
const PATH = '/console/workspaces/:workspace/send'
const TEMPLATES_SHOWN = 500

/** What the pages that send need. */
export type SendSection = {
  readonly send: SendAsPerson
  readonly quote: QuoteMessage
  readonly listTemplates: ListTemplates
  /** When a customer last wrote, under any id. */
  readonly lastInbound: (workspace: WorkspaceId, to: CustomerId) => Promise<E.Either<PortFailure, O.Option<Instant>>>
  /** A text that no other form has. */
  readonly newFormKey: () => string
  readonly now: Clock
}

/**
 * Sending a message in steps, each of them a form: choose, fill in, check, send.
 *
 * The check has an idempotency key in its form, so that a second click and a reload send nothing again. What the steps hand on is in the forms and never in an
 * address, since it is about a person.
 */
export const sendPages = (deps: PageDeps, section: SendSection): ReadonlyArray<Page> => [
  { path: PATH, get: inWorkspace(deps, 'message.send', (page) => choose(section, page, {})), post: inWorkspace(deps, 'message.send', (page) => choose(section, page, { form: page.request.form })), hasLargeForm: true },
  { path: `${PATH}/compose`, post: inWorkspace(deps, 'message.send', (page) => compose(section, page, {})), hasLargeForm: true },
  { path: `${PATH}/check`, post: inWorkspace(deps, 'message.send', (page) => check(section, page, undefined)), hasLargeForm: true },
  {
    path: `${PATH}/confirm`, hasLargeForm: true,
    post: actIn(deps, 'message.send', async ({ by, workspace, request: { form }, signedIn, again }) => {
      const key = parseIdempotencyKey(form['key'] ?? '')
      const read = await readAll(section, workspace, form)
      if (E.isLeft(read) || E.isLeft(key)) return again((page) => check(section, page, undefined))
      const sent = await section.send({ by, workspace, message: read.right.message, idempotencyKey: key.right })
      if (E.isRight(sent)) return redirect(`/console/workspaces/${workspace}/send/sent/${sent.right.id}`)
      const { left } = sent
      if (left._tag === 'Forbidden' || left._tag === 'PortFailure') return failurePage(left, signedIn)
      return again((page) => check(section, page, { failure: left, key: key.right }))
    }),
  },
  {
    path: `${PATH}/sent/:message`,
    get: inWorkspace(deps, 'message.send', async (page) => {
      const { message = '' } = page.request.params
      if (!isMessageId(message)) return failurePage({ _tag: 'NotFound' }, page.signedIn)
      return workspacePage(page, { title: texts.sent, path: pathOf(page), content: <SentPage base={`/console/workspaces/${page.workspace.id}`} message={message} /> })
    }),
  },
]

const pathOf = ({ workspace }: InWorkspace): string => `/console/workspaces/${workspace.id}/send`

const choose = async (section: SendSection, page: InWorkspace, { form, problem }: { readonly form?: SendForm; readonly problem?: string }): Promise<Answer> => {
  const templates = await section.listTemplates(page.workspace.id, { limit: TEMPLATES_SHOWN })
  if (E.isLeft(templates)) return failurePage(templates.left, page.signedIn)
  const template = page.request.query.get('template')
  const given = form ?? (template === null ? {} : { what: 'template', template })
  return workspacePage(page, {
    title: sections.send, path: pathOf(page), ...(problem !== undefined && { status: 422 }),
    content: <Choose base={`/console/workspaces/${page.workspace.id}`} templates={templates.right.items} form={given} problem={problem} />,
  })
}

const compose = async (section: SendSection, page: InWorkspace, { problem }: { readonly problem?: string }): Promise<Answer> => {
  const { form } = page.request
  const chosen = await readChosen(section, page.workspace.id, form)
  if (E.isLeft(chosen)) return typeof chosen.left === 'string' ? choose(section, page, { form, problem: chosen.left }) : failurePage(chosen.left, page.signedIn)
  const { to, template } = chosen.right
  const lastInbound = await section.lastInbound(page.workspace.id, to)
  if (E.isLeft(lastInbound)) return failurePage(lastInbound.left, page.signedIn)
  return workspacePage(page, {
    title: O.isSome(template) ? template.value.name : texts.text, path: pathOf(page), ...(problem !== undefined && { status: 422 }),
    content: <Compose path={pathOf(page)} to={to} template={O.toUndefined(template)} form={form} lastInbound={lastInbound.right} now={section.now()} problem={problem} />,
  })
}

const check = async (section: SendSection, page: InWorkspace, tried: { readonly failure: Ordinary; readonly key: string } | undefined): Promise<Answer> => {
  const { form, origin } = page.request
  const read = await readAll(section, page.workspace.id, form)
  if (E.isLeft(read)) {
    if (typeof read.left !== 'string') return failurePage(read.left, page.signedIn)
    return E.isLeft(readChoice(form)) ? choose(section, page, { form, problem: read.left }) : compose(section, page, { problem: read.left })
  }
  const { message } = read.right
  const quoted = await section.quote({ workspace: page.workspace.id, message })
  if (E.isLeft(quoted) && quoted.left._tag === 'PortFailure') return failurePage(quoted.left, page.signedIn)
  const refusal = E.isLeft(quoted) && quoted.left._tag !== 'PortFailure' ? quoted.left : undefined
  const failure = tried?.failure ?? refusal
  return workspacePage(page, {
    title: texts.check, path: pathOf(page), ...(failure !== undefined && { status: 422 }),
    content: (
      <Check
        path={pathOf(page)} base={`/console/workspaces/${page.workspace.id}`} message={message} form={form} origin={origin} quote={E.isRight(quoted) ? quoted.right : undefined}
        formKey={tried?.key ?? section.newFormKey()} problem={failure && sendProblem(failure)}
        sentAs={failure !== undefined && failure._tag === 'OutcomeUnknown' ? failure.messageId : undefined} maySend={maySendAgain(tried?.failure) && refusal === undefined}
      />
    ),
  })
}

type Ordinary = Exclude<SendFailure, { readonly _tag: 'Forbidden' | 'PortFailure' }>

/** A message that may have gone out, or is going out now, has no button to send it. */
const maySendAgain = (failure: Ordinary | undefined): boolean => failure?._tag !== 'OutcomeUnknown' && failure?._tag !== 'IdempotencyInProgress'

type ReadForm = Chosen & { readonly message: FormMessage }

const readAll = async (section: SendSection, workspace: WorkspaceId, form: SendForm): Promise<E.Either<string | PortFailure, ReadForm>> => {
  const chosen = await readChosen(section, workspace, form)
  if (E.isLeft(chosen)) return chosen
  const choice = readChoice(form)
  if (E.isLeft(choice)) return choice
  const message = readMessage(choice.right, chosen.right.template, form)
  return E.isLeft(message) ? message : E.right({ ...choice.right, message: message.right })
}

/** Reads the choice, and finds the template that it names. */
const readChosen = async (
  { listTemplates }: SendSection, workspace: WorkspaceId, form: SendForm,
): Promise<E.Either<string | PortFailure, { readonly to: CustomerId; readonly template: O.Option<TemplateRecord> }>> => {
  const choice = readChoice(form)
  if (E.isLeft(choice)) return choice
  const { to, template } = choice.right
  if (template === undefined) return E.right({ to, template: O.none })
  const listed = await listTemplates(workspace, { limit: TEMPLATES_SHOWN, name: template.name })
  if (E.isLeft(listed)) return listed
  const found = listed.right.items.find(({ language }) => language === template.language)
  return found === undefined ? E.left(texts.problems.noTemplate) : E.right({ to, template: O.some(found) })
}
