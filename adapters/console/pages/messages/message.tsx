import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import { isForgotten } from '../../../../core/customers/customer.js'
import { billedAs, isBilledOtherwise } from '../../../../core/messages/message-log.js'
import {
  FORGOTTEN_PLATFORM_ID, isMessageId, isOutcomeUnknown, MESSAGE_STATES, type MessageState, moneyMove,
} from '../../../../core/messages/message.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { Entry } from '../../../../core/money/ledger.js'
import { type Cost, marginOf } from '../../../../core/money/usage.js'
import type { UnknownSender } from '../../../../core/senders/sender.js'
import type { Departure } from '../../../../core/sending/show-queue.js'
import type { ShownMessage } from '../../../../core/timeline.js'
import { type Answer, redirect, redirectWithFlash } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { NEW_MESSAGE } from '../../navigation.js'
import { actIn, cursorIn, inWorkspace, type InWorkspace, listed, liveIn, type Page, type PageDeps, workspacePage } from '../../page.js'
import { Command } from '../../command.js'
import { Behind, Facts, Field, Id, Live, Money, Problem, Time, Timeline, type Tone } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { wordFor } from '../../words.js'
import { Again, againOf, sendAgain } from './again.js'
import { Said, saidBy } from './message-content.js'
import { Deliveries } from './message-deliveries.js'
import { MessageError } from './message-error.js'
import { addressWith, BESIDE, parseFilters } from './message-filters.js'
import { type Listed, MessageList, readList } from './message-list.js'
import {
  Charge, Departs, type Departures, messagesPath, MessageStateChip, nameOf, readDepartures, readNames, Recipient, TONES, whatOf,
} from './message-table.js'
import type { MessagesSection } from './messages-section.js'
import { Cancel, queuePath } from '../queue/queue-parts.js'
import { NumberLink, type Numbers, readNumbers } from '../numbers/names.js'
import { Movement } from '../wallet/wallet-parts.js'
import { priceBy } from '../../../../core/money/rate-card.js'

const { message: texts, messages: listTexts, numbers: numberTexts, queue: queueTexts } = TEXTS
const PATH = '/console/workspaces/:workspace/messages/:message'

/** One message: its history, canceling it while it is queued, and settling it by hand. */
export const messagePages = (deps: PageDeps, section: MessagesSection): ReadonlyArray<Page> => [
  {
    path: PATH,
    get: listed('messages', inWorkspace(deps, 'workspace.view', (page) => show(section, page, {}))),
    live: liveIn(deps, 'workspace.view', async (page) => {
      const found = await find(section, page)
      if (E.isLeft(found)) return failurePage(found.left, page.signedIn)
      const [market, numbers] = await Promise.all([marketOf(section, page, found.right), readNumbers(section, page.workspace.id)])
      const seesCost = maySeeCost(page)
      return {
        _tag: 'Live',
        key: JSON.stringify(['message', page.workspace.id, found.right.message.id, seesCost]),
        read: async () => {
          const shown = await find(section, page)
          if (E.isLeft(shown)) return shown.left._tag === 'PortFailure' ? E.left(shown.left) : E.right(<></>)
          const cost = seesCost ? section.costOf(shown.right.message) : undefined
          return E.map((departure: Departure | undefined) => (
            <MessageTimeline shown={shown.right} numbers={numbers} market={market} cost={cost} departure={departure} />
          ))(await departureOf(section, shown.right))
        },
      }
    }),
  },
  {
    path: `${PATH}/again`,
    post: inWorkspace(deps, 'message.send', (page) => sendAgain(section, page, (problem) => show(section, page, { problem }))),
  },
  ...(section.queue === undefined ? [] : [cancelPage(deps, section, section.queue)]),
  {
    path: `${PATH}/resolve`,
    post: actIn(deps, 'message.resolve', async ({ request, signedIn, by, workspace, again }) => {
      const { message = '' } = request.params
      if (!isMessageId(message)) return failurePage({ _tag: 'NotFound' }, signedIn)
      const { outcome, note = '' } = request.form
      if (outcome !== 'sent' && outcome !== 'not_sent') {
        const allowed = await deps.audit.checkView({ by, act: 'message.resolve', workspace })
        return E.isLeft(allowed)
          ? failurePage(allowed.left, signedIn)
          : again((page) => show(section, page, { problem: texts.badOutcome, note }))
      }
      const resolved = await section.resolveMessage({ by, workspace, message, outcome, note })
      if (E.isRight(resolved)) return redirect(`${messagesPath(workspace)}/${message}`)
      const failure = resolved.left
      switch (failure._tag) {
        case 'InvalidNote': return again((page) => show(section, page, { problem: texts.badNote, note, outcome }))
        case 'NotUnconfirmed':
          return again((page) => show(section, page, { problem: texts.notUnconfirmed(wordFor('states', failure.state)) }))
        case 'NoSuchMessage': return failurePage({ _tag: 'NotFound' }, signedIn)
        case 'Forbidden': case 'PortFailure': return failurePage(failure, signedIn)
      }
    }),
  },
]

