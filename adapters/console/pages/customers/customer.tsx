import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { ComponentChildren, VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import { type Consent, type CustomerConsent, NO_CONSENT } from '../../../../core/consent/consent.js'
import { type CustomerId, parseCustomerId } from '../../../../core/customers/customer.js'
import type { ShownCustomer } from '../../../../core/customers/use-cases.js'
import { type FreeForm, isOpen } from '../../../../core/customers/window.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import { type Instant, SECOND_MS } from '../../../../core/kernel/time.js'
import { type Answer as PageAnswer, type ConsolePath, redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { writeMoney } from '../../money.js'
import { actIn, cursorIn, inWorkspace, type InWorkspace, listed, liveIn, type Page, type PageDeps, workspacePage } from '../../page.js'
import { Confirm, Facts, Id, Live, Problem, State, Time } from '../../parts.js'
import { writeCustomerId } from '../../phone.js'
import { TEXTS } from '../../texts.js'
import { ConsentPanel, type ConsentOutcome, readHistory, recordConsent } from './consent.js'
import { Answer, type Conversation, lastInboundIn, Lines, readConversation, Windows } from './conversation.js'
import type { CustomersSection } from './customers-section.js'
import { customerPath, messagesPath } from '../messages/message-table.js'
import { priceOn } from '../../../../core/money/rate-card.js'

const { customers: texts } = TEXTS
/** A reading needs several queries. */
const READ_EVERY_MS = 2 * SECOND_MS
const PATH = '/console/workspaces/:workspace/customers/:customer'

/** One customer: the conversation, the stored data, and erasing it. */
export const customerPages = (deps: PageDeps, section: CustomersSection): ReadonlyArray<Page> => [
  {
    path: PATH,
    get: listed('messages', inWorkspace(deps, 'workspace.view', (page) => show(section, page))),
    live: liveIn(deps, 'workspace.view', async (page) => {
      const { workspace: { id: workspace }, signedIn, request } = page
      const id = parseCustomerId(request.params['customer'] ?? '')
      return E.isLeft(id) ? failurePage({ _tag: 'NotFound' }, signedIn) : {
        _tag: 'Live',
        key: JSON.stringify(['customer', workspace, id.right]),
        everyMs: READ_EVERY_MS,
        read: async () =>
          E.map((conversation: Conversation) => (
            <Shown
              conversation={conversation} workspace={workspace} path={customerPath(workspace, id.right)} now={section.now()}
              freeForm={section.freeForm}
            />
          ))(await readConversation(section, workspace, id.right)),
      }
    }),
  },
  {
    path: `${PATH}/erase`,
    post: actIn(deps, 'customer.erase', async ({ request, signedIn, by, workspace, again }) => {
      const customer = parseCustomerId(request.params['customer'] ?? '')
      if (E.isLeft(customer)) return failurePage({ _tag: 'NotFound' }, signedIn)
      if (section.eraseCustomer === undefined) {
        const allowed = await deps.audit.checkView({ by, act: 'customer.erase', workspace })
        return E.isLeft(allowed) ? failurePage(allowed.left, signedIn) : again((page) => show(section, page, { problem: texts.noSecret }))
      }
      const erased = await section.eraseCustomer({ by, workspace, customer: customer.right })
      if (E.isRight(erased)) return redirect(`/console/workspaces/${workspace}/customers?erased=yes`)
      const failure = erased.left
      return failure._tag === 'MessagesUnderWay'
        ? again((page) => show(section, page, { problem: texts.underWay(failure.count) }))
        : failurePage(failure, signedIn)
    }),
  },
  ...consentPages(deps, section),
]

const consentPages = (deps: PageDeps, section: CustomersSection): ReadonlyArray<Page> => {
  const { consent } = section
  return consent === undefined ? [] : [{
    path: `${PATH}/consent`,
    post: actIn(deps, 'consent.record', (acting) => recordConsent(consent, acting, (page, outcome) => show(section, page, outcome))),
  }]
}

const listPath = (workspace: WorkspaceId): ConsolePath => `/console/workspaces/${workspace}/customers`

const show = async (section: CustomersSection, page: InWorkspace, outcome: ConsentOutcome = {}): Promise<PageAnswer> => {
  const { workspace, signedIn, request } = page
  const id = parseCustomerId(request.params['customer'] ?? '')
  if (E.isLeft(id)) return failurePage({ _tag: 'NotFound' }, signedIn)
  const cursor = cursorIn(request)
  const read = await readConversation(section, workspace.id, id.right, cursor)
  if (E.isLeft(read)) return failurePage(read.left, signedIn)
  const { customer } = read.right
  const known = await section.showCustomer(workspace.id, id.right)
  if (E.isLeft(known)) return failurePage(known.left, signedIn)
  const history = await readHistory(section.consent, workspace.id, id.right)
  if (E.isLeft(history)) return failurePage(history.left, signedIn)
  const consent = O.isSome(known.right) ? known.right.value.consent : NO_CONSENT
  const now = section.now()
  const base = `/console/workspaces/${workspace.id}`
  const path = customerPath(workspace.id, id.right)
  const shown = <Shown conversation={read.right} workspace={workspace.id} path={path} now={now} freeForm={section.freeForm} />
  const price = await textPrice(section, workspace, id.right)
  const name = customer?.name ?? customer?.username ?? writeCustomerId(id.right)
  return workspacePage(page, {
    status: outcome.problem === undefined ? 200 : 422,
    title: name,
    path: listPath(workspace.id),
    ...(section.eraseCustomer !== undefined && isAllowed(signedIn.principal, 'customer.erase', workspace) && {
      rareActs: { content: <Erase path={`${path}/erase`} /> },
    }),
    content: (
      <>
        <p><a href={listPath(workspace.id)}>{texts.back}</a></p>
        <Problem sentence={outcome.problem} at={outcome.at} />
        {O.isNone(known.right) && customer === undefined && <p>{texts.nothingKnown}</p>}
        <div class="beside">
          <section class="card chat" aria-label={texts.conversation}>
            {cursor === undefined ? <Live address={path}>{shown}</Live> : shown}
            {cursor !== undefined && <p class="older"><a class="button plain" href={path}>{texts.newest}</a></p>}
            {cursor === undefined && isAllowed(signedIn.principal, 'message.send', workspace) && (
              <Answer
                base={base} to={id.right} name={name} conversation={read.right}
                isWindowOpen={(lastInbound) => isOpen(now, lastInbound, section.freeForm)} formKey={section.newFormKey()} price={price}
              />
            )}
          </section>
          <div>
            {customer === undefined
              ? O.isSome(known.right) && <section aria-label={texts.about}><Facts facts={consentFacts(consent, false)} /></section>
              : <Customer customer={customer} consent={consent} lastInbound={lastInboundIn(read.right)} />}
            {section.consent !== undefined && (
              <ConsentPanel
                path={path} known={consent} history={history.right} mayRecord={isAllowed(signedIn.principal, 'consent.record', workspace)}
                outcome={outcome}
              />
            )}
            <p><a href={`${messagesPath(workspace.id)}?to=${encodeURIComponent(id.right)}`}>{texts.allMessages}</a></p>
          </div>
        </div>
      </>
    ),
  })
}

/** The current price of a text, in words; nothing if it is unknown. */
const textPrice = async (
  { showRateCard }: CustomersSection, { id: workspace, currency }: InWorkspace['workspace'], to: CustomerId,
): Promise<string | undefined> => {
  const card = await showRateCard(workspace)
  if (E.isLeft(card)) return undefined
  const { micros, freeEachMonth } = priceOn(card.right, { _tag: 'Text', to, text: '' })
  return micros === 0n ? texts.free : texts.costs(writeMoney(micros, currency), freeEachMonth !== undefined)
}

/** The live part: the window and the messages. */
const Shown = ({ conversation, workspace, path, now, freeForm }: {
  readonly conversation: Conversation
  readonly workspace: WorkspaceId
  readonly path: string
  readonly now: Instant
  readonly freeForm: FreeForm | undefined
}): VNode => (
  <>
    <Windows conversation={conversation} now={now} freeForm={freeForm} />
    <Lines conversation={conversation} workspace={workspace} path={path} now={now} />
  </>
)

const Known = ({ id }: { readonly id: CustomerId | undefined }): VNode =>
  id === undefined ? <>{texts.unknown}</> : <Id of={id} text={writeCustomerId(id)} isWhole />

/** What the customer allowed or stopped, since when, and how it is known. */
const Said = ({ consent: { status, since, source, note } }: { readonly consent: Consent }): VNode => (
  <>
    {status === 'withdrawn' ? <State text={texts.stopped} tone="bad" /> : <State text={texts.allowed} tone="good" />}
    {' '}<Time at={since} /> {texts.knownBy(source)}{note !== undefined && <>: “{note}”</>}
  </>
)

/** Nothing is shown about all messages unless the customer has said something about them. */
const consentFacts = ({ marketing, all }: CustomerConsent, optedOut: boolean): ReadonlyArray<readonly [string, ComponentChildren]> => [
  [
    texts.marketing,
    marketing !== undefined && (marketing.status === 'withdrawn' || !optedOut)
      ? <Said consent={marketing} />
      : optedOut ? <State text={texts.stopped} tone="bad" /> : texts.notStopped,
  ],
  ...(all === undefined ? [] : [[texts.everyMessage, <Said consent={all} />] as const]),
]

const Customer = ({ customer: { phoneNumber, userId, name, username, optedOut }, consent, lastInbound }: {
  readonly customer: ShownCustomer; readonly consent: CustomerConsent; readonly lastInbound: O.Option<Instant>
}): VNode => (
  <section aria-label={texts.about}>
    <Facts facts={[
      [texts.number, <Known id={phoneNumber} />], [texts.userId, <Known id={userId} />], [texts.name, name ?? texts.unknown],
      [texts.username, username ?? texts.unknown],
      ...consentFacts(consent, optedOut),
      [texts.wrote, O.isSome(lastInbound) ? <Time at={lastInbound.value} /> : texts.never],
    ]} />
  </section>
)

const Erase = ({ path }: { readonly path: string }): VNode => (
  <Confirm title={texts.erase} sentence={texts.eraseHint} action={path} verb={texts.eraseButton} isDangerous />
)
