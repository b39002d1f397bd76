import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import type { FailedFilter } from '../../../../core/events/delivery.js'
import { type EventEndpoint, formatOf } from '../../../../core/events/endpoint.js'
import type { FailedCount } from '../../../../core/events/use-cases.js'
import { exampleEvent } from '../../../../core/explanations/event-examples.js'
import type { Principal } from '../../../../core/kernel/actor.js'
import { EVENT_TYPES, wantsEvent } from '../../../../core/kernel/outbox.js'
import type { Workspace } from '../../../../core/kernel/workspace.js'
import { type ApiCall, Command, jsonOptions } from '../../command.js'
import { Behind, ChoiceField, Confirm, faultAt, Field, OPEN_PANEL, type Refused, SidePanel } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { parseMoment } from '../../zone.js'
import { EndpointSettings, FILTERS, typesIn } from './endpoint-parts.js'

const { endpoints: texts } = TEXTS

type Shown = { readonly endpoint: EventEndpoint; readonly path: string; readonly principal: Principal; readonly workspace: Workspace }

/** The rare actions that are possible for an endpoint. */
export const EndpointActs = ({ endpoint: { status }, path, principal, workspace, outcome, isSecretSet }: Shown & {
  readonly outcome: Refused; readonly isSecretSet: boolean
}): VNode => {
  return (
    <>
      {isAllowed(principal, 'endpoint.change', workspace) && <a href={`${path}?${OPEN_PANEL}`}>{texts.change}</a>}
      {isAllowed(principal, 'event.redeliver', workspace) && status === 'enabled' && <RedeliverSince path={path} outcome={outcome} />}
      {isAllowed(principal, 'endpoint.change', workspace) && <Status path={path} status={status} />}
      {isAllowed(principal, 'endpoint.rotate_secret', workspace) && isSecretSet && (
        <Confirm title={texts.rotate} sentence={texts.rotateSentence} action={`${path}/rotate-secret`} verb={texts.doRotate} />
      )}
      {isAllowed(principal, 'endpoint.remove', workspace) && (
        <Confirm title={texts.remove} sentence={texts.removeSentence} action={`${path}/remove`} verb={texts.doRemove} isDangerous />
      )}
    </>
  )
}

/** The form that changes the settings of an endpoint. */
export const ChangeEndpoint = ({ endpoint, path, typed, outcome }: Pick<Shown, 'endpoint' | 'path'> & {
  readonly typed: Readonly<Record<string, string>> | undefined; readonly outcome: Refused
}): VNode => {
  const { url, types, description } = endpoint
  const settings = typed === undefined
    ? { url, types, description }
    : { url: typed['url'], types: typesIn(typed), description: typed['description'] }
  return (
    <SidePanel id="change" title={texts.change} close={path}>
      <form method="post" action={`${path}/change`}>
        <EndpointSettings given={settings} hasTypes={formatOf(endpoint) === 'postern'} outcome={outcome} />
        <div><button>{texts.save}</button></div>
      </form>
    </SidePanel>
  )
}

/** The actions of the page as API requests, for a program that does the same. */
export const EndpointCalls = ({ id, origin }: { readonly id: string; readonly origin: string | undefined }): VNode => {
  const path = `/v1/event-endpoints/${id}`
  const calls: ReadonlyArray<readonly [string, ApiCall]> = [
    [texts.calls.show, { method: 'GET', path }],
    [texts.calls.deliveries, { method: 'GET', path: `${path}/deliveries` }],
    [texts.test, { method: 'POST', path: `${path}/test` }],
    [texts.calls.enable, { method: 'PATCH', path, options: jsonOptions("'{\"status\":\"enabled\"}'") }],
    [texts.failedEvents, { method: 'POST', path: `${path}/redeliver`, options: jsonOptions("'{\"status\":\"failed\"}'") }],
    [texts.calls.redeliver, { method: 'POST', path: `${path}/redeliver`, options: jsonOptions("'{\"since\":\"2027-01-31T09:30:00Z\"}'") }],
    [texts.calls.rotate, { method: 'POST', path: `${path}/rotate-secret` }],
    [texts.remove, { method: 'DELETE', path }],
  ]
  return (
    <Behind title={texts.calls.title} sentence={texts.calls.sentence}>
      {origin === undefined && <p class="hint">{TEXTS.send.noAddress}</p>}
      {calls.map(([title, call]) => (
        <div key={title}><p>{title.replace('…', '')}</p><Command call={call} origin={origin} label={title} /></div>
      ))}
    </Behind>
  )
}

