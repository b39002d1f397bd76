import { parseArgs } from 'node:util'

/** The options of the bench. */
export type Options = {
  /** The duration of one run of a row, in seconds; the warm-up has the same duration. */
  readonly seconds: number
  /** The number of runs of a row; the median counts. */
  readonly rounds: number
  /** Only rows whose names match; all if absent. */
  readonly only: RegExp | undefined
  /** Only the bare Koa relay and Postern on SQLite, both with got, and one run of each. */
  readonly quick: boolean
  readonly json: boolean
  /** Measures events instead. */
  readonly events: boolean
  /** Measures only the start, memory at rest and ten thousand sends in flight. */
  readonly inFlight: boolean
  /** Measures gateways on a Galera cluster instead. */
  readonly galera: boolean
  /** Measures a sender at its limit instead. */
  readonly senders: boolean
  /** Measures other releases of Node.js and another gateway instead. */
  readonly others: boolean
  /** Measures batches beside single requests instead. */
  readonly batches: boolean
  /** Measures a long queue beside an open transaction instead. */
  readonly queue: boolean
  /** Measures pages of the console instead. */
  readonly console: boolean
  /** The number of stored messages with which the console's pages are measured. */
  readonly messages: number
  /** A folder for a CPU profile of each gateway. */
  readonly profile: string | undefined
}

export const USAGE = `npm run bench -- [options]

  --quick           the bare Koa relay and Postern on SQLite, both with got, in a minute
  --only REGEX      only the rows whose names match, and the ratios of those; also the names 'MySQL, storage alone', 'start and rest' and '10,000 in flight'
  --seconds N       how long one run of a row takes (default 3)
  --rounds N        runs of each row and of each other measurement, in turns; the median counts (default 3, with --quick 1)
  --events          what events cost: a send with an endpoint, the latency, a dead endpoint beside others; --only takes databases
  --in-flight       only the time from start to first send, memory at rest, and memory with ten thousand sends in flight on a platform of two seconds
  --galera          three gateways on three nodes of a Galera cluster against three on one of them, by processor time
  --senders         a sender at its limit through four gateways, and a request beside its full queue; with --seconds 60 in five minutes for a database; --only takes databases
  --others          the gateway on SQLite under Node.js 22 and 26 beside this one, and Kannel of Debian's package where it is installed
  --batches         a batch beside single requests, through one gateway without limits; --only takes databases
  --queue           a sender with a million waiting messages beside an open transaction, on MySQL and PostgreSQL; --only takes databases
  --console         server time of the console's overview and list of messages, on SQLite; --only takes databases
  --messages N      over how many messages (default 10000000)
  --json            one JSON value on standard output, nothing else
  --profile FOLDER  write a CPU profile of each gateway there and print where its time went
`

/** Reads the command line; throws an `Error` with a sentence if it is wrong. */
export const readOptions = (args: ReadonlyArray<string>): Options | 'help' => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string' },
      events: { type: 'boolean', default: false },
      'in-flight': { type: 'boolean', default: false },
      galera: { type: 'boolean', default: false },
      senders: { type: 'boolean', default: false },
      others: { type: 'boolean', default: false },
      batches: { type: 'boolean', default: false },
      queue: { type: 'boolean', default: false },
      console: { type: 'boolean', default: false },
      messages: { type: 'string', default: '10000000' },
      json: { type: 'boolean', default: false },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  return {
    seconds: positive('--seconds', values.seconds),
    rounds: Math.ceil(positive('--rounds', values.rounds ?? (values.quick ? '1' : '3'))),
    only: values.only === undefined ? undefined : new RegExp(values.only, 'i'),
    quick: values.quick,
    events: values.events,
    inFlight: values['in-flight'],
    galera: values.galera,
    senders: values.senders,
    others: values.others,
    batches: values.batches,
    queue: values.queue,
    console: values.console,
    messages: Math.ceil(positive('--messages', values.messages)),
    json: values.json,
    profile: values.profile,
  }
}

const positive = (name: string, text: string): number => {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`${name} must be a number above zero`)
  return value
}
