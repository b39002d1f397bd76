import { readFile } from 'node:fs/promises'
import { Session } from 'node:inspector/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assert } from 'chai'
import { signatureOf } from '../../adapters/cloud-api/index.js'
import { APP_SECRET, request } from '../support/gateway.js'
import { type InProcessFixture, startInProcessFixture, type Tenant } from '../support/process-fixture.js'
import { ROOT } from './tree.js'

const CUSTOMER = '33639980001'

/** How often a task runs. */
const RUNS = 12

/** The files of the numbered list under a heading, and the other files that it names, by their paths. */
const filesUnder = async (heading: string): Promise<{ readonly steps: ReadonlyArray<string>; readonly helpers: ReadonlyArray<string> }> => {
  const page = await readFile(join(ROOT, 'docs/reading-the-code.md'), 'utf8')
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  const named = (marker: string): ReadonlyArray<string> =>
    Array.from(section.matchAll(new RegExp(`^${marker} \`([^\`]+\\.ts)\``, 'gm')), ([, path = '']) => path)
  return { steps: named('\\d+\\.'), helpers: named('-') }
}

/** Records which functions run between its start and its stop. */
type Coverage = {
  /** The files of this repository with a function that runs during a task; a function that starts at the beginning of a file is the file itself. */
  readonly filesRunDuring: (task: () => Promise<void>) => Promise<ReadonlySet<string>>
  readonly stop: () => void
}

/**
 * V8 does not count functions that it has inlined into others, and it discards such code when counting starts; but code that it was compiling then
 * becomes active a little later. So counting starts long before the first task, and each task uses the counts since the previous one.
 */
const startCoverage = async (): Promise<Coverage> => {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  return {
    filesRunDuring: async (task) => {
      await session.post('Profiler.takePreciseCoverage')
      await task()
      const { result } = await session.post('Profiler.takePreciseCoverage')
      const run = result.filter(({ url, functions }) =>
        url.startsWith('file:') && functions.some(({ ranges: [range] }) => range !== undefined && range.startOffset > 0 && range.count > 0))
      return new Set(run.map(({ url }) => relative(ROOT, fileURLToPath(url))))
    },
    stop: () => session.disconnect(),
  }
}

/** Apps only connect the running parts; the code that handles a request is in core and the adapters. */
const ours = (files: Iterable<string>): ReadonlyArray<string> => [...files].filter((path) => /^(core|adapters)\//.test(path)).sort()

describe('the page on reading the code', () => {
  let gateway: InProcessFixture
  let tenant: Tenant
  let coverage: Coverage

  /**
   * The files that run each time, and those that run at least once. Files of the gateway's jobs that run meanwhile are not among the first, because no job runs that
   * often, even on a slow machine. A file whose functions V8 inlines in a run is among the second.
   */
  const filesRun = async (
    task: () => Promise<void>,
  ): Promise<{ readonly always: ReadonlySet<string>; readonly ever: ReadonlySet<string> }> => {
    let always = await coverage.filesRunDuring(task)
    let ever = always
    for (let more = 1; more < RUNS; more += 1) {
      const again = await coverage.filesRunDuring(task)
      always = new Set([...always].filter((path) => again.has(path)))
      ever = new Set([...ever, ...again])
    }
    return { always, ever }
  }

  /** Checks that the page names each file that runs each time, and no file that does not run. */
  const areNamed = (run: Awaited<ReturnType<typeof filesRun>>, { steps, helpers }: Awaited<ReturnType<typeof filesUnder>>): void => {
    const named = [...steps, ...helpers]
    assert.deepEqual(named.filter((path) => !run.ever.has(path)), [], 'named, and does not run')
    assert.deepEqual(ours(run.always).filter((path) => !named.includes(path)), [], 'runs, and is not named')
  }

  before(async () => {
    coverage = await startCoverage()
    gateway = await startInProcessFixture({ TEMPLATE_SYNC_MINUTES: '0' })
    tenant = await gateway.tenant()
    await tenant.customerWrites(CUSTOMER)
  })
  after(async () => {
    coverage.stop()
    await gateway[Symbol.asyncDispose]()
  })

  it('names the files that a send runs through, fewer than twenty', async () => {
    const named = await filesUnder('A send')
    gateway.simulator.setWebhook(undefined)
    const send = async (): Promise<void> => {
      const { status } = await tenant.ask('POST', '/v1/messages/send-text', { json: { to: CUSTOMER, text: 'hello' } })
      assert.equal(status, 200)
    }
    // Reads start early only for a key that was used before.
    await send()
    assert.isBelow(named.steps.length, 20)
    areNamed(await filesRun(send), named)
  })

  it('names the files that a notification runs through, fewer than nine', async () => {
    const named = await filesUnder('A notification')
    const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '1', changes: [{ field: 'messages', value: {
      metadata: { phone_number_id: '1001' }, contacts: [{ wa_id: CUSTOMER, profile: { name: 'Ada' } }],
      messages: [{ from: CUSTOMER, id: 'wamid.X1', timestamp: String(Math.floor(Date.now() / 1_000)), type: 'text', text: { body: 'hi' } }],
    } }] }] })
    const notify = async (): Promise<void> => {
      const headers = { 'X-Hub-Signature-256': signatureOf(APP_SECRET, Buffer.from(body)) }
      const { status } = await request(`${gateway.url}/webhooks/platform`, 'POST', undefined, { body, headers })
      assert.equal(status, 200)
    }
    await notify()
    assert.isBelow(named.steps.length, 9)
    areNamed(await filesRun(notify), named)
  })
})
