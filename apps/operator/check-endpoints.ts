import type { EventEndpoint, EventEndpoints } from '../../core/events/endpoint.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type CheckResult, failed, passed } from './check-result.js'
import { listed } from './lines.js'
import { stored } from './stored.js'

/** Names the endpoints of a workspace that fail, and those that are disabled; no line where there are no endpoints. */
export const checkEndpoints = async (eventEndpoints: Pick<EventEndpoints, 'list'>, workspace: WorkspaceId): Promise<ReadonlyArray<CheckResult>> => {
  const endpoints = await stored(eventEndpoints.list(workspace))
  if (endpoints.length === 0) return []
  const check = `endpoints of ${workspace}`
  const enabled = endpoints.filter(({ status }) => status === 'enabled')
  const failing = listed('failing', enabled.flatMap(failureOf))
  const disabled = listed('disabled', endpoints.filter(({ status }) => status === 'disabled').map(({ id }) => id))
  return [failing.length === 0 ? passed(check, [`${enabled.length} enabled`, ...disabled].join('; ')) : failed(check, [...failing, ...disabled].join('; '), REMEDY)]
}

const REMEDY = 'See the errors with `postern endpoint deliveries ID`; an endpoint that fails for five days is disabled.'

const failureOf = ({ id, failingSince }: EventEndpoint): ReadonlyArray<string> => (failingSince === undefined ? [] : [`${id} since ${new Date(failingSince).toISOString()}`])
