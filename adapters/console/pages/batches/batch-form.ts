import * as E from 'fp-ts/lib/Either.js'
import { DEFAULT_BRAKE, MAX_BATCH_LINES } from '../../../../core/batches/batch.js'
import type { CreateBatchCommand } from '../../../../core/batches/use-cases.js'
import { type GivenHours, parseHours, WEEKDAYS } from '../../../../core/customers/hours.js'
import { HOUR_MS, type Instant } from '../../../../core/kernel/time.js'
import type { Metadata } from '../../../../core/messages/message.js'
import { isMetadata } from '../../../../core/messages/metadata.js'
import type { FormFields } from '../../form-body.js'
import { TEXTS } from '../../texts.js'
import { currentZone, parseMoment } from '../../zone.js'
import { type ChosenTemplate, readChoice } from './batches-section.js'

const { batches: texts } = TEXTS

/** The limits of the form. */
export const MAX_NAME = 100
const MAX_WAIT_HOURS = 168
const MAX_BRAKE_OF = 1_000
const WHOLE_PERCENT = 100

/** The days on which a batch may be sent, as the form offers them. */
export const DAYS: Readonly<Record<'every' | 'workdays' | 'saturday', ReadonlyArray<string>>> = {
  every: WEEKDAYS, workdays: WEEKDAYS.slice(0, 5), saturday: WEEKDAYS.slice(0, 6),
}

/** The fields of the form that are rarely needed, which it shows only after they were opened. */
export const RARE_FIELDS = [
  'send_at', 'until', 'from', 'to', 'days', 'zone', 'wave', 'wait', 'brake_share', 'brake_of', 'metadata',
] as const

/** What the form of a batch says, apart from its recipients. */
export type GivenBatch = Pick<CreateBatchCommand, 'timing' | 'name' | 'firstWave' | 'brake' | 'metadata'> & {
  readonly chosen: ChosenTemplate
}

/** A fault of the form: a sentence, and the field that has it. */
export type FormFault = { readonly problem: string; readonly at: string }

/** The brake of a new form, in its fields. */
export const BRAKE_FIELDS = { brake_share: String(DEFAULT_BRAKE.share * WHOLE_PERCENT), brake_of: String(DEFAULT_BRAKE.of) }

/** Reads the form of a new batch; its first fault if it has any. */
export const readFields = (fields: FormFields): E.Either<FormFault, GivenBatch> => {
  const text = (field: string): string => (fields[field] ?? '').trim()
  const fault = (at: string, problem: string) => E.left({ at, problem })
  const chosen = readChoice(text('template'))
  if (chosen === undefined) return fault('template', texts.faults.template)
  const name = text('name')
  if (name.length > MAX_NAME || /[\p{Cc}\p{Cs}]/u.test(name)) return fault('name', texts.faults.name)
  const timing = timingIn(text)
  if (E.isLeft(timing)) return timing
  const [wave, wait] = [numberIn(text('wave'), 1, MAX_BATCH_LINES), numberIn(text('wait'), 1, MAX_WAIT_HOURS)]
  const hasWave = text('wave') !== '' || text('wait') !== ''
  if (hasWave && wave === undefined) return fault('wave', texts.faults.wave)
  if (hasWave && wait === undefined) return fault('wait', texts.faults.wait)
  const brake = { ...BRAKE_FIELDS, ...fields }
  const [share, of] = [numberIn(brake.brake_share.trim(), 0, WHOLE_PERCENT), numberIn(brake.brake_of.trim(), 1, MAX_BRAKE_OF)]
  if (share === undefined) return fault('brake_share', texts.faults.brakeShare)
  if (of === undefined) return fault('brake_of', texts.faults.brakeOf)
  const metadata = metadataIn(text('metadata'))
  if (metadata === undefined) return fault('metadata', texts.faults.metadata)
  return E.right({
    chosen, timing: timing.right, brake: { share: share / WHOLE_PERCENT, of }, ...(name !== '' && { name }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(wave !== undefined && wait !== undefined && { firstWave: { recipients: wave, waitMs: wait * HOUR_MS } }),
  })
}

const timingIn = (text: (field: string) => string): E.Either<FormFault, GivenBatch['timing']> => {
  const moments = new Map<string, Instant>()
  for (const field of ['send_at', 'until']) {
    const at = text(field) === '' ? undefined : parseMoment(text(field))
    if (text(field) !== '' && at === undefined) return E.left({ at: field, problem: texts.faults.moment })
    if (at !== undefined) moments.set(field, at)
  }
  const hours = hoursIn(text)
  if (E.isLeft(hours)) return hours
  const [sendAt, until] = [moments.get('send_at'), moments.get('until')]
  return E.right({
    ...(sendAt !== undefined && { sendAt }), ...(until !== undefined && { until }), ...(hours.right && { hours: hours.right }),
  })
}

const hoursIn = (text: (field: string) => string): E.Either<FormFault, GivenHours | undefined> => {
  const [from, to] = [text('from'), text('to')]
  if (from === '' && to === '') return E.right(undefined)
  const days = Object.entries(DAYS).find(([name]) => name === text('days'))?.[1] ?? DAYS.every
  const given = { from, to, days, timezone: text('zone') === 'here' ? currentZone() : 'customer' }
  const read = parseHours(given)
  if (E.isRight(read)) return E.right(given)
  return E.left({ at: read.left.field === 'to' ? 'to' : 'from', problem: from === to ? texts.faults.sameHours : texts.faults.hours })
}

/** The notes: a line for each, its name before a colon. `undefined` if they break a rule. */
const metadataIn = (text: string): Metadata | undefined => {
  const notes = text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '').map((line) => {
    const [name = '', ...value] = line.split(':')
    return [name.trim(), value.join(':').trim()] as const
  })
  const metadata = Object.fromEntries(notes)
  return notes.every(([name, value]) => name !== '' && value !== '') && isMetadata(metadata) ? metadata : undefined
}

const numberIn = (text: string, least: number, most: number): number | undefined => {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : -1
  return value >= least && value <= most ? value : undefined
}
