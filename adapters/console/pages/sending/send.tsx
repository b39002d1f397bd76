import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import { isMessageId, parseIdempotencyKey, type Sent } from '../../../../core/messages/message.js'
import { type SenderId, senderIdOf } from '../../../../core/senders/sender.js'
import { type Answer, redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import type { FileForm } from '../../form-body.js'
import { type ActIn, actIn, inWorkspace, type InWorkspace, type Page, type PageDeps, workspacePage } from '../../page.js'
import { TEXTS } from '../../texts.js'
import { customerPath } from '../messages/message-table.js'
import { areSeveral, namedIn, nameIn, type Numbers, type NumbersDeps, readNumbers } from '../numbers/names.js'
import type { Faults, SendForm, Written } from './send-content.js'
import { type Chosen, noTemplate, readChoice } from './send-form.js'
import { Check, Choose, Compose, SentPage } from './send-parts.js'
import { type SendFailure, sendProblem } from './send-problems.js'
import type { GatewayFacts, UsesOf } from '../../gateway.js'

const { send: texts, sections } = TEXTS
const PATH = '/console/workspaces/:workspace/send'
const TEMPLATES_SHOWN = 500

/** The dependencies of these pages. */
export type SendSection =
  & UsesOf<'customers'> & UsesOf<'sending'> & UsesOf<'templates'> & UsesOf<'clock'> & NumbersDeps
  & Pick<GatewayFacts, 'fileForms' | 'newFormKey'>

/**
 * Sending a message in steps, each of them a form: choose, fill in, check, send.
 *
 * The form of the check contains an idempotency key, so a second click or a reload sends nothing again. The steps pass values in forms and never in an
 * address, because the values are about a person. A file is chosen in the check: it is sent while it arrives, so all other fields must be valid by then.
 */
export const sendPages = (deps: PageDeps, section: SendSection): ReadonlyArray<Page> => [
  {
    path: PATH,
    get: inWorkspace(deps, 'message.send', (page) => choose(section, page, {})),
    post: inWorkspace(deps, 'message.send', (page) => choose(section, page, { form: page.request.form })),
    hasLargeForm: true,
  },
  { path: `${PATH}/compose`, post: inWorkspace(deps, 'message.send', (page) => compose(section, page, undefined)), hasLargeForm: true },
  { path: `${PATH}/check`, post: inWorkspace(deps, 'message.send', (page) => check(section, page, {})), hasLargeForm: true },
  {
    path: `${PATH}/confirm`, hasLargeForm: true,
    post: actIn(deps, 'message.send', async (acting) => {
      const { by, workspace, request: { form }, again } = acting
      const key = parseIdempotencyKey(form['key'] ?? '')
      const read = await readAll(section, workspace, form)
      if (E.isLeft(read) || E.isLeft(key) || read.right.written.file !== undefined) return again((page) => check(section, page, {}))
      return answerOf(
        section, acting,
        await section.asPerson({ by, workspace, sender: senderIn(form), message: read.right.written.message, idempotencyKey: key.right }),
        key.right,
      )
    }),
  },
  {
    path: `${PATH}/file`, takesFile: section.fileForms,
    post: actIn(deps, 'message.send', async (acting) => {
      const { by, workspace, request, signedIn } = acting
      const allowed = await deps.audit.checkView({ by, act: 'message.send', workspace })
      if (E.isLeft(allowed)) return failurePage(allowed.left, signedIn)
      const read = await request.readFileForm?.(workspace)
      if (read === undefined || E.isLeft(read)) return failurePage(read?.left ?? { _tag: 'Malformed' }, signedIn)
      return sendFile(section, withForm(acting, read.right.fields), read.right.file)
    }),
  },
  {
    path: `${PATH}/sent/:message`,
    get: inWorkspace(deps, 'message.send', async (page) => {
      const { message = '' } = page.request.params
      if (!isMessageId(message)) return failurePage({ _tag: 'NotFound' }, page.signedIn)
      return workspacePage(page, {
        title: texts.sent, path: pathOf(page), content: <SentPage base={`/console/workspaces/${page.workspace.id}`} message={message} />,
      })
    }),
  },
]

/** The number through which the message goes; the default number if the form names none. */
const senderIn = ({ sender }: SendForm): SenderId | undefined => (sender ? senderIdOf(sender) : undefined)

const pathOf = ({ workspace }: InWorkspace): string => `/console/workspaces/${workspace.id}/send`

/** The same request, with the fields of a form that was read later. */
const withForm = (acting: ActIn, form: SendForm): ActIn => ({
  ...acting, request: { ...acting.request, form },
  again: (show) => acting.again((page) => show({ ...page, request: { ...page.request, form } })),
})

const sendFile = async (section: SendSection, acting: ActIn, file: FileForm['file']): Promise<Answer> => {
  const { by, workspace, request: { form }, again } = acting
  const key = parseIdempotencyKey(form['key'] ?? '')
  const read = await readAll(section, workspace, form)
  if (E.isLeft(read) || E.isLeft(key) || read.right.written.file === undefined) return again((page) => check(section, page, {}))
  if (file.name === undefined) return again((page) => check(section, page, { fileFault: texts.problems.noFile }))
  const sent = await section.fileAsPerson({
    by, workspace, sender: senderIn(form), message: read.right.written.file, file, idempotencyKey: key.right,
  })
  return E.isLeft(sent) && file.failure() !== undefined
    ? again((page) => check(section, page, { fileFault: texts.problems.brokenFile }))
    : answerOf(section, acting, sent)
}

/** A fault of a file is shown at its field. Choosing another file makes another message, so the form gets a new key. */
const answerOf = async (
  section: SendSection, { workspace, request: { form }, signedIn, again }: ActIn, sent: E.Either<SendFailure, Sent>, key?: string,
): Promise<Answer> => {
  if (E.isRight(sent)) {
    const to = form['back'] === 'customer' ? readChoice({ to: form['to'] ?? '' }) : undefined
    return redirect(to !== undefined && E.isRight(to) ? customerPath(workspace, to.right.to) : `/console/workspaces/${workspace}/send/sent/${sent.right.id}`)
  }
  const { left } = sent
  if (left._tag === 'Forbidden' || left._tag === 'PortFailure') return failurePage(left, signedIn)
  return again((page) =>
    check(
      section, page, left._tag === 'MediaInvalid' ? { fileFault: sendProblem(left) } : { failure: left, ...(key !== undefined && { key }) },
    ))
}

const choose = async (
  section: SendSection, page: InWorkspace, { form, faults }: { readonly form?: SendForm; readonly faults?: Faults },
): Promise<Answer> => {
  const { workspace: { id: workspace }, request: { query } } = page
  const [template, named] = [query.get('template'), query.get('sender')]
  const given = form ?? { ...(named !== null && { sender: named }), ...(template !== null && { what: 'template', template }) }
  const numbers = await readNumbers(section, workspace)
  // A number that the workspace no longer has is not offered, so the default number is chosen.
  const templates = await section.listTemplates({ workspace, sender: namedIn(numbers, given['sender']) }, { limit: TEMPLATES_SHOWN })
  if (E.isLeft(templates)) return failurePage(templates.left, page.signedIn)
  return workspacePage(page, {
    title: sections.send, path: pathOf(page), ...(faults !== undefined && { status: 422 }),
    content: (
      <Choose
        base={`/console/workspaces/${workspace}`} numbers={numbers} templates={templates.right.items} form={given} faults={faults ?? {}}
      />
    ),
  })
}

const compose = async (section: SendSection, page: InWorkspace, faults: Faults | undefined): Promise<Answer> => {
  const { form } = page.request
  const chosen = await readChosen(section, page.workspace.id, form)
  if (E.isLeft(chosen)) return showFaults(section, page, chosen.left)
  const [numbers, shown] = await Promise.all([
    readNumbers(section, page.workspace.id), section.showWindows({ workspace: page.workspace.id, sender: senderIn(form) }, chosen.right.to),
  ])
  if (E.isLeft(shown)) return showFaults(section, page, shown.left._tag === 'UnknownSender' ? noNumber() : shown.left)
  return workspacePage(page, {
    title: chosen.right.form.title, path: pathOf(page), ...(faults !== undefined && { status: 422 }),
    content: (
      <Compose
        path={pathOf(page)} from={nameFrom(numbers, form)} chosen={chosen.right} typed={form} lastInbound={shown.right.lastInbound}
        now={section.now()} freeForm={section.freeForm} faults={faults ?? {}}
      />
    ),
  })
}

/** The name of the number through which the message goes, if the workspace has several. */
const nameFrom = (numbers: Numbers, form: SendForm): string | undefined => {
  const id = senderIn(form) ?? numbers[0]?.sender.phoneNumberId
  return areSeveral(numbers) && id !== undefined ? nameIn(numbers, id) : undefined
}

const noNumber = (): Faulty => ({ _tag: 'Faulty', step: 'choose', faults: { sender: texts.problems.UnknownSender } })

/** Shows the faulty step again. */
const showFaults = async (section: SendSection, page: InWorkspace, failure: Faulty | PortFailure): Promise<Answer> => {
  if (failure._tag === 'PortFailure') return failurePage(failure, page.signedIn)
  const { faults } = failure
  return failure.step === 'choose' ? choose(section, page, { form: page.request.form, faults }) : compose(section, page, faults)
}

/** Why an attempt to send with the key of a form failed, or what is wrong with its file. */
type Attempt = { readonly failure?: Ordinary; readonly key?: string; readonly fileFault?: string }

const check = async (section: SendSection, page: InWorkspace, tried: Attempt): Promise<Answer> => {
  const { form, origin } = page.request
  const read = await readAll(section, page.workspace.id, form)
  if (E.isLeft(read)) return showFaults(section, page, read.left)
  const { chosen, written } = read.right
  const [numbers, quoted] = await Promise.all([
    readNumbers(section, page.workspace.id),
    section.quote({ workspace: page.workspace.id, sender: senderIn(form), message: written.message }),
  ])
  if (E.isLeft(quoted) && quoted.left._tag === 'PortFailure') return failurePage(quoted.left, page.signedIn)
  const refusal = E.isLeft(quoted) && quoted.left._tag !== 'PortFailure' ? quoted.left : undefined
  const failure = tried.failure ?? refusal
  return workspacePage(page, {
    title: texts.check, path: pathOf(page), ...((failure ?? tried.fileFault) !== undefined && { status: 422 }),
    content: (
      <Check
        path={pathOf(page)} base={`/console/workspaces/${page.workspace.id}`} from={nameFrom(numbers, form)} chosen={chosen}
        written={written} typed={form} origin={origin}
        quote={E.isRight(quoted) ? quoted.right : undefined} formKey={tried.key ?? section.newFormKey()} tried={{
          problem: failure && sendProblem(failure), fileFault: tried.fileFault,
          sentAs: failure?._tag === 'OutcomeUnknown' ? failure.messageId : undefined,
          maySend: maySendAgain(tried.failure) && refusal === undefined,
        }}
      />
    ),
  })
}

type Ordinary = Exclude<SendFailure, { readonly _tag: 'Forbidden' | 'PortFailure' }>

/** A message that may have been sent, or is being sent now, has no button to send it. */
const maySendAgain = (failure: Ordinary | undefined): boolean =>
  failure?._tag !== 'OutcomeUnknown' && failure?._tag !== 'IdempotencyInProgress'

/** The faults of typed values, and the step in which they were typed. */
type Faulty = { readonly _tag: 'Faulty'; readonly step: 'choose' | 'compose'; readonly faults: Faults }

const readAll = async (
  section: SendSection, workspace: WorkspaceId, form: SendForm,
): Promise<E.Either<Faulty | PortFailure, { readonly chosen: Chosen; readonly written: Written }>> => {
  const chosen = await readChosen(section, workspace, form)
  if (E.isLeft(chosen)) return chosen
  const written = chosen.right.form.write(chosen.right.to, form)
  return E.isLeft(written)
    ? E.left({ _tag: 'Faulty', step: 'compose', faults: written.left })
    : E.right({ chosen: chosen.right, written: written.right })
}

/** Reads the choice, and finds its template. */
const readChosen = async (
  { listTemplates }: SendSection, workspace: WorkspaceId, form: SendForm,
): Promise<E.Either<Faulty | PortFailure, Chosen>> => {
  const choice = readChoice(form)
  if (E.isLeft(choice)) return E.left({ _tag: 'Faulty', step: 'choose', faults: choice.left })
  if ('form' in choice.right) return E.right(choice.right)
  const { to, template: { name, language }, formOf } = choice.right
  const listed = await listTemplates({ workspace, sender: senderIn(form) }, { limit: TEMPLATES_SHOWN, name })
  if (E.isLeft(listed)) return E.left(listed.left._tag === 'UnknownSender' ? noNumber() : listed.left)
  const found = listed.right.items.find((template) => template.language === language)
  return found === undefined ? E.left({ _tag: 'Faulty', step: 'choose', faults: noTemplate() }) : E.right({ to, form: formOf(found) })
}
