import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as t from 'io-ts'
import type { InvalidParameter, MissingParameters } from './failures.js'

/** Reads parameters by a codec; of those named as required, one that is absent or empty is missing rather than invalid. */
export const decode =
  <A>(codec: t.Decoder<unknown, A>, required: ReadonlyArray<string> = []) =>
  (parameters: unknown): E.Either<MissingParameters | InvalidParameter, A> =>
    pipe(codec.decode(parameters), E.mapLeft(explain(required)))

const explain =
  (required: ReadonlyArray<string>) =>
  (errors: t.Errors): MissingParameters | InvalidParameter => {
    const isMissing = ({ value, context }: t.ValidationError): boolean =>
      (value === undefined || value === '') && required.includes(pathOf(context))
    const names = errors.filter(isMissing).map(({ context }) => pathOf(context))
    return names.length > 0
      ? { _tag: 'MissingParameters', names }
      : { _tag: 'InvalidParameter', sentence: Array.from(errors.slice(0, MOST_NAMED), sentenceOf).join('; ') }
  }

/** A body can break a rule thousands of times over; the first few are enough to go by. */
const MOST_NAMED = 5

const sentenceOf = ({ context, message }: t.ValidationError): string =>
  `${pathOf(context)} must be ${message ?? context.at(-1)?.type.name}`

/** Where in the parameters an error sits, such as `components[0].type`; the first key is the empty one of the root. */
const pathOf = (context: t.Context): string =>
  context
    .slice(1)
    .map(({ key }, depth) => (/^[0-9]+$/.test(key) ? `[${key}]` : `${depth === 0 ? '' : '.'}${key}`))
    .join('')
