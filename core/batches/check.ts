import * as E from 'fp-ts/lib/Either.js'
import { type CustomerId, parseCustomerId, recordKeyOf } from '../customers/customer.js'
import { type GivenHours, type Hours, type InvalidHours, parseHours } from '../customers/hours.js'
import type { PortFailure } from '../kernel/failure.js'
import { type Metadata, templateMessage, type TemplateMessage } from '../messages/message.js'
import { isMetadata } from '../messages/metadata.js'
import type { Rate } from '../money/rate-card.js'
import { prepare, type PrepareDeps, type PrepareTemplateError } from '../sending/prepare.js'
import { zonesFor } from '../sending/timing.js'
import type { Batch, Batches, CheckedLine, LineProblemCode, LineRate, PricePart, StoredLine } from './batch.js'

/** What a check of a batch found. */
export type Checked = {
  readonly recipients: number
  /** The number of lines without a problem, and what they cost. */
  readonly sendable: number
  readonly total: bigint
  readonly parts: ReadonlyArray<PricePart>
  /** The problems, the most frequent one first. */
  readonly problems: ReadonlyArray<FoundProblem>
}

/** The lines with one problem: their number, and the numbers of the first `MAX_SHOWN` of them. */
export type FoundProblem = { readonly code: LineProblemCode; readonly count: number; readonly lines: ReadonlyArray<number> }

/** The maximum number of lines that are named for each problem. */
const MAX_SHOWN = 10

/** Why a batch cannot be checked: the same holds for each of its lines. */
export type CheckError = Exclude<PrepareTemplateError, LineRefusal> | BatchChanged | PortFailure

/** Another request has changed the batch since. */
export type BatchChanged = { readonly _tag: 'BatchChanged' }

/** What a check needs. */
export type CheckDeps = PrepareDeps & { readonly batches: Pick<Batches, 'lines' | 'noteChecked'> }

/** How many lines are checked at the same time. */
const BLOCK = 1_000

/**
 * Checks and prices every line of a draft as a send of it would be, and stores the results. Lines with a problem are left out of the sum. A second line to a customer is a problem, in
 * whichever form it has the number.
 */
export const checkBatch = async (deps: CheckDeps, batch: Batch): Promise<E.Either<CheckError, Checked>> => {
  const of = { workspace: batch.workspace, batch: batch.id }
  const [sum, seen] = [makeSum(), new Set<string>()]
  for (let after = 0; ;) {
    const lines = await deps.batches.lines(of, batch.upload, { after, limit: BLOCK })
    if (E.isLeft(lines)) return lines
    const last = lines.right.at(-1)
    if (last === undefined) return E.right(sum.result())
    const checked = E.sequenceArray(await Promise.all(unique(lines.right, seen).map((line) => checkLine(deps, batch, line))))
    if (E.isLeft(checked)) return checked
    const noted = await deps.batches.noteChecked(of, batch.upload, checked.right)
    if (E.isLeft(noted)) return noted
    if (!noted.right) return E.left({ _tag: 'BatchChanged' })
    for (const one of checked.right) sum.add(one)
    after = last.line
  }
}

/** A line, and whether an earlier one has the same customer. */
type UniqueLine = StoredLine & { readonly isDouble: boolean }

const unique = (lines: ReadonlyArray<StoredLine>, seen: Set<string>): ReadonlyArray<UniqueLine> =>
  lines.map((line) => {
    const to = parseCustomerId(line.to)
    const key = E.isRight(to) && !isUnreadable(line) ? recordKeyOf(to.right) : undefined
    const isDouble = key !== undefined && seen.has(key)
    if (key !== undefined) seen.add(key)
    return { ...line, isDouble }
  })

const checkLine = async (deps: CheckDeps, batch: Batch, line: UniqueLine): Promise<E.Either<CheckError, CheckedLine>> => {
  const fault = faultOf(batch, line)
  if (fault !== undefined) return E.right({ line: line.line, problem: fault })
  const { workspace, sender } = batch
  const prepared = await prepare(deps, { workspace, sender, message: messageOf(batch, line) })
  if (E.isRight(prepared)) return E.right({ line: line.line, rate: lineRateOf(prepared.right.price) })
  const problem = problemOf(prepared.left)
  return problem === undefined ? E.left(prepared.left as CheckError) : E.right({ line: line.line, problem })
}

