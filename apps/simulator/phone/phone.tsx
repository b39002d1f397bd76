import type { ComponentChildren, VNode } from 'preact'
import { INBOUND_TYPES, OWN_FILE } from './inbound.js'
import { ActForm, Choice, Line, type Place } from './panel.js'
import { type Bubble, type Phone, type Tick, WINDOW_MS } from './phones.js'
import type { Content, ShownButton, View } from './view.js'

/** One line of a conversation, as the customer sees it; `place` says whose phone it is. */
export const BubbleItem = ({ bubble, place, business }: { readonly bubble: Bubble; readonly place: Place; readonly business: string }): VNode => {
  switch (bubble._tag) {
    case 'Note': return <li class={bubble.isBad ? 'aside bad' : 'aside'}><span>{bubble.text}</span></li>
    case 'Theirs': return (
      <li class="bubble theirs" id={elementId(bubble.id)}>
        <span class="away">{`${business}: `}</span>
        <Message content={bubble.content} buttonOf={(button, index) => <TemplateButton button={button} place={place} message={bubble.id} index={index} />} />
        {bubble.content.cards.length > 0 && (
          <ol class="cards">
            {bubble.content.cards.map((card, at) => (
              <li key={at}>
                <Message content={card} buttonOf={(button, index) => <TemplateButton button={button} place={place} message={bubble.id} index={index} card={at} />} />
              </li>
            ))}
          </ol>
        )}
        <Foot at={bubble.at} tick={bubble.tick} />
        {bubble.failure !== undefined && <p class="failure">{`Failed, ${bubble.failure}. A real phone would not show this message.`}</p>}
      </li>
    )
    case 'Mine': return (
      <li class="bubble mine" id={elementId(bubble.id)}>
        <span class="away">Customer: </span>
        {bubble.isPicture && bubble.mediaId !== undefined && <img src={`/_simulator/phone/media/${bubble.mediaId}`} alt="The picture that was sent" />}
        {bubble.said.what !== undefined && <p class="what">{bubble.said.what}</p>}
        {bubble.said.text !== '' && <p>{bubble.said.text}</p>}
        <Foot at={bubble.at} tick={bubble.tick} />
      </li>
    )
  }
}

/** Ids of messages have characters that selectors would need escaped. */
const elementId = (id: string): string => `m-${id.replace(/[^\w-]/g, '-')}`

const Message = ({ content: { header, body, footer, buttons }, buttonOf }: {
  readonly content: Content; readonly buttonOf: (button: ShownButton, index: number) => ComponentChildren
}): VNode => (
  <>
    {header !== undefined && <p class="head">{header}</p>}
    {body !== '' && <p>{body}</p>}
    {footer !== undefined && <p class="foot">{footer}</p>}
    {buttons.length > 0 && <ul class="buttons">{buttons.map((button, index) => <li key={index}>{buttonOf(button, index)}</li>)}</ul>}
  </>
)

const SIGNS: Partial<Record<ShownButton['kind'], string>> = { URL: '↗', PHONE_NUMBER: '✆', COPY_CODE: '⧉', FLOW: '☰' }

/** A quick reply can be tapped; other buttons lead out of the chat, so they do nothing here. */
const TemplateButton = ({ button: { text, payload, kind }, place, message, index, card }: {
  readonly button: ShownButton; readonly place: Place; readonly message: string; readonly index: number; readonly card?: number
}): VNode =>
  payload === undefined
    ? <span class="inert" title="It leads out of the chat, so it does nothing here">{`${SIGNS[kind] ?? '▸'} ${text}`}</span>
    : (
      <ActForm act="tap" place={place}>
        <input type="hidden" name="message" value={message} />
        <input type="hidden" name="button" value={index} />
        {card !== undefined && <input type="hidden" name="card" value={card} />}
        <button class="tap">{`↩ ${text}`}</button>
      </ActForm>
    )

const TICKS: Readonly<Record<Tick, readonly [sign: string, word: string]>> = {
  accepted: ['◷', 'accepted'], sent: ['✓', 'sent'], delivered: ['✓✓', 'delivered'], read: ['✓✓', 'read'], failed: ['✕', 'failed'],
  unheard: ['✓', 'not reported'],
}

const Foot = ({ at, tick }: { readonly at: number; readonly tick: Tick }): VNode => {
  const [sign, word] = TICKS[tick]
  return (
    <p class="meta">
      <time dateTime={new Date(at).toISOString()}>{new Date(at).toTimeString().slice(0, 5)}</time>
      <span class={`tick ${tick}`}><span aria-hidden="true">{sign}</span>{` ${word}`}</span>
    </p>
  )
}

const MINUTE_MS = 60_000
const DAY_MINUTES = WINDOW_MS / MINUTE_MS

