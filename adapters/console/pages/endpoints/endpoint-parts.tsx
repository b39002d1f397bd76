import type { VNode } from 'preact'
import { type DeliveryAttempt, MOST_PENDING, type PendingEvents } from '../../../../core/events/delivery.js'
import { ENDPOINT_FORMATS, type EndpointFormat, type EventEndpoint, formatOf, type InvalidEndpointSettings } from '../../../../core/events/endpoint.js'
import { ALL_EVENTS } from '../../../../core/kernel/outbox.js'
import { ChoiceField, Field, State, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'

const { endpoints: texts } = TEXTS

/** The settings of a form; types have commas or spaces between them, and no types are all of them. An endpoint of the platform's notifications has none. */
export const settingsIn = ({ url = '', format, types, description = '' }: Readonly<Record<string, string>>) => {
  const settings = { url: url.trim(), description }
  if (format === 'platform' || types === undefined) return settings
  const named = types.split(/[\s,]+/).filter((type) => type !== '')
  return { ...settings, types: named.length === 0 ? ALL_EVENTS : named }
}

/** The format that a form names. */
export const formatIn = ({ format }: Readonly<Record<string, string>>): EndpointFormat => (format === 'platform' ? 'platform' : 'postern')

/** What an endpoint gets, in words. */
export const whatItGets = ({ types }: Pick<EventEndpoint, 'types'>): string => (formatOf({ types }) === 'platform' ? texts.formats.platform : types.join(', '))

/** A sentence on what is wrong with settings. */
export const wrongSettings = (wrong: InvalidEndpointSettings): string => {
  switch (wrong._tag) {
    case 'InvalidEndpointUrl': case 'InvalidEventTypes': return texts.wrong.settings(wrong.reason)
    case 'UnknownEventType': return texts.wrong.type(wrong.type)
    case 'InvalidDescription': return texts.wrong.description
  }
}

/** The fields of an endpoint's settings. The format is asked for where `format` is given: it is chosen once. An endpoint of the platform's notifications has no types. */
export const EndpointSettings = ({ given: { url, types, description }, format, hasTypes = true }: {
  readonly given: { readonly url: string | undefined; readonly types: string | undefined; readonly description: string | undefined }
  readonly format?: EndpointFormat; readonly hasTypes?: boolean
}): VNode => (
  <>
    <Field id="url" label={texts.address} type="url" value={url} hint={texts.hints.url} maxLength={2_048} />
    {format !== undefined && (
      <ChoiceField id="format" label={texts.format} hint={texts.hints.format}>
        {ENDPOINT_FORMATS.map((one) => <option key={one} value={one} selected={one === format}>{texts.formats[one]}</option>)}
      </ChoiceField>
    )}
    {hasTypes && <Field id="types" label={texts.types} value={types ?? '*'} hint={texts.hints.types} />}
    <Field id="description" label={texts.description} value={description} required={false} maxLength={255} />
  </>
)

/** Whether events arrive, and since when not. */
export const EndpointState = ({ of: { status, failingSince } }: { readonly of: EventEndpoint }): VNode => {
  if (status === 'disabled') return <><State text={texts.disabled} tone="quiet" />{failingSince !== undefined && <div class="soft">{texts.failedSince} <Time at={failingSince} /></div>}</>
  return failingSince === undefined
    ? <State text={texts.enabled} tone="good" />
    : <><State text={texts.failing} tone="bad" /><div class="soft">{texts.since} <Time at={failingSince} /></div></>
}

/** How many events wait. */
export const PendingCount = ({ of: { fresh, retries } }: { readonly of: PendingEvents }): VNode => (
  <>
    {counted(fresh + retries, fresh === MOST_PENDING || retries === MOST_PENDING)}
    {retries > 0 && <div class="soft">{texts.retried(counted(retries, retries === MOST_PENDING))}</div>}
  </>
)

const counted = (count: number, isMore: boolean): string => (isMore ? texts.atLeast(count) : String(count))

/** What came of an attempt. */
export const Result = ({ of: { delivered, httpStatus, error, durationMs } }: { readonly of: DeliveryAttempt }): VNode => (
  <>
    <State text={delivered ? texts.delivered : texts.failed} tone={delivered ? 'good' : 'bad'} />
    <div>{[...(httpStatus === undefined ? [] : [`HTTP ${httpStatus}`]), `${durationMs} ms`].join(', ')}</div>
    {error !== undefined && <div class="soft">{error}</div>}
  </>
)
