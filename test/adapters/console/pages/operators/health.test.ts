import { EventEmitter, once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { assert } from 'chai'
import type { CheckShown } from '../../../../../adapters/console/index.js'
import { eventually } from '../../../../support/eventually.js'
import { role } from '../../../../core/use-cases/member-world.js'
import { openConsole, type OpenConsole } from '../../browser.js'

const PATH = '/console/health'

/** Checks whose results the test gives, one by one. */
const slowChecks = () => {
  const [given, state] = [new EventEmitter(), { begun: 0, isEnded: false }]
  const runChecks = async function* (): AsyncGenerator<CheckShown> {
    try {
      for (;;) {
        state.begun += 1
        const [result] = await once(given, 'result') as [CheckShown | undefined]
        if (result === undefined) return
        yield result
      }
    } finally {
      state.isEnded = true
    }
  }
  return { runChecks, state, give: (result?: CheckShown) => void given.emit('result', result) }
}

describe('the page of health', () => {
  let console: OpenConsole
  beforeEach(async () => { console = await openConsole() })
  afterEach(() => console.close())

  it('shows an operator gateways, unknown outcomes, events and the rate card, and runs checks and a pass of reconciliation', async () => {
    const cookie = `postern_session=${(await console.join('boss@example.com')).token}`
    const shown = await console.get(PATH, cookie)
    for (const said of ['db-1', '1.2.3', 'process 42', 'Running', '2026-01-01', 'Oldest waiting event']) assert.include(shown.text, said)
    assert.include(shown.text, 'Needs you: 3 messages have an unknown outcome.')
    assert.include((await console.get('/console', cookie)).text, `href="${PATH}"`)
    assert.notInclude((await console.get(`/console/workspaces/${console.workspace}`, cookie)).text, `href="${PATH}"`)
    assert.include(shown.text, `href="${PATH}/checks"`)
    const checked = await console.get(`${PATH}/checks`, cookie)
    for (const said of ['1 of 2 checks found a fault.', 'it is &lt;not> set', 'Set it.']) assert.include(checked.text, said)
    const reconciled = await console.post(`${PATH}/reconcile`, {}, cookie)
    assert.include(reconciled.text, '0 became unconfirmed')
    const { act, outcome, by, details } = (await console.entries()).at(-1) ?? assert.fail('no entry')
    assert.deepEqual([act, outcome, by.type === 'member' && by.email], ['message.reconcile', 'done', 'boss@example.com'])
    assert.deepEqual(details, { unconfirmed: 0, refused: 0, released: 0, captured: 0, refunded: 0 })
  })

  /** Begins the checks; `text` is what has come of the page so far. */
  const begin = async (method = 'GET') => {
    await console.close()
    const checks = slowChecks()
    console = await openConsole({}, checks.runChecks)
    const cookie = `postern_session=${(await console.join('boss@example.com')).token}`
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ port: console.port, host: '127.0.0.1', method, path: `${PATH}/checks`, headers: { Cookie: cookie } }, resolve)
        .on('error', reject).end()
    })
    let text = ''
    let hasEnded = false
    response.setEncoding('utf8')
      .on('data', (chunk: string) => { text += chunk })
      .on('end', () => { hasEnded = true })
      .on('error', () => undefined)
    return { ...checks, response, text: () => text, ended: () => eventually('the end of the page', () => hasEnded || undefined) }
  }

  it('shows each result of a check as soon as it is there, in one page that needs no script', async () => {
    const { give, text, state, ended } = await begin()
    await eventually('the first check', () => state.begun === 1 || undefined)
    give({ check: 'database', fault: null, remedy: null })
    await eventually('the first result', () => text().includes('<strong>database</strong>') || undefined)
    assert.notInclude(text(), '</html>')
    await eventually('the second check', () => state.begun === 2 || undefined)
    give({ check: 'books of <Acme>', fault: 'they do not add up', remedy: 'Look.' })
    await eventually('the second result', () => text().includes('they do not add up.') || undefined)
    assert.notInclude(text(), 'checks found')
    await eventually('the third check', () => state.begun === 3 || undefined)
    give()
    await ended()
    assert.match(text(), /books of &lt;Acme>.*1 of 2 checks found a fault\..*<\/html>$/)
  })

  it('begins no other check once the browser has left', async () => {
    const { give, state, response } = await begin()
    await eventually('the first check', () => state.begun === 1 || undefined)
    response.destroy()
    // The server hears of it by itself; until then the checks go on.
    await eventually('the end', () => {
      give({ check: 'one', fault: null, remedy: null })
      return state.isEnded || undefined
    })
  })

  it('begins no check for a request of the head alone', async () => {
    const { state, response, ended } = await begin('HEAD')
    await ended()
    assert.deepEqual([response.statusCode, state.begun], [200, 0])
  })

  it('is for operators only', async () => {
    for (const who of ['owner', 'developer', 'viewer'] as const) {
      const cookie = `postern_session=${(await console.join(`${who}@example.com`, role(console.workspace, who))).token}`
      const replies = [
        await console.get(PATH, cookie), await console.get(`${PATH}/checks`, cookie), await console.post(`${PATH}/reconcile`, {}, cookie),
      ]
      assert.deepEqual(replies.map(({ status }) => status), [403, 403, 403], who)
      assert.notInclude((await console.get('/console', cookie)).text, `href="${PATH}"`)
    }
    assert.equal((await console.get(PATH)).headers['location'], `/console/sign-in?back=${encodeURIComponent(PATH)}`)
  })
})
