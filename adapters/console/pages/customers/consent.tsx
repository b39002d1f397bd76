import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import {
  CONSENT_STATUSES, CONSENT_TOPICS, type ConsentFact, type ConsentStatus, type ConsentTopic, type CustomerConsent,
} from '../../../../core/consent/consent.js'
import { type CustomerId, parseCustomerId } from '../../../../core/customers/customer.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import { MAX_NOTE_LENGTH } from '../../../../core/kernel/text.js'
import { type Answer, redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import type { UsesOf } from '../../gateway.js'
import type { ActIn, InWorkspace } from '../../page.js'
import { Behind, capitalised, Confirm, faultAt, Field, Panel, type Refused, Tick, Timeline } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { customerPath } from '../messages/message-table.js'

const { customers: texts } = TEXTS

/** The source of what people record in the console. */
export const CONSOLE_SOURCE = 'console'

/** How many changes are read, and how many of them are shown at first. */
const READ_AT_ONCE = 100
const SHOWN_AT_ONCE = 3

/** The refusal of a form about a customer, with what was typed. */
export type ConsentOutcome = Refused & { readonly note?: string | undefined }

type RecordsConsent = Pick<UsesOf<'consent'>, 'recordConsent' | 'showHistory'>

const fieldOf = (name: 'note' | 'sure', topic: ConsentTopic, status: ConsentStatus): string => `${name}-${topic}-${status}`

/** Records what a person says about a customer. Allowing messages must be confirmed; a person who may not record it is refused without being asked. */
export const recordConsent = async (
  { recordConsent: record }: RecordsConsent, { request: { params, form }, by, workspace, signedIn, again }: ActIn,
  show: (page: InWorkspace, outcome: ConsentOutcome) => Promise<Answer>,
): Promise<Answer> => {
  const customer = parseCustomerId(params['customer'] ?? '')
  const namedTopic = CONSENT_TOPICS.find((one) => one === form['of'])
  const namedStatus = CONSENT_STATUSES.find((one) => one === form['status'])
  if (E.isLeft(customer)) return failurePage({ _tag: 'NotFound' }, signedIn)
  const [topic, status] = [namedTopic ?? 'marketing', namedStatus ?? 'granted']
  const note = (form['note'] ?? '').trim()
  const wrong = (name: 'note' | 'sure', problem: string) => ({ problem, at: fieldOf(name, topic, status), note })
  const act = async (): Promise<Answer> => {
    const recorded = await record({
      by, workspace, customer: customer.right, topic, status, source: CONSOLE_SOURCE, ...(note !== '' && { note }),
    })
    if (E.isRight(recorded)) return redirect(customerPath(workspace, customer.right))
    return recorded.left._tag === 'InvalidConsent'
      ? again((page) => show(page, wrong('note', texts.consent.wrongNote(MAX_NOTE_LENGTH))))
      : failurePage(recorded.left, signedIn)
  }
  const isNamed = namedTopic !== undefined && namedStatus !== undefined
  const isMeant = status === 'withdrawn' || form[fieldOf('sure', topic, status)] !== undefined
  if ((isMeant && isNamed) || !isAllowed(signedIn.principal, 'consent.record', { id: workspace })) return act()
  return again(async (page) => {
    if (!isAllowed(signedIn.principal, 'consent.record', page.workspace)) return act()
    return isNamed ? show(page, wrong('sure', texts.consent.wrongSure)) : failurePage({ _tag: 'NotFound' }, signedIn)
  })
}

/** Reads what a customer allowed and stopped, the latest first. */
export const readHistory = async (
  consent: RecordsConsent | undefined, workspace: WorkspaceId, id: CustomerId,
): Promise<E.Either<PortFailure, ReadonlyArray<ConsentFact>>> =>
  (consent === undefined ? E.right([]) : consent.showHistory(workspace, id, READ_AT_ONCE))

/** What may be recorded of a customer, given what is known. A person may record that marketing is allowed although the customer has stopped nothing. */
const choicesIn = (known: CustomerConsent): ReadonlyArray<readonly [ConsentTopic, ConsentStatus]> => [
  ...CONSENT_TOPICS.filter((topic) => known[topic]?.status !== 'withdrawn').map((topic) => [topic, 'withdrawn'] as const),
  ...CONSENT_TOPICS.filter((topic) => known[topic]?.status === 'withdrawn' || (topic === 'marketing' && known[topic] === undefined))
    .map((topic) => [topic, 'granted'] as const),
]

/** The acts about the consent of a customer, and its history. */
export const ConsentPanel = ({ path, known, history, mayRecord, outcome }: {
  readonly path: string; readonly known: CustomerConsent; readonly history: ReadonlyArray<ConsentFact>
  readonly mayRecord: boolean; readonly outcome: ConsentOutcome
}): VNode | null => (!mayRecord && history.length === 0 ? null : (
  <Panel id="consent" title={texts.consent.title}>
    {mayRecord && choicesIn(known).map(([topic, status]) => (
      <Act key={`${topic} ${status}`} path={path} topic={topic} status={status} known={known} outcome={outcome} />
    ))}
    {history.length > 0 && <h3>{texts.consent.history}</h3>}
    {history.length > 0 && <History label={texts.consent.history} facts={history.slice(0, SHOWN_AT_ONCE)} />}
    {history.length > SHOWN_AT_ONCE && (
      <Behind title={texts.consent.earlier(history.length - SHOWN_AT_ONCE)}>
        <History label={texts.consent.earlier(history.length - SHOWN_AT_ONCE)} facts={history.slice(SHOWN_AT_ONCE)} />
      </Behind>
    )}
  </Panel>
))

const Act = ({ path, topic, status, known, outcome }: {
  readonly path: string; readonly topic: ConsentTopic; readonly status: ConsentStatus; readonly known: CustomerConsent
  readonly outcome: ConsentOutcome
}): VNode => {
  const words = texts.consent[status][topic]
  const [note, sure] = [fieldOf('note', topic, status), fieldOf('sure', topic, status)]
  const isOpen = outcome.at === note || outcome.at === sure
  const isOfPlatform = status === 'granted' && known[topic]?.source === 'platform'
  return (
    <Confirm
      title={words.title} sentence={isOfPlatform ? `${words.sentence} ${texts.consent.ofPlatform}` : words.sentence}
      action={`${path}/consent`} verb={words.verb} isOpen={isOpen}
    >
      <input type="hidden" name="of" value={topic} />
      <input type="hidden" name="status" value={status} />
      <Field
        id={note} name="note" label={texts.consent.note} hint={texts.consent.noteHint} required={false} maxLength={MAX_NOTE_LENGTH}
        value={isOpen ? outcome.note : ''} {...faultAt(outcome, note)}
      />
      {status === 'granted' && <Tick id={sure} label={texts.consent.sure} isTicked={false} {...faultAt(outcome, sure)} />}
    </Confirm>
  )
}

const History = ({ label, facts }: { readonly label: string; readonly facts: ReadonlyArray<ConsentFact> }): VNode => (
  <Timeline
    label={label}
    steps={facts.map(({ topic, status, since, source, note }) => ({
      key: [topic, status, since, source].join(' '),
      tone: status === 'withdrawn' ? 'bad' : 'good',
      what: `${topic === 'marketing' ? texts.marketing : texts.everyMessage}: ${status === 'withdrawn' ? texts.stopped : texts.allowed}`,
      at: since,
      more: <>{capitalised(texts.knownBy(source))}{note !== undefined && <>: “{note}”</>}</>,
    }))}
  />
)
