// Slow: starts processes of the compiled program.
import { readFile } from 'node:fs/promises'
import { assert } from 'chai'
import { startSimulator } from '../../apps/simulator/simulator.js'
import { customerOf, nameOf, send } from '../attack/sends.js'
import { openAccount } from '../support/books.js'
import { SECRET } from '../support/gateway.js'
import { posternProcess } from '../support/postern.js'
import { makeScratch, type Scratch } from '../support/scratch.js'
import { startServer } from '../support/server-process.js'

/** Writes the address of each file that the process loads, and at its end the internal modules of Node.js. */
const RECORDER = `
  import { appendFileSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  const record = (text) => appendFileSync(process.env.RECORD_LOADED, text + '\\n')
  registerHooks({ load: (url, context, next) => { record(url); return next(url, context) } })
  process.once('exit', () => record(process.moduleLoadList.join('\\n')))`

/** The code for what few processes do: only its own first use loads it. */
const ON_DEMAND = [
  /adapters\/console\/(?!limits)/, /adapters\/(oidc\/(?!issuer-address)|brokers\/|opentelemetry\/)/, /koa\/mcp\/server/,
  /node_modules\/(@modelcontextprotocol|amqplib|csv-parse|d3-scale|formidable|got|koa-body|mysql2|nats|nodemailer|openid-client|pg|preact|zod)\//,
]

const OF_SERVERS = [/node_modules\/(inversify|koa|pino|prom-client|undici)\//, /adapters\/(cloud-api|koa)\//, /apps\/(demo|simulator)\//]

describe('The code that a process loads', () => {
  let scratch: Scratch
  const recorded = (env: Readonly<Record<string, string>>) => ({
    ...env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(RECORDER)}`, RECORD_LOADED: scratch.path('loaded'),
  })
  const loaded = async (unwanted: ReadonlyArray<RegExp>): Promise<ReadonlyArray<string>> => {
    const all = (await readFile(scratch.path('loaded'), 'utf8')).split('\n')
    assert.isAbove(all.length, 100, 'nothing was recorded')
    return all.filter((one) => unwanted.some((pattern) => pattern.test(one)))
  }

  beforeEach(async () => { scratch = await makeScratch() })
  afterEach(() => scratch.remove())

  it('is what a command needs that reads', async () => {
    const url = `sqlite:${scratch.path('postern.db')}`
    await openAccount(url, 1_000_000n)
    const { status, stderr } = await posternProcess(['workspace', 'list'], recorded({ DATABASE_URL: url }))
    assert.equal(status, 0, stderr)
    assert.deepEqual(await loaded([...ON_DEMAND, ...OF_SERVERS]), [])
  })

  it('is what a gateway needs for its first send', async () => {
    const url = `sqlite:${scratch.path('postern.db')}`
    const { key } = await openAccount(url, 1_000_000n)
    const simulator = await startSimulator()
    try {
      const server = await startServer(recorded({ DATABASE_URL: url, POSTERN_SECRET: SECRET, PLATFORM_URL: simulator.url }))
      assert.equal(nameOf(await send(server.url, key, customerOf(1))), '200')
      server.signal('SIGTERM')
      await server.ended
    } finally {
      await simulator.close()
    }
    assert.deepEqual(await loaded([...ON_DEMAND, /internal\/deps\/undici/]), [])
  })
})
