import type { Customer } from '../customers.js'
import type { Form } from '../forms.js'
import { fieldOf } from '../graph/rules.js'
import { parseJson } from '../http.js'
import { digitsOf } from '../ids.js'
import type { Settings, SettingsChange } from '../settings.js'
import { conversationOf, isPhoneNumberId, type SimulatorState, userIdFor, waIdFor } from '../state.js'
import type { CustomerMessage } from '../webhooks/customer-message.js'
import { changeNumber, chooseMarketing, sharedContact } from '../webhooks/customer-updates.js'
import { type AcceptedMessage, reportInbound, reportPlayed } from '../webhooks/report.js'
import type { BusinessEntry } from './chat-log.js'
import { type Content, contentOfEntry, type ShownButton } from './content.js'
import { attachmentOf } from './inbound.js'
import { WINDOW_MS } from './phones.js'
import type { View } from './view.js'

/** A behaviour of the platform, and the name of its fault; undefined if the platform works normally. */
export type FaultChoice = { readonly id: string; readonly label: string; readonly fault: string | undefined }

/** The responses that the business can get when it sends. */
export const ANSWERS: ReadonlyArray<FaultChoice> = [
  { id: 'usual', label: 'Accepts it', fault: undefined },
  { id: 'throttle', label: 'Throttles: too many messages (130429)', fault: 'refused130429' },
  { id: 'refuse', label: 'Refuses: undeliverable (131026)', fault: 'refused131026' },
  { id: 'hang', label: 'Hangs: takes nothing and never answers', fault: 'hang' },
  { id: 'lose', label: 'Delivers it, and its answer is lost', fault: 'resetAfter' },
  { id: 'slow', label: 'Delivers it, and answers too late', fault: 'late' },
]

/** The ways in which the business is notified of the status of a message. */
export const STATUSES: ReadonlyArray<FaultChoice> = [
  { id: 'usual', label: 'Come in order', fault: undefined },
  { id: 'late', label: 'Come late: ten times as slow', fault: 'delayed' },
  { id: 'twice', label: 'Come twice', fault: 'duplicateStatuses' },
  { id: 'disorder', label: 'Come out of order', fault: 'deliveredBeforeSent' },
  { id: 'silent', label: 'Never come', fault: 'silent' },
  { id: 'failed', label: 'Say that it failed (131026)', fault: 'failed131026' },
]

/** The settings that apply two choices to every request; undefined if one of them does not exist. */
export const faultsChange = (answer: string, status: string): SettingsChange | undefined => {
  const chosen = [ANSWERS.find(({ id }) => id === answer), STATUSES.find(({ id }) => id === status)]
  if (chosen.includes(undefined)) return undefined
  return { rates: Object.fromEntries(chosen.flatMap((choice) => (choice?.fault === undefined ? [] : [[choice.fault, 1]]))) }
}

/** The choice that applies to every request now; the first one if there is none. */
export const chosenOf = (choices: ReadonlyArray<FaultChoice>, { rates }: Settings): string =>
  choices.find(({ fault }) => fault !== undefined && rates[fault] === 1)?.id ?? 'usual'

/** Why the page refused an action, in one sentence for the page. */
export type Problem = { readonly status: number; readonly sentence: string }

/** The arguments of an action. */
type Asked = { readonly state: SimulatorState; readonly form: Form; readonly business: string; readonly view: View }

/** Performs an action; the result is the view to show next, or the problem. */
type Act = (asked: Asked) => View | Problem | Promise<View | Problem>

const LONGEST_TEXT = 4096
const LONGEST_NAME = 60

const problem = (sentence: string, status = 400): Problem => ({ status, sentence })

/** Performs the action with a name; the business number is the one for which the form was created. */
export const runAct = async (state: SimulatorState, name: string, form: Form, view: View): Promise<View | Problem> => {
  const act = Object.hasOwn(ACTS, name) ? ACTS[name] : undefined
  if (act === undefined) return problem('The phone knows no such act.', 404)
  const given = form.fields['business'] ?? ''
  return act({ state, form, view, business: isPhoneNumberId(state, given) ? given : view.business })
}

/** An action of a customer; the form contains the customer's key. */
const asCustomer = (act: (asked: Asked & { readonly customer: Customer }) => string | undefined): Act => (asked) => {
  const customer = asked.state.customers.withKey(asked.form.fields['customer'] ?? '')
  if (customer === undefined) return problem('There is no such customer any more; reload the page.', 404)
  const wrong = act({ ...asked, customer })
  return wrong === undefined ? asked.view : problem(wrong)
}

/** Sends a message; it has already been checked. */
const send = ({ state, business, customer }: Asked & { readonly customer: Customer }, message: CustomerMessage): undefined => {
  const name = state.people.isKnown(customer.key) ? { name: state.people.nameOf(customer.key) } : {}
  reportInbound(state, business, customer, { ...message, ...name })
  state.people.wrote(customer.key)
}

const note = ({ state, business, customer }: Asked & { readonly customer: Customer }, text: string): void =>
  state.chats.add({ _tag: 'Note', at: Date.now(), conversation: conversationOf(business, customer), text })

const tooLong = (text: string): string | undefined =>
  (text.length > LONGEST_TEXT ? `The text has ${text.length} characters; ${LONGEST_TEXT} are the most.` : undefined)

