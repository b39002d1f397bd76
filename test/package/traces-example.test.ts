import { createServer } from 'node:http'
import { assert } from 'chai'
import { ROOT } from '../architecture/tree.js'
import { compiled } from '../support/compiled.js'
import { eventually } from '../support/eventually.js'
import { listening, withBody } from '../support/listening.js'
import { bareEnv } from '../support/postern.js'
import { startProgram } from '../support/program.js'
import { makeScratch } from '../support/scratch.js'

/** Starts the compiled gateway with the SDK of the page, asks whether it lives, and gives its output as long as the test looks at it. */
const withGateway = async (env: Record<string, string>, look: (output: () => string) => Promise<unknown>): Promise<void> => {
  const scratch = await makeScratch()
  const { logged, output, signal, ended } = startProgram(
    process.execPath, [compiled('apps/cli/main.js'), 'serve'],
    bareEnv({
      DATABASE_URL: `sqlite:${scratch.path('postern.db')}`, PORT: '0', TRACES: 'on', NODE_OPTIONS: '--import=./docs/examples/traces.ts',
      ...env,
    }),
    ROOT,
  )
  try {
    const [, url = ''] = await logged(/"url":"([^"]+)"/)
    assert.equal((await fetch(`${url}/health/live`)).status, 200)
    await look(output)
  } finally {
    signal('SIGKILL')
    await ended
    await scratch.remove()
  }
}

describe('the page of traces', () => {
  it('has an SDK that prints the spans of a gateway', async () => {
    await withGateway({}, (output) => eventually('the span', () => /name: 'GET \/health\/live'/.test(output()) || undefined))
  })

  it('has an SDK that sends them to a collector', async () => {
    const posted: Array<string> = []
    const collector = await listening(createServer(withBody(async (body, request, response) => {
      posted.push(`${request.url} ${body.toString()}`)
      response.setHeader('Content-Type', 'application/json').end('{}')
    })))
    try {
      await withGateway(
        { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'messages' },
        (output) => eventually('the span', () => posted[0]).then((first) => {
          assert.match(first, /^\/v1\/traces .*"name":"GET \/health\/live"/)
          assert.notMatch(output(), /name: 'GET/)
        }),
      )
    } finally {
      await collector.close()
    }
  })
})