const cancelPage = (deps: PageDeps, section: MessagesSection, { cancelQueued }: NonNullable<MessagesSection['queue']>): Page => ({
  path: `${PATH}/cancel`,
  post: actIn(deps, 'message.cancel', async ({ request: { params, form }, signedIn, by, workspace, again }) => {
    const { message = '' } = params
    if (!isMessageId(message)) return failurePage({ _tag: 'NotFound' }, signedIn)
    const canceled = await cancelQueued({ by, workspace, message })
    if (E.isRight(canceled)) {
      const to = form['back'] === 'queue' ? queuePath(workspace) : `${messagesPath(workspace)}/${message}` as const
      return redirectWithFlash(to, <p class="note" role="status">{queueTexts.canceled}</p>)
    }
    const failure = canceled.left
    switch (failure._tag) {
      case 'AlreadySent': return again((page) => show(section, page, { problem: queueTexts.alreadySent(wordFor('states', failure.state)) }))
      case 'NoSuchMessage': return failurePage({ _tag: 'NotFound' }, signedIn)
      case 'Forbidden': case 'PortFailure': return failurePage(failure, signedIn)
    }
  }),
})

const departureOf = async (section: MessagesSection, { message }: ShownMessage): Promise<E.Either<PortFailure, Departure | undefined>> =>
  E.map((departures: Departures) => departures.get(message.id))(await readDepartures(section, message.workspace, [message]))

const find = async ({ showMessage }: MessagesSection, { request: { params }, workspace }: InWorkspace) =>
  E.mapLeft((failure: { readonly _tag: 'NoSuchMessage' } | Extract<Parameters<typeof failurePage>[0], { _tag: 'PortFailure' }>) =>
    (failure._tag === 'NoSuchMessage' ? { _tag: 'NotFound' as const } : failure))(await showMessage(workspace.id, params['message'] ?? ''))

/** The result of the form, if one was submitted. */
type Outcome = { readonly problem?: string; readonly note?: string; readonly outcome?: 'sent' | 'not_sent' }

const show = async (section: MessagesSection, page: InWorkspace, outcome: Outcome): Promise<Answer> => {
  const found = await find(section, page)
  if (E.isLeft(found)) return failurePage(found.left, page.signedIn)
  const { workspace, signedIn } = page
  const { message } = found.right
  const [said, list, numbers, departure, names] = await Promise.all([
    saidBy(section, workspace.id, message), listBeside(section, page), readNumbers(section, workspace.id),
    departureOf(section, found.right), readNames(section.nameCustomers, [message]),
  ])
  if (E.isLeft(said)) return failurePage(said.left, signedIn)
  if (E.isLeft(list)) return failurePage(list.left, signedIn)
  if (E.isLeft(departure)) return failurePage(departure.left, signedIn)
  if (E.isLeft(names)) return failurePage(names.left, signedIn)
  const path = messagesPath(workspace.id)
  const again = await againOf(section, page, message)
  if (again?._tag === 'PortFailure') return failurePage(again, signedIn)
  const mayResolve = isOutcomeUnknown(message.state) && isAllowed(signedIn.principal, 'message.resolve', workspace)
  const mayCancel = message.state === 'queued' && section.queue !== undefined
    && isAllowed(signedIn.principal, 'message.cancel', workspace)
  const detail = (
    <>
      <p class="back">
        <a href={list.right === undefined ? path : addressWith(path, list.right.filters, list.right.cursor)}>{texts.back}</a>
      </p>
      <Problem sentence={outcome.problem} />
      {again !== undefined && <Again path={`${path}/${message.id}/again`} given={again} />}
      <Live address={`${path}/${message.id}`}>
        <MessageTimeline
          shown={found.right} numbers={numbers} market={await marketOf(section, page, found.right)}
          cost={maySeeCost(page) ? section.costOf(message) : undefined} departure={departure.right}
        />
      </Live>
      <Said bubble={said.right} />
      <Behind title={texts.curl} sentence={texts.curlHint}>
        {page.request.origin === undefined && <p class="hint">{TEXTS.send.noAddress}</p>}
        <Command call={{ method: 'GET', path: `/v1/messages/${message.id}` }} origin={page.request.origin} label={texts.curlLabel} />
      </Behind>
      {mayCancel && <Cancel of={message} name={nameOf(message, names.right)} />}
      {mayResolve && <Resolve path={`${path}/${message.id}/resolve`} outcome={outcome} />}
    </>
  )
  return workspacePage(page, {
    status: outcome.problem === undefined ? 200 : 422,
    title: list.right === undefined ? texts.title : TEXTS.sections.messages,
    ...(list.right !== undefined && { firstAct: NEW_MESSAGE }),
    path,
    content: list.right === undefined
      ? detail
      : <MessageList page={page} listed={list.right} numbers={numbers} chosen={message.id}>{detail}</MessageList>,
  })
}

