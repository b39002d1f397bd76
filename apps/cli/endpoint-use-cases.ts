import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { EndpointActCommand } from '../../core/events/endpoint-use-cases.js'
import { type EventEndpoint, isEndpointId } from '../../core/events/endpoint.js'
import { type EventUseCases, makeEventUseCases } from '../../core/events/use-cases.js'
import type { Workspace } from '../../core/kernel/workspace.js'
import type { Config } from '../server/config.js'
import { commandLine } from './actor.js'
import { type CliStorage, withStorage, withWorkspace } from './cli-config.js'
import { unwrap } from './error-messages.js'
import type { Shell } from './shell.js'

/** An endpoint, and the names by which use cases know it. */
export type NamedEndpoint = { readonly endpoint: EventEndpoint; readonly named: EndpointActCommand }

/** Opens the database for one use of a workspace's endpoints. */
export const withEndpoints = <A>(shell: Shell, idOrName: string, use: (endpoints: EventUseCases, workspace: Workspace, config: Config) => Promise<A>): Promise<A> =>
  withWorkspace(shell, idOrName, (storage, workspace, config) => withUseCases(storage, config, (endpoints) => use(endpoints, workspace, config)))

/** Opens the database for one use of an endpoint, of whichever workspace. */
export const withEndpoint = <A>(shell: Shell, id: string, use: (endpoints: EventUseCases, endpoint: NamedEndpoint, config: Config) => Promise<A>): Promise<A> =>
  withStorage(shell, async (storage, config) => {
    const endpoint = isEndpointId(id) ? O.toUndefined(await unwrap(storage.eventEndpoints.find(id))) : undefined
    if (endpoint === undefined) return unwrap(TE.left({ _tag: 'EndpointNotFound', id }))
    return withUseCases(storage, config, (endpoints) => use(endpoints, { endpoint, named: { by: commandLine(), workspace: endpoint.workspace, id } }, config))
  })

const withUseCases = async <A>(storage: CliStorage, { events: { allow } }: Config, use: (endpoints: EventUseCases) => Promise<A>): Promise<A> => {
  const [{ makeWebhookSender }, { endpointIds }, { newEventId }, { version }] = await Promise.all([
    import('../../adapters/webhooks/index.js'), import('../server/deps.js'), import('../server/deps.js'), import('../server/deps.js'),
  ])
  const { sinkFor, faultOfUrl, close } = makeWebhookSender({ version: version(), allow })
  try {
    return await use(makeEventUseCases({ ...storage, ...endpointIds, newEventId, sinkFor, faultOfUrl, now: Date.now }))
  } finally {
    close()
  }
}