const lineRateOf = ({ micros, category, cost, market }: Rate): LineRate =>
  ({ micros, category, ...(cost !== undefined && { cost }), ...(market !== undefined && { market }) })

/** The problem of a line that can be found without the template; `undefined` if it has none. */
const faultOf = (batch: Batch, line: UniqueLine): LineProblemCode | undefined => {
  if (isUnreadable(line)) return line.problem
  const to = parseCustomerId(line.to)
  if (E.isLeft(to)) return 'invalid_phone_number'
  if (line.isDouble) return 'duplicate_recipient'
  if (!isMetadata(notesOf(batch, line))) return 'too_much_metadata'
  const hours = hoursOf(batch, line)
  if (hours === undefined) return undefined
  return E.isLeft(hours) || E.isLeft(zonesFor(hours.right, to.right)) ? 'timezone_unknown' : undefined
}

/** The problems that a check finds. Another one was found when the file was read, and stays. */
const CHECKED_PROBLEMS = {
  PhoneNumberRequired: 'phone_number_required', CustomerOptedOut: 'customer_opted_out', ConsentRequired: 'consent_required',
  TemplateParameters: 'template_parameters',
} as const satisfies Readonly<Record<LineRefusal['_tag'], LineProblemCode>>

const OTHER_PROBLEMS: ReadonlyArray<LineProblemCode> = [
  'invalid_phone_number', 'duplicate_recipient', 'too_much_metadata', 'timezone_unknown',
]

/** The refusals that concern a line alone. */
export type LineRefusal = { readonly _tag: 'PhoneNumberRequired' | 'CustomerOptedOut' | 'ConsentRequired' | 'TemplateParameters' }

const problemOf = ({ _tag }: { readonly _tag: string }): LineProblemCode | undefined =>
  Object.entries(CHECKED_PROBLEMS).find(([tag]) => tag === _tag)?.[1]

const isUnreadable = ({ problem }: StoredLine): boolean =>
  problem !== undefined && !OTHER_PROBLEMS.includes(problem) && !Object.values<LineProblemCode>(CHECKED_PROBLEMS).includes(problem)

/** The hours of a line: those of its batch, in the time zone that the line names, if it names one. */
export const hoursOf = (
  { timing: { hours } }: Batch, { content }: Pick<StoredLine, 'content'>,
): E.Either<InvalidHours, Hours> | undefined => {
  if (hours === undefined) return undefined
  const { timezone = 'customer' } = hours
  const given: GivenHours = timezone === 'customer' && content?.timezone !== undefined ? { ...hours, timezone: content.timezone } : hours
  return parseHours(given)
}

/** The message of a line. */
export const messageOf = (batch: Batch, line: StoredLine): TemplateMessage => {
  const { templateName, language } = batch
  const { to, content } = line
  const notes = notesOf(batch, line)
  return templateMessage({
    // A line whose customer is not valid is never sent.
    to: to as CustomerId, name: templateName, language, ...(content?.components && { components: content.components }),
    ...(Object.keys(notes).length > 0 && { metadata: notes }),
  })
}

/** The notes of a line in addition to those of its batch. Together they must keep the limits of a message. */
const notesOf = ({ metadata }: Batch, { content }: Pick<StoredLine, 'content'>): Metadata => ({ ...metadata, ...content?.metadata })

const makeSum = () => {
  const [parts, problems] = [new Map<string, PricePart>(), new Map<LineProblemCode, FoundProblem>()]
  let [recipients, sendable, total] = [0, 0, 0n]
  return {
    add: ({ line, problem, rate }: CheckedLine): void => {
      recipients += 1
      if (problem !== undefined) {
        const { count, lines } = problems.get(problem) ?? { count: 0, lines: [] }
        problems.set(problem, { code: problem, count: count + 1, lines: lines.length < MAX_SHOWN ? [...lines, line] : lines })
        return
      }
      const { category, market, micros } = rate
      const key = `${category} ${market ?? ''}`
      const part = parts.get(key) ?? { category, ...(market !== undefined && { market }), lines: 0, micros: 0n }
      parts.set(key, { ...part, lines: part.lines + 1, micros: part.micros + micros })
      sendable += 1
      total += micros
    },
    result: (): Checked => ({
      recipients, sendable, total, parts: [...parts.values()].sort((a, b) => Number(b.micros - a.micros)),
      problems: [...problems.values()].sort((a, b) => b.count - a.count),
    }),
  }
}
