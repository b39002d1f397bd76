import type { VNode } from 'preact'
import { type DeliveryAttempt, MAX_PENDING, type PendingEvents } from '../../../../core/events/delivery.js'
import {
  ENDPOINT_FORMATS, type EndpointFormat, type EventEndpoint, formatOf, type InvalidEndpointSettings,
} from '../../../../core/events/endpoint.js'
import { EVENT_TYPES } from '../../../../core/kernel/outbox.js'
import { Behind, ChoiceField, English, Fault, faultAt, Field, type Refused, State, Tick, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'

const { endpoints: texts } = TEXTS

/** The settings in a form. An endpoint for the platform's notifications has no types. */
export const settingsIn = (form: Readonly<Record<string, string>>) => {
  const { url = '', format, types, description = '' } = form
  const settings = { url: url.trim(), description }
  return format === 'platform' || types === undefined ? settings : { ...settings, types: typesIn(form) }
}

/** The prefix of the name of a type or group in the name of its checkbox. */
const BOX = 'type-'

/** The types and groups whose checkboxes are ticked: a group replaces its types, and "all" replaces everything else. */
export const typesIn = (form: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const ticked = new Set(Object.keys(form).filter((name) => name.startsWith(BOX)).map((name) => name.slice(BOX.length)))
  return ticked.has('*') ? ['*'] : [...ticked].filter((one) => one.endsWith('.*') || !ticked.has(groupOf(one)))
}

const groupOf = (type: string): string => `${type.slice(0, type.indexOf('.'))}.*`

/** The types that an endpoint can choose: a test is sent to any endpoint, because it was requested. */
const CHOSEN = EVENT_TYPES.filter((type) => type !== 'endpoint.test')
const GROUPS = [...new Set(CHOSEN.map(groupOf))].map((group) => ({ group, types: CHOSEN.filter((type) => groupOf(type) === group) }))

/** The groups and types by which events can be filtered. */
export const FILTERS: ReadonlyArray<string> = GROUPS.flatMap(({ group, types }) => (types.length === 1 ? types : [group, ...types]))

/** The format in a form. */
export const formatIn = ({ format }: Readonly<Record<string, string>>): EndpointFormat => (format === 'platform' ? 'platform' : 'postern')

/** The types of an endpoint, in words. */
export const whatItGets = ({ types }: Pick<EventEndpoint, 'types'>): string =>
  formatOf({ types }) === 'platform' ? texts.formats.platform : types.map((type) => (type === '*' ? texts.everyType : type)).join(', ')

/** What is wrong with invalid settings. */
export const wrongSettings = (wrong: InvalidEndpointSettings): Refused => {
  switch (wrong._tag) {
    case 'InvalidEndpointUrl': return { problem: texts.wrong.settings(wrong.reason), at: 'url' }
    case 'InvalidEventTypes': return { problem: texts.wrong.settings(wrong.reason), at: 'types' }
    case 'UnknownEventType': return { problem: texts.wrong.type(wrong.type), at: 'types' }
    case 'InvalidDescription': return { problem: texts.wrong.description, at: 'description' }
  }
}

/** The fields of an endpoint's settings. The format can be chosen only if `format` is given: it is chosen once. An endpoint for the platform's notifications has no types. */
export const EndpointSettings = ({ given: { url, types, description }, format, hasTypes = true, outcome }: {
  readonly given: { readonly url: string | undefined; readonly types: ReadonlyArray<string>; readonly description: string | undefined }
  readonly format?: EndpointFormat; readonly hasTypes?: boolean; readonly outcome: Refused
}): VNode => (
  <>
    <Field id="url" label={texts.address} type="url" value={url} hint={texts.hints.url} maxLength={2_048} {...faultAt(outcome, 'url')} />
    {format !== undefined && (
      <ChoiceField id="format" label={texts.format} hint={texts.hints.format}>
        {ENDPOINT_FORMATS.map((one) => <option key={one} value={one} selected={one === format}>{texts.formats[one]}</option>)}
      </ChoiceField>
    )}
    {hasTypes && <Types chosen={new Set(types)} outcome={outcome} />}
    <Field
      id="description" label={texts.description} value={description} required={false} maxLength={255}
      {...faultAt(outcome, 'description')}
    />
  </>
)

/** A checkbox for each type, for each group of several, and for all. */
const Types = ({ chosen, outcome }: { readonly chosen: ReadonlySet<string>; readonly outcome: Refused }): VNode => (
  <fieldset>
    <legend>{texts.types}</legend>
    <p class="hint">{texts.hints.types}</p>
    <Fault id="types" sentence={faultAt(outcome, 'types').fault} />
    <input type="hidden" name="types" value="chosen" />
    <Tick id={`${BOX}*`} label={texts.everyType} hint={texts.everyTypeHint} isTicked={chosen.has('*')} isFirst={outcome.at === 'types'} />
    {GROUPS.map(({ group, types }) => {
      const [only] = types
      if (types.length === 1 && only !== undefined && !chosen.has(group)) return <Type key={group} type={only} chosen={chosen} />
      return (
        <div key={group}>
          <Tick id={BOX + group} label={group} hint={texts.everyOfGroup} isTicked={chosen.has(group)} />
          <Behind title={texts.single(types.length)} label={texts.singleOf(group)} isOpen={types.some((type) => chosen.has(type))}>
            {types.map((type) => <Type key={type} type={type} chosen={chosen} />)}
          </Behind>
        </div>
      )
    })}
  </fieldset>
)

const Type = ({ type, chosen }: { readonly type: (typeof CHOSEN)[number]; readonly chosen: ReadonlySet<string> }): VNode =>
  <Tick id={BOX + type} label={type} hint={texts.whenOf[type]} isTicked={chosen.has(type)} />

/** Whether deliveries succeed, and since when they fail. */
export const EndpointState = ({ of: { status, failingSince } }: { readonly of: EventEndpoint }): VNode => {
  if (status === 'disabled') {
    return <>
      <State text={texts.disabled} tone="quiet" />
      {failingSince !== undefined && <>{' '}<span class="soft why">{texts.failedSince} <Time at={failingSince} as="ago" /></span></>}
    </>
  }
  return failingSince === undefined
    ? <State text={texts.enabled} tone="good" />
    : <><State text={texts.failing} tone="bad" /> <span class="soft why">{texts.since} <Time at={failingSince} as="ago" /></span></>
}

/** The number of waiting events. */
export const PendingCount = ({ of: { fresh, retries } }: { readonly of: PendingEvents }): VNode => (
  <>
    {counted(fresh + retries, fresh === MAX_PENDING || retries === MAX_PENDING)}
    {retries > 0 && <span class="soft"> {texts.retried(counted(retries, retries === MAX_PENDING))}</span>}
  </>
)

const counted = (count: number, isMore: boolean): string => (isMore ? texts.atLeast(count) : String(count))

/** The result of an attempt. */
export const Result = ({ of }: { readonly of: DeliveryAttempt }): VNode =>
  <><State text={of.delivered ? texts.delivered : texts.failed} tone={of.delivered ? 'good' : 'bad'} /> <ResultDetails of={of} /></>

/** The response to an attempt, its duration, and its error. */
export const ResultDetails = ({ of: { httpStatus, error, durationMs } }: {
  readonly of: Pick<DeliveryAttempt, 'httpStatus' | 'error' | 'durationMs'>
}): VNode => (
  <>
    <span class="why">{[...(httpStatus === undefined ? [] : [`HTTP ${httpStatus}`]), `${durationMs} ms`].join(', ')}</span>
    {error !== undefined && <>{' '}<span class="soft why" title={error}><English>{error}</English></span></>}
  </>
)