/** The list from which the message was chosen, if its address names one. */
const listBeside = async (
  section: MessagesSection, page: InWorkspace,
): Promise<E.Either<UnknownSender | PortFailure, Listed | undefined>> => {
  const { query } = page.request
  const filters = parseFilters(query)
  return query.get(BESIDE) === null || E.isLeft(filters)
    ? E.right(undefined)
    : readList(section, page, filters.right, cursorIn(page.request))
}

/** What the platform charges for messages is shown only to those who set prices. */
const maySeeCost = ({ signedIn: { principal }, workspace }: InWorkspace): boolean => isAllowed(principal, 'workspace.set_prices', workspace)

/** The market of the message's price; the customer's on the current rate card, if it is not stored. A forgotten person has none. */
const marketOf = async (
  { rateCard }: MessagesSection, { workspace }: InWorkspace,
  { message: { to: customer, market: stored, price: { category } } }: ShownMessage,
): Promise<string | undefined> => {
  if (stored !== undefined) return stored
  if (isForgotten(customer)) return undefined
  const rate = await priceBy(rateCard)(workspace.id, { _tag: 'Template', to: customer, name: '', language: '' }, category)
  return E.isRight(rate) ? rate.right.market : undefined
}

type Shown = {
  readonly shown: ShownMessage; readonly numbers: Numbers; readonly market: string | undefined; readonly cost: Cost | undefined
  readonly departure: Departure | undefined
}

const MessageTimeline = ({ shown, ...more }: Shown): VNode => (
  <>
    <MessageFacts shown={shown} {...more} />
    <MessageError error={shown.message.error} />
    <History shown={shown} />
    <Deliveries shown={shown} />
  </>
)

const MessageFacts = ({ shown: { message, key }, numbers, market, cost, departure }: Shown): VNode => {
  const { id, workspace, sender, platformId, state, price, pricing, metadata = {} } = message
  const billed = billedAs(message)
  return (
    <>
      <div class="over headline">
        <h2><Recipient message={message} /></h2><span><MessageStateChip state={state} /><Departs departure={departure} /></span>
      </div>
      <Facts facts={[
        [listTexts.what, whatOf(message)],
        ...(sender === undefined ? [] : [[numberTexts.from, <NumberLink numbers={numbers} workspace={workspace} id={sender} />] as const]),
        ...(departure === undefined ? [] : [
          [
            queueTexts.leavesAt,
            departure.waitsFor === 'time' ? <Time at={departure.dueAt} /> : queueTexts.waitsFor[departure.waitsFor],
          ] as const,
          [queueTexts.until, <Time at={departure.endsAt} />] as const,
        ]),
        [listTexts.price, <Charge message={message} />],
        ...(cost === undefined ? [] : [
          [texts.cost, <><Money micros={cost.micros} currency={price.currency} /> {texts.costFrom[cost.knownFrom]}</>] as const,
          [texts.margin, <Money micros={marginOf(message, cost)} currency={price.currency} />] as const,
        ]),
        [texts.why, texts.whyText(wordFor('categories', price.category), market)],
        ...(pricing === undefined || billed === undefined ? [] : [
          [
            texts.billed,
            <>
              {[billed.reported === undefined ? undefined : wordFor('categories', billed.reported), billed.type]
                .filter((part) => part !== undefined).join(', ')}
              {isBilledOtherwise(message) && <strong> {texts.billedOtherwise}</strong>}
            </>,
          ] as const,
        ]),
        ...(key === undefined ? [] : [[texts.sentWith, texts.sentWithKey(key.name)] as const]),
        ...(Object.keys(metadata).length === 0
          ? []
          : [
              [listTexts.reference, <>{Object.entries(metadata).map(([name, value]) => <div key={name}>{name}: {value}</div>)}</>] as const,
            ]),
        [texts.id, <Id of={id} isWhole />],
        ...(platformId === undefined || platformId === FORGOTTEN_PLATFORM_ID
          ? []
          : [[texts.platformId, <Id of={platformId} isWhole />] as const]),
      ]} />
    </>
  )
}

