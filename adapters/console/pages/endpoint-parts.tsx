import type { VNode } from 'preact'
import { type DeliveryAttempt, MOST_PENDING, type PendingEvents } from '../../../core/events/delivery.js'
import type { EventEndpoint, InvalidEndpointSettings } from '../../../core/events/endpoint.js'
import { ALL_EVENTS } from '../../../core/kernel/outbox.js'
import { Field, State, Time } from '../parts.js'
import { TEXTS } from '../texts.js'

const { endpoints: texts } = TEXTS

/** The settings of a form; types have commas or spaces between them, and no types are all of them. */
export const settingsIn = ({ url = '', types = '', description = '' }: Readonly<Record<string, string>>) => {
  const named = types.split(/[\s,]+/).filter((type) => type !== '')
  return { url: url.trim(), types: named.length === 0 ? ALL_EVENTS : named, description }
}

/** A sentence on what is wrong with settings. */
export const wrongSettings = (wrong: InvalidEndpointSettings): string => {
  switch (wrong._tag) {
    case 'InvalidEndpointUrl': case 'InvalidEventTypes': return texts.wrong.settings(wrong.reason)
    case 'UnknownEventType': return texts.wrong.type(wrong.type)
    case 'InvalidDescription': return texts.wrong.description
  }
}

/** The fields of an endpoint's settings. */
export const EndpointSettings = ({ given: { url, types, description } }: {
  readonly given: { readonly url: string | undefined; readonly types: string | undefined; readonly description: string | undefined }
}): VNode => (
  <>
    <Field id="url" label={texts.address} type="url" value={url} hint={texts.hints.url} maxLength={2_048} />
    <Field id="types" label={texts.types} value={types ?? '*'} hint={texts.hints.types} />
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