/** An example of the data that is sent to an endpoint for each of its types. A notification of the platform is in the platform's format, so it has no example. */
export const EventExamples = ({ types }: Pick<EventEndpoint, 'types'>): VNode | null => {
  if (formatOf({ types }) === 'platform') return null
  return (
    <Behind title={texts.examples.title} sentence={texts.examples.sentence}>
      {EVENT_TYPES.filter((type) => wantsEvent(types, type)).map((type) => (
        <Behind key={type} title={type}>
          <pre class="secret" tabindex={0} aria-label={type}>{JSON.stringify(exampleEvent(type), null, 2)}</pre>
        </Behind>
      ))}
    </Behind>
  )
}

type FormOf = (name: string) => string | undefined

const FAILED_FIELDS = ['failed_type', 'failed_since', 'failed_until', 'failed_status']

/** Reads the filter of failed events from a form or an address; the reason if a field is invalid. */
export const failedIn = (given: FormOf): E.Either<Refused, FailedFilter> => {
  const [type = '', since = '', until = '', status = ''] = FAILED_FIELDS.map((name) => given(name)?.trim())
  const [from, before] = [parseMoment(since), parseMoment(until)]
  if (since !== '' && from === undefined) return E.left({ problem: texts.wrong.since, at: 'failed_since' })
  if (until !== '' && before === undefined) return E.left({ problem: texts.wrong.since, at: 'failed_until' })
  if (status !== '' && !/^[1-5]\d\d$/.test(status)) return E.left({ problem: texts.wrong.status, at: 'failed_status' })
  return E.right({
    since: from, until: before, ...(type !== '' && { types: [type] }), ...(status !== '' && { httpStatus: Number(status) }),
  })
}

/** Counts the failed events of a filter, and then redelivers them. */
export const RedeliverFailed = ({ path, endpoint, given, count, outcome }: Pick<Shown, 'path' | 'endpoint'> & {
  readonly given: FormOf; readonly count: FailedCount | undefined; readonly outcome: Refused
}): VNode => (
  <Behind
    title={texts.failedEvents} sentence={texts.failedSentence}
    isOpen={given('failed') !== undefined || outcome.at?.startsWith('failed_') === true}
  >
    <form method="get" action={path}>
      <input type="hidden" name="failed" value="yes" />
      {formatOf(endpoint) === 'postern' && (
        <ChoiceField id="failed_type" label={texts.type} {...faultAt(outcome, 'failed_type')}>
          <option value="">{texts.everyType}</option>
          {FILTERS.map((one) => <option key={one} value={one} selected={one === given('failed_type')}>{one}</option>)}
        </ChoiceField>
      )}
      {([['failed_since', texts.sinceField], ['failed_until', texts.untilField]] as const).map(([id, label]) => (
        <Field key={id} id={id} label={label} type="datetime-local" required={false} value={given(id)} {...faultAt(outcome, id)} />
      ))}
      <Field
        id="failed_status" label={texts.statusField} required={false} value={given('failed_status')} inputmode="numeric" maxLength={3}
        {...faultAt(outcome, 'failed_status')}
      />
      <div><button class="plain">{texts.countFailed}</button></div>
    </form>
    {count !== undefined && <p role="status">{texts.failedMatch(count.count, count.isMore)}</p>}
    {count !== undefined && count.count > 0 && (
      <form method="post" action={`${path}/redeliver`}>
        {['failed', ...FAILED_FIELDS].map((name) => <input key={name} type="hidden" name={name} value={given(name) ?? ''} />)}
        <div><button>{texts.redeliverFailed}</button></div>
      </form>
    )}
  </Behind>
)

const RedeliverSince = ({ path, outcome }: { readonly path: string; readonly outcome: Refused }): VNode => (
  <Confirm
    title={texts.redeliver} sentence={texts.redeliverSentence} action={`${path}/redeliver`} verb={texts.doRedeliver}
    isOpen={outcome.at === 'since'}
  >
    <Field id="since" label={texts.sinceField} type="datetime-local" {...faultAt(outcome, 'since')} />
  </Confirm>
)

const Status = ({ path, status }: { readonly path: string; readonly status: EventEndpoint['status'] }): VNode => (
  status === 'enabled' ? (
    <Confirm title={texts.disable} sentence={texts.disableSentence} action={`${path}/status`} verb={texts.doDisable} isDangerous>
      <input type="hidden" name="status" value="disabled" />
    </Confirm>
  ) : (
    <Confirm title={texts.enable} sentence={texts.enableSentence} action={`${path}/status`} verb={texts.doEnable}>
      <input type="hidden" name="status" value="enabled" />
    </Confirm>
  )
)

/** Delivers one event again. */
export const RedeliverOne = ({ event, endpoint: { status }, path, principal, workspace }: Shown & {
  readonly event: string
}): VNode | null => (
  status === 'enabled' && isAllowed(principal, 'event.redeliver', workspace) ? (
    <form method="post" action={`${path}/redeliver`}>
      <input type="hidden" name="event" value={event} /><button>{texts.redeliverOne}</button>
    </form>
  ) : null
)
