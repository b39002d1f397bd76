import { type Command, Option } from 'commander'
import { type DeliveryAttempt, deliveryView } from '../../core/events/delivery.js'
import type { Instant } from '../../core/kernel/time.js'
import { printable } from '../operator/summary.js'
import { jsonOption, limitOption, moment } from './arguments.js'
import { withEndpoint } from './endpoint-use-cases.js'
import { FaultFound, unwrap, UsageError } from './error-messages.js'
import { iso, type JsonFlag, print, table } from './output.js'
import { allItems } from './pages.js'
import type { Shell } from './shell.js'

type ListOptions = JsonFlag & { readonly limit?: number }
type RedeliverOptions = JsonFlag & { readonly event?: string; readonly since?: Instant }

/** The commands of `postern endpoint …` that are about deliveries. */
export const addDeliveryCommands = (endpoint: Command, id: string, shell: Shell): void => {
  endpoint.command('test')
    .description('deliver a test now, and say what came back; exit status 1 if it was not taken')
    .argument('<endpoint>', id)
    .addOption(jsonOption())
    .action((one: string, options: JsonFlag) => test(shell, one, options))

  endpoint.command('deliveries')
    .description('show the attempts to deliver to an endpoint, newest first')
    .argument('<endpoint>', id)
    .addOption(limitOption())
    .addOption(jsonOption())
    .action((one: string, options: ListOptions) => deliveries(shell, one, options))

  endpoint.command('redeliver')
    .description('deliver one event again, or all since a moment')
    .argument('<endpoint>', id)
    .addOption(new Option('--event <id>', "the event's id, evt_…").conflicts('since'))
    .addOption(new Option('--since <iso>', 'all events since this moment that the endpoint asks for').argParser(moment))
    .addOption(jsonOption())
    .action((one: string, options: RedeliverOptions) => redeliver(shell, one, options))
}

const test = (shell: Shell, id: string, options: JsonFlag): Promise<void> =>
  withEndpoint(shell, id, async ({ testEndpoint }, { endpoint: { url }, named }) => {
    const attempt = await unwrap(testEndpoint(named))
    const { delivered, answer } = attempt
    print(shell, options, deliveryView(attempt), () => [
      delivered
        ? `${printable(url)} took the test: ${outcomeOf(attempt)}.`
        : `${printable(url)} did not take the test: ${outcomeOf(attempt)}.`,
      ...(answer === undefined || answer === '' ? [] : [`It answered: ${printable(answer.slice(0, SHOWN_ANSWER))}`]),
    ])
    if (!delivered) throw new FaultFound()
  })

/** How many characters of an answer people see; `--json` has all of it. */
const SHOWN_ANSWER = 500

const outcomeOf = ({ httpStatus, durationMs, error }: DeliveryAttempt): string =>
  [...(httpStatus === undefined ? [] : [`HTTP ${httpStatus}`]), ...(error === undefined ? [] : [printable(error).replace(/\.$/, '')]), `${durationMs} ms`].join(', ')

const deliveries = (shell: Shell, id: string, { limit, ...options }: ListOptions): Promise<void> =>
  withEndpoint(shell, id, async ({ listDeliveries }, { named }) => {
    const attempts = await allItems((query) => listDeliveries(named, query), limit)
    print(shell, options, attempts.map(deliveryView), () =>
      attempts.length === 0
        ? ['Nothing was delivered to this endpoint yet.']
        : table(
            ['AT', 'EVENT', 'TYPE', 'RESULT', 'HTTP', 'MS', 'NEXT ATTEMPT', 'ERROR'],
            attempts.map(({ at, event, type, delivered, httpStatus, durationMs, nextAttemptAt, error = '' }) =>
              [iso(at), event, type, delivered ? 'delivered' : 'failed', String(httpStatus ?? '-'), String(durationMs), iso(nextAttemptAt) ?? '-', printable(error)]),
          ),
    )
  })

const redeliver = (shell: Shell, id: string, { event, since, ...options }: RedeliverOptions): Promise<void> => {
  if (event === undefined && since === undefined) throw new UsageError('Say what to deliver again: --event EVENT, or --since MOMENT.')
  return withEndpoint(shell, id, async ({ redeliverEvent, redeliverSince }, { named }) => {
    const events = event === undefined ? await unwrap(redeliverSince({ ...named, since: since ?? 0 })) : await unwrap(redeliverEvent({ ...named, event })).then(() => 1)
    print(shell, options, { endpoint: id, events }, () => [
      events === 1 ? `One event is delivered to ${id} again.` : `${events} events are delivered to ${id} again.`,
    ])
  })
}
