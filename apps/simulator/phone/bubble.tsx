import type { ComponentChildren, VNode } from 'preact'
import { ActForm, type Place } from './form-parts.js'
import type { Bubble, Tick } from './phones.js'
import type { Content, ShownButton } from './template-content.js'

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
