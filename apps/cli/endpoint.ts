import type { Command } from 'commander'
import type { EndpointWithSecret } from '../../core/events/endpoint-use-cases.js'
import { type EndpointStatus, endpointView, type EventEndpoint } from '../../core/events/endpoint.js'
import { printable } from '../operator/summary.js'
import { commandLine } from './actor.js'
import { endpointTypes, endpointUrl, jsonOption, WORKSPACE } from './arguments.js'
import { requireSecret } from './cli-config.js'
import { addDeliveryCommands } from './delivery.js'
import { withEndpoint, withEndpoints } from './endpoint-use-cases.js'
import { unwrap } from './error-messages.js'
import { iso, type JsonFlag, print, table } from './output.js'
import type { Shell } from './shell.js'

type AddOptions = JsonFlag & { readonly types?: ReadonlyArray<string>; readonly description?: string }

const ENDPOINT = "the endpoint's id, as `postern endpoint list` shows it"

/** `postern endpoint …`: where events go. */
export const addEndpointCommands = (program: Command, shell: Shell): void => {
  const endpoint = program.command('endpoint').description('where the events of a workspace are delivered')

  endpoint.command('add')
    .description('deliver events to an address of an application from now on, and print the secret that signs them, this once')
    .argument('<workspace>', WORKSPACE)
    .argument('<url>', 'the address, such as https://shop.example/postern', endpointUrl)
    .option('--types <list>', 'only these types of events, with commas between them, such as message.received,wallet.*', endpointTypes)
    .option('--description <text>', 'what it is for')
    .addOption(jsonOption())
    .action((workspace: string, url: string, options: AddOptions) => add(shell, workspace, url, options))

  endpoint.command('list')
    .description('show the endpoints of a workspace, oldest first, but never a secret')
    .argument('<workspace>', WORKSPACE)
    .addOption(jsonOption())
    .action((workspace: string, options: JsonFlag) => list(shell, workspace, options))

  endpoint.command('remove')
    .description('end the deliveries to an endpoint, and forget its secret and its log')
    .argument('<endpoint>', ENDPOINT)
    .addOption(jsonOption())
    .action((id: string, options: JsonFlag) => remove(shell, id, options))

  endpoint.command('rotate')
    .description('make a new secret and print it, this once; deliveries carry the signatures of both secrets for 24 hours')
    .argument('<endpoint>', ENDPOINT)
    .addOption(jsonOption())
    .action((id: string, options: JsonFlag) => rotate(shell, id, options))

  for (const [verb, status, description] of STATUS_COMMANDS) {
    endpoint.command(verb)
      .description(description)
      .argument('<endpoint>', ENDPOINT)
      .addOption(jsonOption())
      .action((id: string, options: JsonFlag) => setStatus(shell, id, status, options))
  }

  addDeliveryCommands(endpoint, ENDPOINT, shell)
}

const STATUS_COMMANDS: ReadonlyArray<readonly [verb: string, status: EndpointStatus, description: string]> = [
  ['enable', 'enabled', 'deliver events to an endpoint again, those that happen from now on'],
  ['disable', 'disabled', 'deliver no events to an endpoint, and drop the attempts that wait'],
]

const add = (shell: Shell, idOrName: string, url: string, { types, description, ...options }: AddOptions): Promise<void> =>
  withEndpoints(shell, idOrName, async ({ addEndpoint }, { id: workspace }, config) => {
    requireSecret(config, 'the secrets of endpoints')
    const added = await unwrap(addEndpoint({ by: commandLine(), workspace, url, types, description }))
    print(shell, options, secretView(added), () => secretLines(added, 'The secret is shown this once, so keep it now.'))
  })

const list = (shell: Shell, idOrName: string, options: JsonFlag): Promise<void> =>
  withEndpoints(shell, idOrName, async ({ listEndpoints }, { id: workspace }) => {
    const endpoints = await unwrap(listEndpoints(workspace))
    print(shell, options, endpoints.map(endpointView), () => (endpoints.length === 0 ? [NO_ENDPOINT] : endpointTable(endpoints)))
  })

const NO_ENDPOINT = 'The workspace has no endpoint yet; `postern endpoint add WORKSPACE URL` adds one.'

const endpointTable = (endpoints: ReadonlyArray<EventEndpoint>): ReadonlyArray<string> =>
  table(
    ['ID', 'STATUS', 'FAILING SINCE', 'TYPES', 'URL', 'DESCRIPTION'],
    endpoints.map(({ id, status, failingSince, types, url, description }) =>
      [id, status, iso(failingSince) ?? '-', types.join(','), printable(url), printable(description)]),
  )

const remove = (shell: Shell, id: string, options: JsonFlag): Promise<void> =>
  withEndpoint(shell, id, async ({ removeEndpoint }, { named }) => {
    await unwrap(removeEndpoint(named))
    print(shell, options, { id, removed: true }, () => [`Endpoint ${id} is removed.`])
  })

const rotate = (shell: Shell, id: string, options: JsonFlag): Promise<void> =>
  withEndpoint(shell, id, async ({ rotateSecret }, { named }, config) => {
    requireSecret(config, 'the secrets of endpoints')
    const rotated = await unwrap(rotateSecret(named))
    print(shell, options, secretView(rotated), () =>
      secretLines(rotated, `The new secret is shown this once, so keep it now. Until ${iso(rotated.previousUntil)} deliveries carry the signature of the old one too.`))
  })

const setStatus = (shell: Shell, id: string, status: EndpointStatus, options: JsonFlag): Promise<void> =>
  withEndpoint(shell, id, async ({ changeEndpoint }, { named }) => {
    const changed = await unwrap(changeEndpoint({ ...named, change: { status } }))
    print(shell, options, endpointView(changed), () => [
      status === 'enabled' ? `Endpoint ${id} is enabled; it gets the events from now on.` : `Endpoint ${id} is disabled; it gets no events.`,
    ])
  })

const secretView = ({ endpoint: { id }, secret }: EndpointWithSecret) => ({ id, secret })

const secretLines = ({ endpoint: { id }, secret }: EndpointWithSecret, note: string): ReadonlyArray<string> => [
  `endpoint  ${id}`,
  `secret    ${secret}`,
  note,
  'Your application verifies a delivery with it, as Standard Webhooks describes: in Node.js, new Webhook(secret).verify(body, headers) of the package standardwebhooks.',
  `\`postern endpoint test ${id}\` delivers a test.`,
]
