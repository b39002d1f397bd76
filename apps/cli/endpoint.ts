import { type Command, Option } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type DeliveryAttempt, deliveryView } from '../../core/events/delivery.js'
import type { EndpointActCommand, EndpointWithSecret } from '../../core/events/endpoint-use-cases.js'
import {
  ENDPOINT_FORMATS, type EndpointFormat, type EndpointStatus, endpointView, type EventEndpoint, formatOf, isEndpointId,
} from '../../core/events/endpoint.js'
import type { EventUseCases } from '../../core/events/use-cases.js'
import type { EventFilter } from '../../core/kernel/outbox.js'
import { beginningOf } from '../../core/kernel/text.js'
import type { Instant } from '../../core/kernel/time.js'
import type { Workspace } from '../../core/kernel/workspace.js'
import { printable } from '../server/summary.js'
import type { Config } from '../server/config.js'
import { commandLine, endpointTypes, endpointUrl, httpStatus, jsonOption, limitOption, moment, WORKSPACE } from './arguments.js'
import { type Opened, requireSecret, withStorage, withWorkspace } from './cli-config.js'
import { allItems, FaultFound, iso, type JsonFlag, print, table, unwrap, UsageError } from './output.js'
import type { Shell } from './shell.js'

/** An endpoint, and the ids with which use cases identify it. */
export type NamedEndpoint = { readonly endpoint: EventEndpoint; readonly named: EndpointActCommand }

/** Opens the database for one use of a workspace's endpoints. */
export const withEndpoints = <A>(
  shell: Shell, idOrName: string, use: (endpoints: EventUseCases, workspace: Workspace, config: Config) => Promise<A>,
): Promise<A> =>
  withWorkspace(shell, idOrName, (opened, workspace) => withUseCases(opened, (endpoints) => use(endpoints, workspace, opened.config)))

/** Opens the database for one use of an endpoint of any workspace. */
export const withEndpoint = <A>(
  shell: Shell, id: string, use: (endpoints: EventUseCases, endpoint: NamedEndpoint, opened: Opened) => Promise<A>,
): Promise<A> =>
  withStorage(shell, async (opened) => {
    const endpoint = isEndpointId(id) ? O.toUndefined(await unwrap(opened.storage.eventEndpoints.find(id))) : undefined
    if (endpoint === undefined) return unwrap(E.left({ _tag: 'EndpointNotFound', id }))
    return withUseCases(opened, (endpoints) =>
      use(endpoints, { endpoint, named: { by: commandLine(), workspace: endpoint.workspace, id } }, opened))
  })

const withUseCases = async <A>(
  { ports, settings, config: { events: { allow } } }: Opened, use: (endpoints: EventUseCases) => Promise<A>,
): Promise<A> => {
  const [{ makeWebhookSender }, { makeEvents }, { version }] = await Promise.all([
    import('../../adapters/webhooks/webhook-sender.js'), import('../../core/postern.js'), import('../server/package.js'),
  ])
  const webhooks = makeWebhookSender({ version: version(), allow })
  try {
    return await use(makeEvents({ ...ports, webhooks }, settings))
  } finally {
    webhooks.close()
  }
}

type ListOptions = JsonFlag & { readonly limit?: number }
type RedeliverOptions = JsonFlag & {
  readonly event?: string
  readonly failed?: true
  readonly since?: Instant
  readonly until?: Instant
  readonly types?: EventFilter
  readonly httpStatus?: number
}

/** The `postern endpoint …` commands for deliveries. */
export const addDeliveryCommands = (endpoint: Command, id: string, shell: Shell): void => {
  endpoint.command('test')
    .description('send a test event now and show the response; exit status 1 if the endpoint did not accept it')
    .argument('<endpoint>', id)
    .addOption(jsonOption())
    .action((one: string, options: JsonFlag) => test(shell, one, options))

  endpoint.command('deliveries')
    .description('list the delivery attempts of an endpoint, newest first')
    .argument('<endpoint>', id)
    .addOption(limitOption())
    .addOption(jsonOption())
    .action((one: string, options: ListOptions) => deliveries(shell, one, options))

  endpoint.command('redeliver')
    .description('redeliver one event, all failed events, or all events since a date and time')
    .argument('<endpoint>', id)
    .addOption(new Option('--event <id>', "the event's id, evt_…").conflicts(['since', ...FAILED_ONLY, 'failed']))
    .addOption(new Option('--failed', 'only events whose latest attempt failed; --types, --until and --http-status imply it'))
    .addOption(
      new Option('--since <iso>', 'events since this date and time; without --failed, all that the endpoint subscribes to')
        .argParser(moment),
    )
    .addOption(new Option('--until <iso>', 'failed events before this date and time').argParser(moment))
    .addOption(
      new Option('--types <list>', 'failed events of these types, separated by commas, such as message.*,wallet.low')
        .argParser(endpointTypes),
    )
    .addOption(new Option('--http-status <n>', 'failed events whose latest attempt got this HTTP status').argParser(httpStatus))
    .addOption(jsonOption())
    .action((one: string, options: RedeliverOptions) => redeliver(shell, one, options))
}