/** The message of the business that an action refers to. */
const sentTo = ({ state, business, form, customer }: Asked & { readonly customer: Customer }): BusinessEntry | undefined => {
  const entry = state.chats.sent(form.fields['message'] ?? '')
  return entry?.conversation === conversationOf(business, customer) ? entry : undefined
}

/** The tapped button or row; the form contains its position in the message or in one of its cards. */
const tapped = (content: Content, { card, row, button }: Form['fields']): ShownButton | undefined => {
  const part = card === undefined ? content : content.cards[Number(card)]
  return row === undefined ? part?.buttons[Number(button ?? NaN)] : part?.list?.sections.flatMap(({ rows }) => rows)[Number(row)]
}

const playedMessage = ({ business, customer }: Asked & { readonly customer: Customer }, { id, body }: BusinessEntry): AcceptedMessage => {
  const request = parseJson(body)
  const callback = fieldOf(request, 'biz_opaque_callback_data')
  return {
    wamid: id, customer, phoneNumberId: business, template: undefined, isToUserId: fieldOf(request, 'to') === undefined,
    callback: typeof callback === 'string' ? callback : undefined,
  }
}

const ACTS: Readonly<Record<string, Act>> = {
  write: asCustomer((asked) => {
    const text = asked.form.fields['text']?.trim() ?? ''
    if (text === '') return 'Write something first.'
    return tooLong(text) ?? send(asked, { text })
  }),
  attach: asCustomer((asked) => {
    const { state, business, form, customer } = asked
    const message = attachmentOf(form, state.chats.all(), conversationOf(business, customer))
    if (typeof message === 'string') return message
    return tooLong(message.text ?? '') ?? send(asked, message)
  }),
  tap: asCustomer((asked) => {
    const { state, form: { fields }, customer } = asked
    const entry = sentTo(asked)
    if (entry === undefined) return 'This message is no longer known, so its button cannot be tapped.'
    const answer = tapped(contentOfEntry(entry, state.media.find), fields)?.answer
    if (answer === undefined) return 'Only a reply can be tapped.'
    if (answer.type !== 'contacts') return send(asked, { ...answer, reply_to: entry.id })
    if (customer.number === undefined) return 'There is no number to share.'
    return send(asked, {
      ...answer, reply_to: entry.id, fields: { contacts: [sharedContact(state.people.nameOf(customer.key), customer.number)] },
    })
  }),
  play: asCustomer((asked) => {
    const entry = sentTo(asked)
    if (entry === undefined || contentOfEntry(entry, asked.state.media.find).media?.isVoice !== true) {
      return 'Only a voice message can be played.'
    }
    if (!entry.statuses.some((status) => status === 'delivered' || status === 'read')) return 'The voice message has not arrived yet.'
    if (entry.statuses.includes('played')) return undefined
    reportPlayed(asked.state, playedMessage(asked, entry))
    return undefined
  }),
  'hide-number': asCustomer((asked) => {
    const { state, business, customer } = asked
    state.customers.hideNumber(customer)
    note(asked, `The number is hidden. The business sees ${customer.username ?? ''} and ${userIdFor(state, business, customer)} from now on.`)
    return undefined
  }),
  'show-number': asCustomer((asked) => {
    asked.state.customers.showNumber(asked.customer)
    note(asked, 'The number is shown to the business again.')
    return undefined
  }),
  'change-number': asCustomer((asked) => {
    const { state, business, customer, form } = asked
    const digits = digitsOf(form.fields['number'] ?? '')
    if (digits === undefined) return 'The new number needs its country code and digits only, such as +1 555 010 0999.'
    const number = waIdFor(state, digits)
    if (number === customer.number) return 'That is the number already.'
    changeNumber(number)(state, customer, { phoneNumberId: business })
    note(asked, `The number is +${number} from now on; the business gets a notification.`)
    return undefined
  }),
  'stop-marketing': asCustomer((asked) => {
    chooseMarketing('stop')(asked.state, asked.customer, { phoneNumberId: asked.business })
    note(asked, 'No more offers, please: marketing templates fail from now on; the business gets a notification.')
    return undefined
  }),
  'resume-marketing': asCustomer((asked) => {
    chooseMarketing('resume')(asked.state, asked.customer, { phoneNumberId: asked.business })
    note(asked, 'Offers are welcome again; the business gets a notification.')
    return undefined
  }),
  add: ({ state, form: { fields }, business, view }) => {
    const digits = digitsOf(fields['number'] ?? '')
    const name = fields['name']?.trim() ?? ''
    if (digits === undefined) return problem('A number needs its country code and digits only, such as +1 555 010 0999.')
    if (name === '' || name.length > LONGEST_NAME) return problem(`A name has 1 to ${LONGEST_NAME} characters.`)
    const customer = state.customers.withNumber(waIdFor(state, digits))
    state.people.rename(customer.key, name)
    note({ state, form: { fields, file: undefined }, business, view, customer }, 'A new phone. Write to the business below.')
    return view.customers.length === 0 ? view : { ...view, customers: [customer.key, ...view.customers] }
  },
  skip: async ({ state, view }) => {
    try {
      await state.skip(WINDOW_MS)
      return view
    } catch {
      return problem('The simulator skipped a day, but the business did not.', 500)
    }
  },
  faults: ({ state, form: { fields }, view }) => {
    const change = faultsChange(fields['answer'] ?? '', fields['statuses'] ?? '')
    if (change === undefined) return problem('Choose one of the ways that are offered.')
    state.change(change)
    return view
  },
}
