import type { ComponentChildren, VNode } from 'preact'
import { MESSAGE_STATES, type MessageRecord, type MessageState } from '../../../../core/messages/message.js'
import { errorCodeOf } from '../../../../core/messages/own-errors.js'
import { written } from '../../chart.js'
import { Icon } from '../../icons.js'
import { capitalised, ChoiceField, Field, Time } from '../../parts.js'
import { writeCustomerId } from '../../phone.js'
import { TEXTS } from '../../texts.js'
import { wordFor } from '../../words.js'
import { parseMoment, typedMoment } from '../../zone.js'
import { addressWith, type Filters, isFiltered, NOT_SENT, type Sample, typed } from './message-filters.js'
import { shortErrorOf } from './message-table.js'
import { areSeveral, nameIn, NumberField, type Numbers } from '../numbers/names.js'

const { messages: texts, numbers: numberTexts } = TEXTS

/** The most wanted states, each available with one click. */
const OFFERED: ReadonlyArray<MessageState> = ['unconfirmed', 'failed', 'refused', 'read']

/**
 * The filters of a list: the active ones, each of which can be removed, the most frequent others, a form for all, and what else can be done with the list. Counts are
 * shown only if the sample has all messages of the filters, because counting more of them would take too long.
 */
export const FilterBar = ({ page: { path, query }, filters, numbers, sample, children }: {
  readonly page: { readonly path: string; readonly query: URLSearchParams }
  readonly filters: Filters
  readonly numbers: Numbers
  readonly sample: Sample | undefined
  readonly children?: ComponentChildren
}): VNode => (
  <div class="bar">
    <nav class="chips" aria-label={texts.filters}>
      {activeFilters(filters, numbers).map(({ name, what }, index, all) => (
        <a key={name} class="active" href={addressWith(path, without(filters, name))} title={texts.remove}>
          {what}{index === all.length - 1 && sample?.isWhole === true && <Count of={sample.items.length} />}<Icon name="close" />
        </a>
      ))}
      {offersFor(filters, sample).map(({ what, filter, count }) => (
        <a key={what} href={addressWith(path, { ...filters, ...filter })}>{what}<Count of={count} /></a>
      ))}
    </nav>
    {areSeveral(numbers) && filters.sender === undefined && (
      <ChooseNumber path={path} filters={filters} numbers={numbers} sample={sample} />
    )}
    <FilterForm path={path} query={query} numbers={numbers} />
    {isFiltered(filters) && <a class="clear" href={path}>{texts.all}</a>}
    {children}
  </div>
)

/** The numbers, each with the count of its messages, behind a chip. */
const ChooseNumber = ({ path, filters, numbers, sample }: {
  readonly path: string; readonly filters: Filters; readonly numbers: Numbers; readonly sample: Sample | undefined
}): VNode => (
  <details class="filter which">
    <summary>{numberTexts.number}</summary>
    <ul>
      {numbers.map(({ sender: { phoneNumberId: sender } }) => (
        <li key={sender}>
          <a href={addressWith(path, { ...filters, sender })}>
            {nameIn(numbers, sender)}
            <Count of={sample?.isWhole === true ? sample.items.filter((message) => message.sender === sender).length : undefined} />
          </a>
        </li>
      ))}
    </ul>
  </details>
)

const Count = ({ of }: { readonly of: number | undefined }): VNode | null =>
  (of === undefined ? null : <>{' '}<span class="soft">{written(of)}</span></>)

type Offer = { readonly what: string; readonly filter: Filters; readonly count: number | undefined }

/** The filters to offer, the most frequent first: of all messages their states, of those that were not sent the reasons. */
const offersFor = ({ state, errorCode }: Filters, sample: Sample | undefined): ReadonlyArray<Offer> => {
  if (state === undefined) {
    const states = OFFERED.map((one) => ({ what: capitalised(wordFor('states', one)), filter: { state: one } }))
    return counted(states, sample, ({ filter }, message) => message.state === filter.state)
  }
  if (errorCode !== undefined || !REFUSED.includes(state)) return []
  const codes = new Set((sample?.items ?? []).flatMap(({ error }) => errorCodeOf(error) ?? []))
  const reasons = Array.from(codes, (code) => ({ what: capitalised(shortErrorOf(code)), filter: { errorCode: code } }))
  return counted(reasons, sample, ({ filter }, message) => errorCodeOf(message.error) === filter.errorCode).slice(0, MAX_REASONS)
}

