import * as E from 'fp-ts/lib/Either.js'
import { describeCause } from '../../../core/kernel/failure.js'
import type { Log } from '../log.js'
import { jsonContent, responseOf, rootOperation } from '../operation.js'
import { jsonReply, type Reply } from '../reply.js'
import { array, described, literal, named, record, string, word } from '../schema.js'

/** Whether requests can be served now. The reasons against it are for the operator and contain no secret. */
export type Readiness = {
  readonly ready: boolean
  readonly reasons: ReadonlyArray<string>
  /** Where the database has several hosts: the state of each, in the order of its URL. */
  readonly hosts?: ReadonlyArray<'used' | 'failed' | 'unused'>
}

/** What the readiness check needs. */
export type ReadinessDeps = {
  /** Without it the gateway is always ready. */
  readonly readiness?: () => Promise<Readiness>
}

const Healthy = named('Healthy', record({ status: literal('ok') }))

const DatabaseHosts = described(
  array(word({ used: 'connections to it are open', failed: 'the last attempt to use it failed', unused: 'it stands ready' })),
  'Where the database has several hosts: the state of each, in the order of its URL. Writes go to one that is `used`.',
)

const Ready = named('Ready', record({ status: literal('ok') }, { database_hosts: DatabaseHosts }))

const Unready = named('Unready', record({
  status: literal('unavailable'), reasons: described(array(string()), 'What is wrong, in sentences for the operator.'),
}, { database_hosts: DatabaseHosts }))

const HEALTHY = { status: 'ok' } as const

/** `GET /health/live` */
export const getLiveness = rootOperation({
  id: 'isLive',
  method: 'get',
  path: '/health/live',
  tag: 'Operations',
  summary: 'Whether the process runs',
  description: 'Looks at nothing but itself.',
  replies: { 200: responseOf('It runs.', jsonContent(Healthy, HEALTHY)) },
  definitions: Healthy.definitions,
  failures: {},
  handler: () => async (): Promise<E.Either<never, Reply>> => E.right(jsonReply(200, HEALTHY)),
})

/** `GET /health/ready` */
export const getReadiness = rootOperation({
  id: 'isReady',
  method: 'get',
  path: '/health/ready',
  tag: 'Operations',
  summary: 'Whether requests can be served',
  description: 'Looks at the database and its migrations.',
  replies: {
    200: responseOf('They can.', jsonContent(Ready, HEALTHY)),
    503: responseOf('They cannot.', jsonContent(Unready, { status: 'unavailable', reasons: ['Migrations are due'] })),
  },
  definitions: { ...Ready.definitions, ...Unready.definitions },
  failures: {},
  handler: ({ readiness = alwaysReady }: ReadinessDeps, log: Log) => async (): Promise<E.Either<never, Reply>> => {
    const { ready, reasons, hosts } = await readiness().catch((cause: unknown): Readiness => {
      log('error', 'readiness_failed', { cause: describeCause(cause) })
      return { ready: false, reasons: ['Readiness could not be checked'] }
    })
    const databaseHosts = hosts === undefined ? {} : { database_hosts: hosts }
    return E.right(ready ? jsonReply(200, { ...HEALTHY, ...databaseHosts }) : jsonReply(503, { status: 'unavailable', reasons, ...databaseHosts }))
  },
})

const alwaysReady = async (): Promise<Readiness> => ({ ready: true, reasons: [] })
