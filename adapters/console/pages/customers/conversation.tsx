import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { VNode } from 'preact'
import type { CustomerId } from '../../../../core/customers/customer.js'
import { closesAt, type FreeForm, isOpen, WINDOW_MS } from '../../../../core/customers/window.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import { HOUR_MS, type Instant, MINUTE_MS } from '../../../../core/kernel/time.js'
import { CONTENT_TYPES, MAX_TEXT_LENGTH } from '../../../../core/messages/content.js'
import type { MessageId } from '../../../../core/messages/message.js'
import type { ConversationLine, ShownConversation } from '../../../../core/timeline.js'
import { Icon } from '../../icons.js'
import { Empty, LinesField, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import type { CustomersSection } from './customers-section.js'
import { saidByAll } from '../messages/message-content.js'
import { Charge, ErrorCode, messagesPath, MessageStateChip, whatOf } from '../messages/message-table.js'
import { type Bubble, bubbleOf, Preview } from '../sending/preview.js'

const { customers: texts } = TEXTS

/** The maximum number of messages to a customer on one page. */
const SHOWN_AT_ONCE = 30

/** A conversation, and the content of its messages if that is kept. */
export type Conversation = ShownConversation & { readonly said: ReadonlyMap<MessageId, Bubble> }

/** Reads the newest messages of a conversation, or those before a cursor. */
export const readConversation = async (
  section: CustomersSection, workspace: WorkspaceId, id: CustomerId, cursor?: string,
): Promise<E.Either<PortFailure, Conversation>> => {
  const shown = await section.showConversation(workspace, id, { limit: SHOWN_AT_ONCE, ...(cursor !== undefined && { cursor }) })
  if (E.isLeft(shown)) return shown
  const said = await saidByAll(section, workspace, shown.right.lines.flatMap((line) => (line._tag === 'To' ? [line.message.id] : [])))
  return E.map((bubbles: ReadonlyMap<MessageId, Bubble>): Conversation => ({ ...shown.right, said: bubbles }))(said)
}

/** When the customer last wrote. */
export const lastInboundIn = ({ customer }: ShownConversation): O.Option<Instant> => customer?.lastInbound ?? O.none

/** Whether free-form messages to the customer are possible, as the phone shows it: for how long, and until when. */
export const WindowBar = ({ lastInbound, now, freeForm }: {
  readonly lastInbound: O.Option<Instant>
  readonly now: Instant
  readonly freeForm: FreeForm | undefined
}): VNode => {
  if (freeForm === 'always') {
    return (
      <div class="window">
        <Ring part={1} />
        <div>
          <strong>{texts.alwaysOpen}</strong>
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
        <strong>{texts.windowClosed}</strong><p class="hint">{texts.lastWrote} <Time at={lastInbound.value} />. {texts.windowClosedHint}</p>
      </div>
    </div>
  }
  const minutes = Math.ceil((end - now) / MINUTE_MS)
  return (
    <div class="window">
      <Ring part={(end - now) / WINDOW_MS} />
      <div>
        <strong>{texts.windowOpen} {texts.hours(Math.floor((minutes * MINUTE_MS) / HOUR_MS), minutes % 60)}</strong>
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

/** The messages of a conversation, oldest first. */
export const Lines = ({ conversation: { lines, said, next }, workspace, path }: {
  readonly conversation: Conversation
  readonly workspace: WorkspaceId
  readonly path: string
}): VNode => (
  lines.length === 0 ? <Empty sentence={texts.noMessages} icon="messages" /> : (
    <div class="lines" role="region" aria-label={texts.messages} tabindex={0}><ol>
      {next !== undefined && (
        <li class="older"><a class="button plain" href={`${path}?cursor=${encodeURIComponent(next)}`}>{texts.older}</a></li>
      )}
      {lines.map((line) => (line._tag === 'To'
        ? <To key={line.message.id} line={line} bubble={said.get(line.message.id)} workspace={workspace} />
        : <From key={line.id} line={line} />))}
    </ol></div>
  )
)

type LineOf<Tag> = Extract<ConversationLine, { readonly _tag: Tag }>

const To = ({ line: { message, at }, bubble, workspace }: {
  readonly line: LineOf<'To'>
  readonly bubble: Bubble | undefined
  readonly workspace: WorkspaceId
}): VNode => (
  <li class="to" id={message.id} aria-label={texts.to}>
    {bubble === undefined
      ? <div class="bubble"><p><strong>{whatOf(message)}</strong></p><p class="soft">{texts.notKept}</p></div>
      : <Preview preview={bubble} />}
    <p class="hint">
      <a href={`${messagesPath(workspace)}/${message.id}`}>
        <Time at={at} /> · {whatOf(message)}
      </a> · <Charge message={message} /> <MessageStateChip state={message.state} /><ErrorCode message={message} />
    </p>
  </li>
)

const From = ({ line: { type, content, at } }: { readonly line: LineOf<'From'> }): VNode => {
  const known = CONTENT_TYPES.find((one) => one === type)
  const bubble = content === undefined
    ? undefined
    : answerIn(type, content)
        ?? (known === undefined ? undefined : bubbleOf(known, known === 'contacts' ? content['contacts'] ?? [] : content))
  return (
    <li class="from" aria-label={texts.from}>
      {bubble === undefined
        ? <div class="bubble">
            <p><strong>{texts.wroteType(type)}</strong></p>{content === undefined && <p class="soft">{texts.notKeptFrom}</p>}
          </div>
        : <Preview preview={bubble} />}
      <p class="hint"><Time at={at} /> · {texts.wroteType(type)}</p>
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

/** The form that writes to the customer: a text if the window is open, otherwise a template. */
export const Answer = ({ base, to, isWindowOpen, formKey, price }: {
  readonly base: string
  readonly to: CustomerId
  readonly isWindowOpen: boolean
  readonly formKey: string
  readonly price: string | undefined
}): VNode => (
  <div class="answer">
    {isWindowOpen && (
      <form method="post" action={`${base}/send/confirm`}>
        <input type="hidden" name="to" value={to} /><input type="hidden" name="what" value="text" />
        <input type="hidden" name="key" value={formKey} /><input type="hidden" name="back" value="customer" />
        <LinesField id="text" label={texts.text} required maxLength={MAX_TEXT_LENGTH} hint={price} />
        <button><Icon name="send" />{texts.sendText}</button>
        <button class="plain" formAction={`${base}/send`} formNoValidate>{texts.sendOther}</button>
      </form>
    )}
    {!isWindowOpen && (
      <form method="post" action={`${base}/send`}>
        <input type="hidden" name="to" value={to} /><input type="hidden" name="what" value="template" />
        <button><Icon name="templates" />{texts.sendTemplate}</button>
      </form>
    )}
  </div>
)
