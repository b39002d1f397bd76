import type { ComponentChildren, VNode } from 'preact'
import { plainType } from '../media-formats.js'
import {
  type Content, MEDIA_WORDS, type ShownButton, type ShownContact, type ShownList, type ShownMedia, type ShownPlace,
} from './content.js'
import { ActForm, type Place } from './panel.js'
import type { Bubble, Quote, Tick } from './phones.js'

/** One line of a conversation, as the customer sees it; `place` says whose phone it is, and `fresh` names the voice message that is being played. */
export const BubbleItem = ({ bubble, place, business, fresh }: {
  readonly bubble: Bubble; readonly place: Place; readonly business: string; readonly fresh: string | undefined
}): VNode => {
  switch (bubble._tag) {
    case 'Note': return <li class={bubble.isBad ? 'aside bad' : 'aside'}><span>{bubble.text}</span></li>
    case 'Theirs': return (
      <li class={bubble.content.media?.kind === 'sticker' ? 'bubble theirs bare' : 'bubble theirs'} id={elementId(bubble.id)}>
        <span class="away">{`${business}: `}</span>
        <QuoteLine quote={bubble.quote} />
        <Message content={bubble.content} of={{ place, message: bubble.id, tick: bubble.tick, isFresh: fresh === bubble.id }} />
        <Foot at={bubble.at} tick={bubble.tick} />
        {bubble.failure !== undefined && <p class="failure">{`Failed, ${bubble.failure}. A real phone would not show this message.`}</p>}
        <Reactions emojis={bubble.reactions} />
      </li>
    )
    case 'Mine': return (
      <li class="bubble mine" id={elementId(bubble.id)}>
        <span class="away">Customer: </span>
        <QuoteLine quote={bubble.quote} />
        {bubble.isPicture && bubble.mediaId !== undefined && <img src={fileAddress(bubble.mediaId)} alt="The picture that was sent" />}
        {bubble.said.what !== undefined && <p class="what">{bubble.said.what}</p>}
        {bubble.said.text !== '' && <p>{bubble.said.text}</p>}
        <Foot at={bubble.at} tick={bubble.tick} />
        <Reactions emojis={bubble.reactions} />
      </li>
    )
  }
}

/** Message ids contain characters that would need escaping in selectors. */
const elementId = (id: string): string => `m-${id.replace(/[^\w-]/g, '-')}`

const fileAddress = (id: string): string => `/_simulator/phone/media/${id}`

/** The message that a part is in, and the card, if it is in one. */
type Of = { readonly place: Place; readonly message: string; readonly tick: Tick; readonly isFresh: boolean; readonly card?: number }

const Message = ({ content, of }: { readonly content: Content; readonly of: Of }): VNode => {
  const { label, media, header, body, footer, place, contacts, buttons, list, cards } = content
  return (
    <>
      {label !== undefined && <p class="label">{label}</p>}
      {media !== undefined && <Media media={media} caption={body} of={of} />}
      {header !== undefined && <p class="head">{header}</p>}
      {place !== undefined && <PlaceCard place={place} />}
      {contacts.length > 0 && (
        <ul class="contacts">{contacts.map((contact, index) => <li key={index}><ContactCard contact={contact} /></li>)}</ul>
      )}
      {body !== '' && <p>{body}</p>}
      {footer !== undefined && <p class="foot">{footer}</p>}
      {buttons.length > 0 && (
        <ul class="buttons">
          {buttons.map((button, index) => <li key={index}><Button button={button} of={of} field="button" index={index} /></li>)}
        </ul>
      )}
      {list !== undefined && <Rows list={list} of={of} />}
      {cards.length > 0 && (
        <ol class="cards">{cards.map((card, at) => <li key={at}><Message content={card} of={{ ...of, card: at }} /></li>)}</ol>
      )}
    </>
  )
}

const SIGNS: Readonly<Record<ShownMedia['kind'], string>> = { image: '▧', video: '▶', audio: '♪', document: '▤', sticker: '☺' }