const REFUSED: ReadonlyArray<string> = ['failed', 'refused', NOT_SENT]
const MAX_REASONS = 4

/** Counts the messages of each offer, and leaves out offers without any. Without a whole sample the order is known, and no count. */
const counted = <Of extends Omit<Offer, 'count'>>(
  offers: ReadonlyArray<Of>, sample: Sample | undefined, isOf: (offer: Of, message: MessageRecord) => boolean,
): ReadonlyArray<Offer> => {
  const frequencies = offers.map((offer) => ({
    ...offer, frequency: (sample?.items ?? []).filter((message) => isOf(offer, message)).length,
  })).sort((a, b) => b.frequency - a.frequency)
  return frequencies.filter(({ frequency }) => sample?.isWhole !== true || frequency > 0)
    .map(({ frequency, ...offer }) => ({ ...offer, count: sample?.isWhole === true ? frequency : undefined }))
}

type Active = { readonly name: keyof Filters; readonly what: ComponentChildren }

const activeFilters = (
  { to, state, sender, template, from, before, errorCode, reference }: Filters, numbers: Numbers,
): ReadonlyArray<Active> => [
  ...active('state', state, capitalised(state === NOT_SENT ? texts.notSent : wordFor('states', state ?? ''))),
  ...active('errorCode', errorCode, errorCode === undefined ? '' : capitalised(shortErrorOf(errorCode))),
  ...active('sender', sender, sender === undefined ? '' : nameIn(numbers, sender)),
  ...active('to', to, to === undefined ? '' : writeCustomerId(to)),
  ...active('template', template, template),
  ...active('from', from, <>{texts.from} <Time at={from ?? 0} /></>),
  ...active('before', before, <>{texts.before} <Time at={before ?? 0} /></>),
  ...active('reference', reference, reference),
]

const active = (name: keyof Filters, value: unknown, what: ComponentChildren): ReadonlyArray<Active> =>
  value === undefined ? [] : [{ name, what }]

const without = (filters: Filters, name: keyof Filters): Filters => ({ ...filters, [name]: undefined })

/** The value of a time field: the time in the person's zone, or the typed text if it is not a time. */
const shownMoment = (query: URLSearchParams, name: 'from' | 'before'): string => {
  const text = typed(query, name)
  const at = parseMoment(text)
  return at === undefined ? text : typedMoment(at)
}

/** The form of the filters, with the typed values, behind a chip. It is open if the input has a fault. */
export const FilterForm = ({ path, query, numbers, open = false }: {
  readonly path: string
  readonly query: URLSearchParams
  readonly numbers: Numbers
  readonly open?: boolean
}): VNode => (
  <details class="filter" open={open}>
    <summary><Icon name="plus" />{texts.filter}</summary>
    <form class="card" method="get" action={path}>
      <div class="row">
        <Field id="to" label={texts.recipient} hint={texts.recipientHint} value={typed(query, 'to')} required={false} />
        <ChoiceField id="state" label={texts.state}>
          <option value="">{texts.anyState}</option>
          {MESSAGE_STATES.map((state) => (
            <option key={state} value={state} selected={typed(query, 'state') === state}>{wordFor('states', state)}</option>
          ))}
          <option value={NOT_SENT} selected={typed(query, 'state') === NOT_SENT}>{texts.notSent}</option>
        </ChoiceField>
        {areSeveral(numbers) && (
          <NumberField numbers={numbers} label={numberTexts.number} any={texts.anyNumber} chosen={typed(query, 'sender')} />
        )}
        <Field id="template" label={texts.template} value={typed(query, 'template')} required={false} />
      </div>
      <div class="row">
        <Field id="from" label={texts.from} type="datetime-local" value={shownMoment(query, 'from')} required={false} />
        <Field id="before" label={texts.before} type="datetime-local" value={shownMoment(query, 'before')} required={false} />
        <Field id="error" label={texts.error} value={typed(query, 'error')} required={false} inputmode="numeric" />
        <Field
          id="reference" label={texts.reference} hint={texts.referenceHint} value={typed(query, 'reference')} required={false}
          maxLength={500}
        />
      </div>
      {typed(query, 'sort') !== '' && <input type="hidden" name="sort" value={typed(query, 'sort')} />}
      <button>{texts.show}</button>
    </form>
  </details>
)
