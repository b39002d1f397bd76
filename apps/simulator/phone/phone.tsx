import type { VNode } from 'preact'
import { INBOUND_TYPES, OWN_FILE } from './inbound.js'
import { BubbleItem } from './message.js'
import { ActForm, Choice, Line, type Place } from './panel.js'
import { type Phone, WINDOW_MS } from './phones.js'
import type { View } from './view.js'

const MINUTE_MS = 60_000
const DAY_MINUTES = WINDOW_MS / MINUTE_MS

/** The phone of one customer: the person, the conversation, and the customer's actions. */
export const PhoneColumn = ({ phone, view, now, fresh }: {
  readonly phone: Phone; readonly view: View; readonly now: number
  /** The customer whose message field gets the focus, such as after sending a message, or the voice message that is being played. */
  readonly fresh: string | undefined
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
      <Window phone={phone} now={now} />
      <div class="chat" role="log" aria-label={`Chat of ${name}`} tabindex={0}>
        <ol>
          {phone.bubbles.length === 0 && <li class="aside"><span>Nothing yet. Write to the business below.</span></li>}
          {phone.bubbles.map((bubble, at) => <BubbleItem key={at} bubble={bubble} place={place} business="Business" fresh={fresh} />)}
          {phone.isBusinessTyping && (
            <li class="bubble theirs typing">The business is typing<span class="dots" aria-hidden="true"><i /><i /><i /></span></li>
          )}
        </ol>
      </div>
      <div class="compose" id={`${id('compose')}-${phone.written}`}>
        <ActForm act="write" place={place} class="write">
          <input
            id={`${id('text')}-${phone.written}`} name="text" type="text" placeholder="Message" aria-label={`Message of ${name}`}
            maxlength={4096} autocomplete="off" required {...(fresh === key && { 'data-fresh': true })}
          />
          <button aria-label={`Send as ${name}`}>Send</button>
        </ActForm>
        <details>
          <summary aria-label={`Attach, as ${name}`}>Attach</summary>
          <ActForm act="attach" place={place} hasFile>
            <Choice
              id={`${id('type')}-${phone.written}`} name="type" label="What"
              options={[...Object.entries(INBOUND_TYPES), [OWN_FILE, 'A file of my own']]}
            />
            <div>
              <label for={`${id('file')}-${phone.written}`}>A file, instead of the sample</label>
              <input id={`${id('file')}-${phone.written}`} name="file" type="file" />
            </div>
            <div>
              <label for={`${id('caption')}-${phone.written}`}>Text, if any</label>
              <input id={`${id('caption')}-${phone.written}`} name="text" maxlength={4096} autocomplete="off" />
            </div>
            <button class="plain">Send it</button>
          </ActForm>
        </details>
        <details>
          <summary aria-label={`My number and my wishes, as ${name}`}>My number</summary>
          <p class="soft">
            The business knows me by {isNumberHidden || number === undefined ? '' : `${numberText} and by `}<code>{phone.userId}</code>.
          </p>
          {isGone && <p class="soft">The number now belongs to another person, so I receive no messages.</p>}
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

/** Whether the business may send free-form messages, and for how long. */
const Window = ({ phone: { closesAt, ignoresWindows }, now }: { readonly phone: Phone; readonly now: number }): VNode => {
  if (closesAt === undefined) {
    return (
      <p class="window closed">
        <strong>Window closed.</strong> {ignoresWindows
          ? <>
              The platform would accept templates only, until the customer writes. This simulator accepts texts too, because its
              setting <code>windows</code> is <code>ignored</code>.
            </>
          : 'The business can send templates only, until the customer writes.'}
      </p>
    )
  }
  const minutes = Math.ceil((closesAt - now) / MINUTE_MS)
  return (
    <div class="window open">
      <p><strong>Window open:</strong> {`the business can write freely for ${Math.floor(minutes / 60)}\u00a0h ${minutes % 60}\u00a0min.`}</p>
      <progress max={DAY_MINUTES} value={Math.min(minutes, DAY_MINUTES)} aria-label="What is left of the window" />
    </div>
  )
}
