import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { Fragment, type VNode } from 'preact'
import type { CustomerId } from '../../../../core/customers/customer.js'
import type { SenderWindow } from '../../../../core/customers/use-cases.js'
import { closesAt, type FreeForm, isOpen, WINDOW_MS } from '../../../../core/customers/window.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from '../../../../core/kernel/time.js'
import { MAX_TEXT_LENGTH } from '../../../../core/kernel/text.js'
import { CONTENT_TYPES } from '../../../../core/messages/content.js'
import type { MessageId, MessageState } from '../../../../core/messages/message.js'
import type { SenderId } from '../../../../core/senders/sender.js'
import type { ConversationLine, ShownConversation } from '../../../../core/timeline.js'
import { Icon } from '../../icons.js'
import { dateFormat } from '../../language.js'
import { capitalised, Empty, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { wordFor } from '../../words.js'
import { currentDays } from '../../zone.js'
import type { CustomersSection } from './customers-section.js'
import { areSeveral, nameIn, NumberOptions, type Numbers, readNumbers } from '../numbers/names.js'
import { patternsOf, saidByAll } from '../messages/message-content.js'
import {
  Charge, Departs, type Departures, ErrorCode, messagesPath, readDepartures, TONES, whatOf,
} from '../messages/message-table.js'
import { type Bubble, bubbleOf, Preview } from '../sending/preview.js'

const { customers: texts, numbers: numberTexts } = TEXTS

/** The maximum number of messages to a customer on one page. */
const SHOWN_AT_ONCE = 30

/** A conversation, the numbers of the workspace, the content of its messages if that is kept, and otherwise the text of their templates. */
export type Conversation = ShownConversation & {
  readonly numbers: Numbers
  readonly said: ReadonlyMap<MessageId, Bubble>
  readonly patterns: ReadonlyMap<MessageId, Bubble>
  readonly departures: Departures
}

/** Reads the newest messages of a conversation, or those before a cursor. */
export const readConversation = async (
  section: CustomersSection, workspace: WorkspaceId, id: CustomerId, cursor?: string,
): Promise<E.Either<PortFailure, Conversation>> => {
  const [shown, numbers] = await Promise.all([
    section.showConversation(workspace, id, { limit: SHOWN_AT_ONCE, ...(cursor !== undefined && { cursor }) }),
    readNumbers(section, workspace),
  ])
  if (E.isLeft(shown)) return shown
  const sent = shown.right.lines.flatMap((line) => (line._tag === 'To' ? [line.message] : []))
  const [said, departures] = await Promise.all([saidByAll(section, workspace, sent), readDepartures(section, workspace, sent)])
  if (E.isLeft(said)) return said
  if (E.isLeft(departures)) return departures
  const patterns = await patternsOf(section, workspace, sent.filter((message) => !said.right.has(message.id)))
  return E.map((found: ReadonlyMap<MessageId, Bubble>): Conversation => ({
    ...shown.right, numbers, said: said.right, patterns: found, departures: departures.right,
  }))(patterns)
}

/** When the customer last wrote to a number; in a workspace with one number, to that. The latest first. */
export const windowsIn = ({ customer }: ShownConversation): ReadonlyArray<SenderWindow> =>
  (customer?.senders ?? []).toSorted((a, b) => wroteAt(b.lastInbound) - wroteAt(a.lastInbound))

const wroteAt = (lastInbound: O.Option<Instant>): number => (O.isSome(lastInbound) ? lastInbound.value : -Infinity)

/** When the customer last wrote to any number. */
export const lastInboundIn = (conversation: ShownConversation): O.Option<Instant> => {
  const [latest] = windowsIn(conversation)
  return latest?.lastInbound ?? conversation.customer?.lastInbound ?? O.none
}

/** The windows of a customer: one, or those of each number, the latest first. */
export const Windows = ({ conversation, now, freeForm }: {
  readonly conversation: Conversation
  readonly now: Instant
  readonly freeForm: FreeForm | undefined
}): VNode => {
  const { numbers } = conversation
  const windows = windowsIn(conversation)
  const wrote = windows.filter(({ lastInbound }) => O.isSome(lastInbound))
  const others = windows.slice(wrote.length)
  if (!areSeveral(numbers) || wrote.length === 0) {
    return <WindowBar lastInbound={lastInboundIn(conversation)} now={now} freeForm={freeForm} />
  }
  return (
    <div class="windows">
      {wrote.map(({ sender, lastInbound }) => (
        <WindowBar key={sender} lastInbound={lastInbound} now={now} freeForm={freeForm} name={nameIn(numbers, sender)} />
      ))}
      {others.length > 0 && <p class="hint never">{texts.neverWroteTo(others.map(({ sender }) => nameIn(numbers, sender)).join(', '))}</p>}
    </div>
  )
}

/** Whether free-form messages to the customer are possible, as the phone shows it: for how long, and until when. `name` is the number, if it has to be named. */
const WindowBar = ({ lastInbound, now, freeForm, name }: {
  readonly lastInbound: O.Option<Instant>
  readonly now: Instant
  readonly freeForm: FreeForm | undefined
  readonly name?: string
}): VNode => {
  const of = name === undefined ? '' : `${name}: `
  if (freeForm === 'always') {
    return (
      <div class="window">
        <Ring part={1} />
        <div>
          <strong>{of}{texts.alwaysOpen}</strong>
          <p class="hint">{O.isNone(lastInbound) ? texts.neverWrote : <>{texts.lastWrote} <Time at={lastInbound.value} />.</>}</p>
        </div>
      </div>
    )
  }
  if (O.isNone(lastInbound)) {
    return <div class="window">
      <Ring part={0} /><div><strong>{texts.windowClosed}</strong><p class="hint">{texts.neverWrote} {texts.windowClosedHint}</p></div>
    </div>
  }
  const end = closesAt(lastInbound.value)
  if (!isOpen(now, lastInbound)) {
    return <div class="window">
      <Ring part={0} />
      <div>
        <strong>{of}{texts.windowClosed}</strong>
        <p class="hint">{texts.lastWrote} <Time at={lastInbound.value} />. {texts.windowClosedHint}</p>
      </div>
    </div>
  }
  const minutes = Math.ceil((end - now) / MINUTE_MS)
  return (
    <div class="window">
      <Ring part={(end - now) / WINDOW_MS} />
      <div>
        <strong>{of}{texts.windowOpen} {texts.hours(Math.floor((minutes * MINUTE_MS) / HOUR_MS), minutes % 60)}</strong>
        <p class="hint">{texts.lastWrote} <Time at={lastInbound.value} />. {texts.windowOpenHint} <Time at={end} />.</p>
      </div>
    </div>
  )
}

/** The remaining part of the window, as a ring. Its circumference is 100. */
const Ring = ({ part }: { readonly part: number }): VNode => (
  <svg class="ring" viewBox="0 0 36 36" width={34} height={34} aria-hidden="true">
    <circle cx={18} cy={18} r={15.915} />
    {part > 0 && (
      <circle class="left" cx={18} cy={18} r={15.915} stroke-dasharray={`${Math.round(part * 100)} 100`} transform="rotate(-90 18 18)" />
    )}
  </svg>
)

/** The messages of a conversation, oldest first, under the days on which they were sent. */
export const Lines = ({ conversation: { lines, numbers, said, patterns, departures, next }, workspace, path, now }: {
  readonly conversation: Conversation
  readonly workspace: WorkspaceId
  readonly path: string
  readonly now: Instant
}): VNode => {
  if (lines.length === 0) return <Empty sentence={texts.noMessages} icon="messages" />
  const missing = [
    ...(lines.some((line) => line._tag === 'To' && !said.has(line.message.id)) ? [texts.notKept] : []),
    ...(lines.some((line) => line._tag === 'From' && line.content === undefined) ? [texts.notKeptFrom] : []),
  ]
  return (
    <>
      {missing.length > 0 && <p class="hint missing">{missing.join(' ')}</p>}
      <div class="lines" role="region" aria-label={texts.messages} tabindex={0}><ol>
        {next !== undefined && (
          <li class="older"><a class="button plain" href={`${path}?cursor=${encodeURIComponent(next)}`}>{texts.older}</a></li>
        )}
        {lines.map((line, index) => {
          const day = dayOf(line.at, now)
          return (
            <Fragment key={line._tag === 'To' ? line.message.id : line.id}>
              {(index === 0 || dayOf(lines[index - 1]?.at ?? 0, now) !== day) && <li class="day"><span>{day}</span></li>}
              {line._tag === 'To'
                ? <To
                    line={line} number={labelOf(numbers, line.message.sender)} workspace={workspace} departures={departures}
                    bubble={said.get(line.message.id) ?? patterns.get(line.message.id)}
                  />
                : <From line={line} number={labelOf(numbers, line.sender)} />}
            </Fragment>
          )
        })}
      </ol></div>
    </>
  )
}

const [writeDay, writeDayOfYear] = [
  dateFormat({ weekday: 'long', day: 'numeric', month: 'long' }), dateFormat({ day: 'numeric', month: 'long', year: 'numeric' }),
]

/** The weekday is named for this many days, within which a person still knows it. */
const WEEKDAYS_MS = 180 * DAY_MS

/** The name of a day, in the time zone of the page. */
const dayOf = (at: Instant, now: Instant): string => {
  const { startOf } = currentDays()
  const [day, today] = [startOf(at), startOf(now)]
  if (day === today) return texts.today
  // Midday is on the day before, whether or not the clocks were changed in between.
  if (day === startOf(today - DAY_MS / 2)) return texts.yesterday
  return now - at < WEEKDAYS_MS ? writeDay(at) : writeDayOfYear(at)
}

/** The name of a message's number, if the workspace has several. */
const labelOf = (numbers: Numbers, sender: SenderId | undefined): string | undefined =>
  (sender === undefined || !areSeveral(numbers) ? undefined : nameIn(numbers, sender))

type LineOf<Tag> = Extract<ConversationLine, { readonly _tag: Tag }>

const To = ({ line: { message, at }, number, bubble, workspace, departures }: {
  readonly line: LineOf<'To'>
  readonly departures: Departures
  readonly number: string | undefined
  readonly bubble: Bubble | undefined
  readonly workspace: WorkspaceId
}): VNode => (
  <li class="to" id={message.id} aria-label={texts.to}>
    {bubble === undefined ? <div class="bubble"><p>{whatOf(message)}</p></div> : <Preview preview={bubble} />}
    <p class="hint">
      <a href={`${messagesPath(workspace)}/${message.id}`}>
        <Time at={at} as="clock" /> · {whatOf(message)}
      </a>{number !== undefined && <> · {number}</>} · <Charge message={message} />{' '}
      <Tick state={message.state} /><Departs departure={departures.get(message.id)} /><ErrorCode message={message} />
    </p>
  </li>
)

/** One tick for a message on its way, two for one that has arrived, as phones show it; the word says the same. */
const TICKS: Readonly<Partial<Record<MessageState, string>>> = { accepted: '✓', sent: '✓', delivered: '✓✓', read: '✓✓', played: '✓✓' }

const Tick = ({ state }: { readonly state: MessageState }): VNode => (
  <span class={`tick-${state === 'delivered' ? 'quiet' : TONES[state]}`}>
    {TICKS[state] !== undefined && <span aria-hidden="true">{TICKS[state]} </span>}{capitalised(wordFor('states', state))}
  </span>
)

const From = ({ line: { type, content, at }, number }: { readonly line: LineOf<'From'>; readonly number: string | undefined }): VNode => {
  const known = CONTENT_TYPES.find((one) => one === type)
  const bubble = content === undefined
    ? undefined
    : answerIn(type, content)
        ?? (known === undefined ? undefined : bubbleOf(known, known === 'contacts' ? content['contacts'] ?? [] : content))
  return (
    <li class="from" aria-label={texts.from}>
      {bubble === undefined ? <div class="bubble"><p>{texts.wroteType(type)}</p></div> : <Preview preview={bubble} />}
      <p class="hint">
        <Time at={at} as="clock" />{type === 'text' ? '' : <> · {texts.wroteType(type)}</>}{number !== undefined && <> · {number}</>}
      </p>
    </li>
  )
}

const NOTHING: Bubble = { header: undefined, body: undefined, footer: undefined, buttons: [] }

/** The words of the button or the row that a customer tapped. */
const answerIn = (type: string, content: Readonly<Record<string, unknown>>): Bubble | undefined => {
  const tapped = type === 'button' ? content : type === 'interactive' ? content['button_reply'] ?? content['list_reply'] : undefined
  if (typeof tapped !== 'object' || tapped === null) return undefined
  const words = 'text' in tapped ? tapped.text : 'title' in tapped ? tapped.title : undefined
  return typeof words === 'string' ? { ...NOTHING, body: words } : undefined
}

/**
 * The form that writes to the customer: one line that grows if a window is open, otherwise a template. In a workspace with several numbers it goes through the one to
 * which the customer wrote last, unless another one is chosen.
 */
export const Answer = ({ base, to, name, conversation, isWindowOpen, formKey, price }: {
  readonly base: string
  readonly to: CustomerId
  readonly name: string
  readonly conversation: Conversation
  /** Whether the window of a customer who last wrote at a given time is open. */
  readonly isWindowOpen: (lastInbound: O.Option<Instant>) => boolean
  readonly formKey: string
  readonly price: string | undefined
}): VNode => {
  const isOpenNow = isWindowOpen(lastInboundIn(conversation))
  const through = <Through conversation={conversation} isWindowOpen={isWindowOpen} />
  return <div class="answer">
    {isOpenNow && (
      <form method="post" action={`${base}/send/confirm`} class="composer">
        <input type="hidden" name="to" value={to} /><input type="hidden" name="key" value={formKey} />
        <input type="hidden" name="back" value="customer" />
        {through}
        <button
          class="attach" name="what" value="document" formAction={`${base}/send/compose`} formNoValidate aria-label={texts.attach}
          title={texts.attach}
        >
          <Icon name="attach" />
        </button>
        <label class="unseen" for="text">{texts.text}</label>
        <textarea
          id="text" name="text" rows={1} required maxLength={MAX_TEXT_LENGTH} placeholder={texts.writeTo(name)} aria-describedby="text-hint"
          aria-keyshortcuts="Control+Enter Meta+Enter"
        />
        <button name="what" value="text"><Icon name="send" />{texts.sendText}</button>
        <p class="hint" id="text-hint">
          {price}{' '}<button class="as-link" formAction={`${base}/send`} formNoValidate>{texts.sendOther}</button>
          <span class="by-keys">{texts.sendByKeys}</span>
        </p>
      </form>
    )}
    {!isOpenNow && (
      <form method="post" action={`${base}/send`}>
        <input type="hidden" name="to" value={to} /><input type="hidden" name="what" value="template" />
        {through}
        <button><Icon name="templates" />{texts.sendTemplate}</button>
      </form>
    )}
  </div>
}

/** The choice of the number through which an answer goes, if the workspace has several. */
const Through = ({ conversation, isWindowOpen }: {
  readonly conversation: Conversation; readonly isWindowOpen: (lastInbound: O.Option<Instant>) => boolean
}): VNode | null => {
  const { numbers } = conversation
  if (!areSeveral(numbers)) return null
  const windows = windowsIn(conversation)
  const closed = new Set(windows.filter(({ lastInbound }) => !isWindowOpen(lastInbound)).map(({ sender }) => sender))
  const [latest] = windows.filter(({ lastInbound }) => O.isSome(lastInbound))
  return (
    <div class="through">
      <label for="sender">{numberTexts.from}</label>
      <select id="sender" name="sender">
        <NumberOptions
          numbers={numbers} chosen={latest?.sender} noteOf={(id) => (closed.has(id) ? texts.windowClosed : undefined)}
        />
      </select>
    </div>
  )
}