const test = (shell: Shell, id: string, options: JsonFlag): Promise<void> =>
  withEndpoint(shell, id, async ({ testEndpoint }, { endpoint: { url }, named }) => {
    const attempt = await unwrap(testEndpoint(named))
    const { delivered, answer } = attempt
    print(shell, options, deliveryView(attempt), () => [
      delivered
        ? `${printable(url)} accepted the test: ${outcomeOf(attempt)}.`
        : `${printable(url)} did not accept the test: ${outcomeOf(attempt)}.`,
      ...(answer === undefined || answer === '' ? [] : [`Response: ${printable(beginningOf(answer, SHOWN_ANSWER))}`]),
    ])
    if (!delivered) throw new FaultFound()
  })

/** How many characters of a response are shown to people; `--json` prints the whole response. */
const SHOWN_ANSWER = 500

const outcomeOf = ({ httpStatus, durationMs, error }: DeliveryAttempt): string =>
  [
    ...(httpStatus === undefined ? [] : [`HTTP ${httpStatus}`]), ...(error === undefined ? [] : [printable(error).replace(/\.$/, '')]),
    `${durationMs} ms`,
  ].join(', ')

const deliveries = (shell: Shell, id: string, { limit, ...options }: ListOptions): Promise<void> =>
  withEndpoint(shell, id, async ({ listDeliveries }, { named }) => {
    const attempts = await allItems((query) => listDeliveries(named, query), limit)
    print(shell, options, attempts.map(deliveryView), () =>
      attempts.length === 0
        ? ['Nothing was delivered to this endpoint yet.']
        : table(
            ['AT', 'EVENT', 'TYPE', 'RESULT', 'HTTP', 'MS', 'NEXT ATTEMPT', 'ERROR'],
            attempts.map(({ at, event, type, delivered, httpStatus, durationMs, nextAttemptAt, error = '' }) =>
              [
                iso(at), event, type, delivered ? 'delivered' : 'failed', String(httpStatus ?? '-'), String(durationMs),
                iso(nextAttemptAt) ?? '-', printable(error),
              ]),
          ),
    )
  })

const FAILED_ONLY = ['until', 'types', 'httpStatus'] as const

const redeliver = (shell: Shell, id: string, { event, ...options }: RedeliverOptions): Promise<void> => {
  const { failed = FAILED_ONLY.some((name) => options[name] !== undefined), since, until, types, httpStatus: status } = options
  if (event === undefined && !failed && since === undefined) {
    throw new UsageError('Give --event EVENT, --failed or --since MOMENT to choose the events to redeliver.')
  }
  return withEndpoint(shell, id, async ({ redeliverEvent, redeliverFailed, redeliverSince }, { named }) => {
    const events = event !== undefined
      ? await unwrap(redeliverEvent({ ...named, event })).then(() => 1)
      : await unwrap(failed
        ? redeliverFailed({ ...named, filter: { since, until, types, httpStatus: status } })
        : redeliverSince({ ...named, since: since ?? 0 }))
    print(shell, options, { endpoint: id, events }, () => [
      events === 1 ? `One event will be redelivered to ${id}.` : `${events} events will be redelivered to ${id}.`,
    ])
  })
}

type AddOptions = JsonFlag & { readonly format: EndpointFormat; readonly types?: ReadonlyArray<string>; readonly description?: string }

const ENDPOINT = "the endpoint's id, as `postern endpoint list` shows it"