/** The phone of one customer: who it is, the conversation, and what the customer can do. */
export const PhoneColumn = ({ phone, view, now, isFresh }: {
  readonly phone: Phone; readonly view: View; readonly now: number
  /** Whether the field for the next message gets the focus, as after a message was sent. */
  readonly isFresh: boolean
}): VNode => {
  const { key, index, name, customer: { number, username, isNumberHidden, hasStoppedMarketing, isGone } } = phone
  const place: Place = { view, customer: key }
  const id = (part: string): string => `${part}-${index}`
  const numberText = number === undefined ? 'no number' : `+${number}`
  return (
    <section class="phone" id={id('phone')} aria-labelledby={id('name')}>
      <header class="who">
        <span class="face" aria-hidden="true">{name.slice(0, 1).toUpperCase()}</span>
        <div>
          <h2 id={id('name')}>{name}</h2>
          <p>{isNumberHidden ? `${username ?? ''} (number hidden)` : numberText}</p>
        </div>
      </header>
      <Window closesAt={phone.closesAt} now={now} />
      <div class="chat" role="log" aria-label={`Chat of ${name}`} tabindex={0}>
        <ol>
          {phone.bubbles.length === 0 && <li class="aside"><span>Nothing yet. Write to the business below.</span></li>}
          {phone.bubbles.map((bubble, at) => <BubbleItem key={at} bubble={bubble} place={place} business="Business" />)}
          {phone.isBusinessTyping && <li class="bubble theirs typing">The business is typing<span class="dots" aria-hidden="true"><i /><i /><i /></span></li>}
        </ol>
      </div>
      <div class="compose" id={`${id('compose')}-${phone.written}`}>
        <ActForm act="write" place={place} class="write">
          <input
            id={`${id('text')}-${phone.written}`} name="text" type="text" placeholder="Message" aria-label={`Message of ${name}`}
            maxlength={4096} autocomplete="off" required {...(isFresh && { 'data-fresh': true })}
          />
          <button aria-label={`Send as ${name}`}>Send</button>
        </ActForm>
        <details>
          <summary aria-label={`Attach, as ${name}`}>Attach</summary>
          <ActForm act="attach" place={place} hasFile>
            <Choice id={`${id('type')}-${phone.written}`} name="type" label="What" options={[...Object.entries(INBOUND_TYPES), [OWN_FILE, 'A file of my own']]} />
            <div>
              <label for={`${id('file')}-${phone.written}`}>A file, instead of the sample</label>
              <input id={`${id('file')}-${phone.written}`} name="file" type="file" />
            </div>
            <div>
              <label for={`${id('caption')}-${phone.written}`}>Text, where it has one</label>
              <input id={`${id('caption')}-${phone.written}`} name="text" maxlength={4096} autocomplete="off" />
            </div>
            <button class="plain">Send it</button>
          </ActForm>
        </details>
        <details>
          <summary aria-label={`My number and my wishes, as ${name}`}>My number</summary>
          <p class="soft">The business knows me by {isNumberHidden || number === undefined ? '' : `${numberText} and by `}<code>{phone.userId}</code>.</p>
          {isGone && <p class="soft">The number belongs to another person now, so nothing reaches me.</p>}
          <ActForm act={isNumberHidden ? 'show-number' : 'hide-number'} place={place}>
            <button class="plain">{isNumberHidden ? 'Show my number' : 'Hide my number'}</button>
          </ActForm>
          <ActForm act="change-number" place={place} class="row">
            <Line id={id('number')} name="number" label="New number" maxLength={24} isTel />
            <button class="plain">Change my number</button>
          </ActForm>
          <ActForm act={hasStoppedMarketing ? 'resume-marketing' : 'stop-marketing'} place={place}>
            <button class="plain">{hasStoppedMarketing ? 'Take offers again' : 'Stop offers'}</button>
          </ActForm>
        </details>
      </div>
    </section>
  )
}

/** Whether the business may write what it likes, and for how long. */
const Window = ({ closesAt, now }: { readonly closesAt: number | undefined; readonly now: number }): VNode => {
  if (closesAt === undefined) {
    return <p class="window closed"><strong>Window closed.</strong> The business can send templates only, until the customer writes.</p>
  }
  const minutes = Math.ceil((closesAt - now) / MINUTE_MS)
  return (
    <div class="window open">
      <p><strong>Window open:</strong> {`the business can write freely for ${Math.floor(minutes / 60)}\u00a0h ${minutes % 60}\u00a0min.`}</p>
      <progress max={DAY_MINUTES} value={Math.min(minutes, DAY_MINUTES)} aria-label="What is left of the window" />
    </div>
  )
}
