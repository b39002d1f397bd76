import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import type { MessageState } from '../../core/delivery.js'
import { isDeeperThan, type JsonObject } from '../../core/json.js'
import { MAX_TEMPLATE_NAME_LENGTH, MAX_TEXT_LENGTH } from '../../core/message.js'

/** What stands in a form for a field that came as a file. */
export const A_FILE = Symbol('a file')

/** How a rule reads after "must be", and whether a string keeps it. */
type Rule = readonly [sentence: string, holds: (value: string) => boolean]

/** The longest language of a template. */
export const MAX_LANGUAGE_LENGTH = 64

/** How many levels of arrays and objects the components of a template may have. */
export const MAX_NESTING = 100

const ofLength = (most: number): Rule => [`a string of 1 to ${most} characters`, ({ length }) => length >= 1 && length <= most]
const wellFormed: Rule = ['well-formed Unicode', (value) => !/\p{Surrogate}/u.test(value)]
const withoutControls: Rule = ['without control characters', (value) => !/\p{Control}/u.test(value)]
const notEmpty: Rule = ['a string that is not empty', (value) => value !== '']

/** A string under rules; the first one broken is what the error says. */
const text = (...rules: ReadonlyArray<Rule>): t.Type<string> =>
  new t.Type(
    'a string',
    (value): value is string => typeof value === 'string' && rules.every(([, holds]) => holds(value)),
    (value, context) => {
      if (value === A_FILE) return t.failure(value, context, 'a text field, not a file')
      if (typeof value !== 'string') return t.failure(value, context, 'a string')
      const broken = rules.find(([, holds]) => !holds(value))
      return broken === undefined ? t.success(value) : t.failure(value, context, broken[0])
    },
    t.identity,
  )

/** A codec that also takes absence, and says no more than the codec itself where neither is the case. */
const optional = <A>(codec: t.Type<A, unknown>): t.Type<A | undefined, unknown> =>
  new t.Type(
    codec.name,
    (value): value is A | undefined => value === undefined || codec.is(value),
    (value, context) => (value === undefined ? t.success(undefined) : codec.validate(value, context)),
    t.identity,
  )

const OtherParameter = t.type({ type: text() }, 'an object')
const TextParameter = t.type({ type: t.literal('text'), text: text() }, 'an object')

/** A variable of a template, whose text has to be a string where its type says that it is one. */
const Parameter = new t.Type<t.TypeOf<typeof OtherParameter>, unknown>(
  'an object',
  (value): value is t.TypeOf<typeof OtherParameter> => E.isRight(Parameter.decode(value)),
  (value, context) =>
    (OtherParameter.is(value) && value.type === 'text' ? TextParameter : OtherParameter).validate(value, context),
  t.identity,
)

const Component = t.type({ type: text(), parameters: optional(t.array(Parameter, 'an array of objects')) }, 'an object')

/** A template's components: looked at, and passed on as they came. They come out of JSON, so their objects are JSON objects. */
const Components = new t.Type<ReadonlyArray<JsonObject>, unknown>(
  'an array of objects',
  (value): value is ReadonlyArray<JsonObject> => E.isRight(Components.decode(value)),
  (value, context) =>
    isDeeperThan(MAX_NESTING, value)
      ? t.failure(value, context, `nested at most ${MAX_NESTING} levels deep`)
      : pipe(t.array(Component, 'an array of objects').validate(value, context), E.map(() => value as ReadonlyArray<JsonObject>)),
  t.identity,
)

/** The body of send-text; whether `to` is a phone number is for core to say. */
export const TextBody = t.strict({
  to: text(notEmpty),
  text: text(ofLength(MAX_TEXT_LENGTH), wellFormed),
})

/** The body of send-template. A name or language is stored, and not every database stores control characters. */
export const TemplateBody = t.strict({
  to: text(notEmpty),
  template_name: text(ofLength(MAX_TEMPLATE_NAME_LENGTH), wellFormed, withoutControls),
  language: optional(text(ofLength(MAX_LANGUAGE_LENGTH), wellFormed, withoutControls)),
  components: optional(Components),
})

const STATES: Readonly<Record<MessageState, true>> = {
  pending: true, accepted: true, sent: true, delivered: true, read: true,
  failed: true, refused: true, unconfirmed: true, released: true,
}

const isState = (value: unknown): value is MessageState => typeof value === 'string' && Object.hasOwn(STATES, value)

const State = new t.Type<MessageState, string>(
  `one of ${Object.keys(STATES).join(', ')}`,
  isState,
  (value, context) => (isState(value) ? t.success(value) : t.failure(value, context)),
  t.identity,
)

const page = {
  limit: optional(text(['a whole number from 1 to 100', (value) => /^(?:[1-9][0-9]?|100)$/.test(value)])),
  cursor: optional(text(['a next_cursor of this list', (value) => /^[!-~]{1,512}$/.test(value)])),
}

/** Which part of a list is asked for. */
export const PageParameters = t.strict(page)

/** Which messages are asked for. */
export const MessagesParameters = t.strict({ ...page, to: optional(text()), state: optional(State) })