/** `postern endpoint …`: the endpoints that receive events. */
export const addEndpointCommands = (program: Command, shell: Shell): void => {
  const endpoint = program.command('endpoint').description("where a workspace's events are delivered")

  endpoint.command('add')
    .description('deliver events to a URL from now on, and print the signing secret; it cannot be shown again')
    .argument('<workspace>', WORKSPACE)
    .argument('<url>', 'the address, such as https://shop.example/postern', endpointUrl)
    .addOption(new Option('--format <format>', "events of Postern, or the platform's raw notifications").choices(ENDPOINT_FORMATS)
    .default('postern'))
    .option('--types <list>', 'only these event types, separated by commas, such as message.received,wallet.*', endpointTypes)
    .option('--description <text>', 'what it is for')
    .addOption(jsonOption())
    .action((workspace: string, url: string, options: AddOptions) => add(shell, workspace, url, options))

  endpoint.command('list')
    .description('list the endpoints of a workspace, oldest first; secrets are never shown')
    .argument('<workspace>', WORKSPACE)
    .addOption(jsonOption())
    .action((workspace: string, options: JsonFlag) => list(shell, workspace, options))

  endpoint.command('remove')
    .description('remove an endpoint with its secret and its delivery log')
    .argument('<endpoint>', ENDPOINT)
    .addOption(jsonOption())
    .action((id: string, options: JsonFlag) => remove(shell, id, options))

  endpoint.command('rotate')
    .description('create a new secret and print it; it cannot be shown again. Deliveries are signed with both secrets for 24 hours')
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
  ['enable', 'enabled', 'enable an endpoint: it receives the events that occur from now on'],
  ['disable', 'disabled', 'disable an endpoint, and drop its pending deliveries'],
]

const add = (shell: Shell, idOrName: string, url: string, { format, types, description, ...options }: AddOptions): Promise<void> =>
  withEndpoints(shell, idOrName, async ({ addEndpoint }, { id: workspace }, config) => {
    requireSecret(config, 'the secrets of endpoints')
    const added = await unwrap(addEndpoint({ by: commandLine(), workspace, url, format, types, description }))
    print(shell, options, secretView(added), () => secretLines(added, 'The secret cannot be shown again; store it now.'))
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
      [
        id, status, iso(failingSince) ?? '-', formatOf({ types }) === 'platform' ? 'format platform' : types.join(','), printable(url),
        printable(description),
      ]),
  )

const remove = (shell: Shell, id: string, options: JsonFlag): Promise<void> =>
  withEndpoint(shell, id, async ({ removeEndpoint }, { named }) => {
    await unwrap(removeEndpoint(named))
    print(shell, options, { id, removed: true }, () => [`Endpoint ${id} is removed.`])
  })

const rotate = (shell: Shell, id: string, options: JsonFlag): Promise<void> =>
  withEndpoint(shell, id, async ({ rotateSecret }, { endpoint, named }, { config, storage }) => {
    requireSecret(config, 'the secrets of endpoints')
    const opens = E.isRight(await storage.eventEndpoints.secretsOf(endpoint.id))
    const rotated = await unwrap(rotateSecret(named))
    const old = opens
      ? `Until ${iso(rotated.previousUntil)}, deliveries are also signed with the old secret.`
      : 'The old secret cannot be decrypted with this POSTERN_SECRET, so deliveries are signed only with the new one.'
    print(shell, options, secretView(rotated), () => secretLines(rotated, `The new secret cannot be shown again; store it now. ${old}`))
  })

const setStatus = (shell: Shell, id: string, status: EndpointStatus, options: JsonFlag): Promise<void> =>
  withEndpoint(shell, id, async ({ changeEndpoint }, { named }) => {
    const changed = await unwrap(changeEndpoint({ ...named, change: { status } }))
    print(shell, options, endpointView(changed), () => [
      status === 'enabled' ? `Endpoint ${id} is enabled; it receives the events that occur from now on.` : `Endpoint ${id} is disabled; it receives no events.`,
    ])
  })

const secretView = ({ endpoint: { id }, secret }: EndpointWithSecret) => ({ id, secret })

const secretLines = ({ endpoint: { id }, secret }: EndpointWithSecret, note: string): ReadonlyArray<string> => [
  `endpoint  ${id}`,
  `secret    ${secret}`,
  note,
  'Your application verifies a delivery with it, as Standard Webhooks describes: in Node.js, new Webhook(secret).verify(body, headers) of the package standardwebhooks.',
  `\`postern endpoint test ${id}\` sends a test event.`,
]
