/**
 * A place of a template that a send fills.
 *
 * `index` counts from 1 in its component for a variable of a text, `name` names it where the template's variables are named. `button` is the position
 * of the button, counted from 0 as the platform does; `card` is that of the carousel's card, counted from 0.
 */
export type Placeholder = {
  readonly component: 'header' | 'body' | 'button' | 'limited_time_offer'
  /** What fills it: the type of the parameter, such as `text`, `image`, `location`, `coupon_code`, `payload` or `action`. */
  readonly type: string
  readonly index?: number
  readonly name?: string
  readonly button?: number
  readonly card?: number
  /** Set where a send may leave it out: the payload of a quick reply, the action of a flow. */
  readonly optional?: true
}