type Step = {
  readonly at: number
  readonly since: number
  readonly rank: number
  readonly tone: Tone
  readonly text: string
  readonly entry: Entry | undefined
  readonly key: string
}

/** The state that an entry follows if both have the same timestamp. */
const STATE_OF: Readonly<Record<Entry['kind'], MessageState>> =
  { hold: 'pending', release: 'released', capture: 'accepted', refund: 'failed', top_up: 'pending', adjustment: 'pending' }

/**
 * The history of the message and of its money, in order.
 *
 * The platform reports whole seconds of its own clock, so a state may have an earlier timestamp than the state before it; it still follows that state.
 */
const stepsOf = ({ message: { history }, entries }: ShownMessage): ReadonlyArray<Step> => {
  const states = history.toSorted((a, b) => rankOf(a.state) - rankOf(b.state)).reduce<ReadonlyArray<Step>>((before, { state, at }) => [
    ...before,
    {
      at, since: Math.max(at, before.at(-1)?.since ?? at), rank: rankOf(state), tone: TONES[state], text: texts.states[state],
      entry: undefined, key: state,
    },
  ], [])
  const moves = entries.map((entry): Step => ({
    at: entry.at, since: entry.at, rank: rankOf(STATE_OF[entry.kind]) + 0.5, tone: 'quiet', text: texts.entries[entry.kind], entry,
    key: entry.id,
  }))
  return [...states, ...moves].sort((a, b) => a.since - b.since || a.rank - b.rank)
}

const rankOf = (state: MessageState): number => MESSAGE_STATES.indexOf(state)

const History = ({ shown }: { readonly shown: ShownMessage }): VNode => (
  <>
    <h2>{texts.timeline}</h2>
    <Timeline label={texts.timeline} steps={stepsOf(shown).map(({ key, tone, text, at, entry }) => ({
      key, tone, what: text, at,
      ...(entry !== undefined && {
        more: <><Movement entry={entry} currency={shown.message.price.currency} />{entry.note !== undefined && <>: {entry.note}</>}</>,
      }),
    }))} />
    {isMoveMissing(shown) && <p class="soft">{texts.missing}</p>}
  </>
)

/** Whether the state requires a movement of money that was not found. A refund before the price was captured only releases it. */
const isMoveMissing = ({ message, entries }: ShownMessage): boolean => {
  const move = moneyMove(message.state)
  const found = (kind: Entry['kind']): boolean => entries.some((entry) => entry.kind === kind)
  return found('hold') && move !== 'keep' && !found(move) && !(move === 'refund' && found('release'))
}

const Resolve = ({ path, outcome: { note, outcome } }: { readonly path: string; readonly outcome: Outcome }): VNode => (
  <Behind title={`${texts.resolve}…`} sentence={texts.resolveHint} isOpen={note !== undefined} isAct isDangerous>
    <form method="post" action={path}>
      <fieldset>
        <legend>{texts.resolve}</legend>
        {(['sent', 'not_sent'] as const).map((each) => (
          <label class="choice" key={each}>
            <input
              type="radio" name="outcome" value={each} required checked={outcome === each}
            /> {each === 'sent' ? texts.outcomeSent : texts.outcomeNotSent}
          </label>
        ))}
      </fieldset>
      <Field id="note" label={texts.note} hint={texts.noteHint} value={note} />
      <div><button class="danger">{texts.resolveButton}</button></div>
    </form>
  </Behind>
)