/** An upload is shown with its content. For an address only the address is shown, because nothing is fetched from it. */
const Media = ({ media: { kind, isVoice, name, file, link }, caption, of }: {
  readonly media: ShownMedia
  readonly caption: string
  readonly of: Of
}): VNode => {
  const word = isVoice ? 'Voice message' : MEDIA_WORDS[kind]
  if (isVoice && of.tick !== 'played') return <Unplayed of={of} />
  if (file !== undefined && kind !== 'document') {
    const src = fileAddress(file.id)
    switch (kind) {
      case 'image': return <img src={src} alt={caption === '' ? word : caption} />
      case 'sticker': return <img class="sticker" src={src} alt={word} />
      case 'video': return <video src={src} controls preload="metadata" aria-label={word} />
      case 'audio': return <audio src={src} controls preload="none" aria-label={word} {...(of.isFresh && { 'data-fresh': true })} />
    }
  }
  const address = file === undefined ? link : fileAddress(file.id)
  return (
    <div class="file">
      <span class="sign" aria-hidden="true">{SIGNS[kind]}</span>
      <div>
        <p class="what">{name ?? word}</p>
        {file !== undefined && <p class="foot">{`${plainType(file.type)}, ${sizeOf(file.size)}`}</p>}
        {address !== undefined
          && (file === undefined ? <Leads to={address}>{address}</Leads> : <a href={address} download={name ?? word}>Download</a>)}
        {address === undefined && <p class="foot">The file is no longer kept.</p>}
      </div>
    </div>
  )
}

const Leads = ({ to, children, class: className }: {
  readonly to: string
  readonly children: ComponentChildren
  readonly class?: string
}): VNode =>
  <a class={className} href={to} target="_blank" rel="noopener noreferrer">{children}</a>

/** The business is notified that a voice message was played. */
const Unplayed = ({ of: { place, message } }: { readonly of: Of }): VNode => (
  <ActForm act="play" place={place} class="voice">
    <input type="hidden" name="message" value={message} />
    <button class="tap" aria-label="Play the voice message">▶</button>
    <span class="wave" aria-hidden="true" />
    <span class="foot">Voice message</span>
  </ActForm>
)

const sizeOf = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

const PlaceCard = ({ place: { name, address, degrees } }: { readonly place: ShownPlace }): VNode => (
  <div class="place">
    <div class="map" aria-hidden="true"><span>◎</span></div>
    {name !== '' && <p class="what">{name}</p>}
    {address !== '' && <p>{address}</p>}
    <p class="foot">{degrees}</p>
  </div>
)

const ContactCard = ({ contact: { name, lines } }: { readonly contact: ShownContact }): VNode => (
  <div class="file">
    <span class="sign" aria-hidden="true">{[...name][0]?.toUpperCase()}</span>
    <div>
      <p class="what">{name}</p>
      {lines.map((line, index) => <p key={index} class="foot">{line}</p>)}
    </div>
  </div>
)

/** A list that opens and shows its rows in sections. */
const Rows = ({ list: { label, sections }, of }: { readonly list: ShownList; readonly of: Of }): VNode => {
  const before = sections.map((_, at) => sections.slice(0, at).reduce((count, { rows }) => count + rows.length, 0))
  return (
    <details class="rows">
      <summary>{`☰ ${label}`}</summary>
      {sections.map(({ title, rows }, at) => (
        <div key={at}>
          {title !== '' && <p class="section">{title}</p>}
          <ul class="buttons">
            {rows.map((row, index) => <li key={index}><Button button={row} of={of} field="row" index={(before[at] ?? 0) + index} /></li>)}
          </ul>
        </div>
      ))}
    </details>
  )
}

/** A button or a row; if it leads out of the chat, or to a feature that the simulator does not have, it does nothing here. */
const Button = ({ button: { sign, text, description, answer, url }, of: { place, message, card }, field, index }: {
  readonly button: ShownButton; readonly of: Of; readonly field: 'button' | 'row'; readonly index: number
}): VNode => {
  if (url !== undefined) return <Leads to={url} class="out">{`${sign} ${text}`}</Leads>
  if (answer === undefined) return <span class="inert" title="It leads out of the chat, so it does nothing here">{`${sign} ${text}`}</span>
  return (
    <ActForm act="tap" place={place}>
      <input type="hidden" name="message" value={message} />
      <input type="hidden" name={field} value={index} />
      {card !== undefined && <input type="hidden" name="card" value={card} />}
      <button class="tap">{`${sign} ${text}`}{description !== undefined && description !== '' && <small>{description}</small>}</button>
    </ActForm>
  )
}

const QuoteLine = ({ quote }: { readonly quote: Quote | undefined }): VNode | null =>
  (quote === undefined ? null : <blockquote class="quote"><b>{quote.isMine ? 'You' : 'Business'}</b>{quote.text}</blockquote>)

const Reactions = ({ emojis }: { readonly emojis: ReadonlyArray<string> }): VNode | null =>
  (emojis.length === 0 ? null : <p class="reactions"><span class="away">Reactions: </span>{emojis.join(' ')}</p>)

const TICKS: Readonly<Record<Tick, readonly [sign: string, word: string]>> = {
  accepted: ['◷', 'accepted'], sent: ['✓', 'sent'], delivered: ['✓✓', 'delivered'], read: ['✓✓', 'read'], played: ['✓✓', 'played'],
  failed: ['✕', 'failed'], unheard: ['✓', 'not reported'],
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
