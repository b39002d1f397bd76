import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { CODES, type ErrorCode } from '../../../../../core/explanations/codes.js'
import type { LoggedRequest } from '../../../../../core/requests/request-log.js'
import { role } from '../../../../core/use-cases/member-world.js'
import { done } from '../../../../support/right-of.js'
import { openConsole, type OpenConsole } from '../../browser.js'

describe('the pages of requests', () => {
  let console: OpenConsole
  let path: string
  let cookie: string
  beforeEach(async () => {
    console = await openConsole()
    path = `/console/workspaces/${console.workspace}/requests`
    cookie = `postern_session=${(await console.join('dev@example.com', role(console.workspace, 'developer'))).token}`
  })
  afterEach(() => console.close())

  const made = async (more: Partial<LoggedRequest> = {}): Promise<LoggedRequest> => {
    const entry: LoggedRequest = {
      id: uuidv7().replaceAll('-', ''), workspace: console.workspace, requestId: uuidv7(), key: 'feedbeef', method: 'POST',
      route: '/v1/messages/send-text', status: 200, durationMs: 12, at: console.clock.at, ...more,
    }
    await done(console.storage.requestLog.append([entry]))
    return entry
  }
  const refusedFor = (code: ErrorCode, more: Partial<LoggedRequest> = {}) => made({ status: CODES[code].status, code, ...more })
  const list = async (query = '') => (await console.get(path + query, cookie)).text
  const rowsIn = (text: string): number => text.match(/requests\/[0-9a-f]{32}"/g)?.length ?? 0

  it('lists the calls newest first, with the name of the key, and says what is kept', async () => {
    const key = await done(
      console.storage.keyStore.mint({ workspace: console.workspace, name: 'the till', at: console.clock.at, scopes: ['send'] }),
    )
    const first = await made({ key: key.id })
    const second = await refusedFor('window_closed', { leftOut: 4_292 })
    const text = await list()
    assert.isBelow(text.indexOf(second.id), text.indexOf(first.id))
    for (const shown of [
      'the till', 'POST /v1/messages/send-text', 'window closed', '12 ms', '4292 earlier requests were not kept',
      'Requests of the last 7 days', 'the first 120', 'first 300',
    ]) {
      assert.include(text, shown)
    }
    assert.include(text, `data-copy="${first.requestId}"`)
    assert.include(
      await list().then(() => console.get(`/console/workspaces/${console.workspace}/keys`, cookie)).then((page) => page.text),
      `href="${path}"`, 'the navigation leads there',
    )
  })

  it('filters by what was refused, a reason, a key and the id of a request, and keeps the filter on the pages after', async () => {
    for (let count = 0; count < 60; count += 1) await refusedFor('rate_limited')
    await made({ key: 'other' })
    const closed = await refusedFor('window_closed', { key: 'other' })
    assert.equal(rowsIn(await list('?refused=on&key=other')), 1)
    assert.equal(rowsIn(await list(`?request=${closed.requestId}`)), 1)
    assert.equal(rowsIn(await list('?code=window_closed')), 1)
    const [page, next = ''] = [await list('?code=rate_limited'), /href="([^"]+cursor=[^"]+)"/.exec(await list('?code=rate_limited'))?.[1]]
    assert.equal(rowsIn(page), 50)
    assert.include(next, 'code=rate_limited')
    assert.equal(rowsIn((await console.get(next.replaceAll('&amp;', '&'), cookie)).text), 10)
    assert.include(await list('?request=nothing_like_it'), 'No requests match')
    assert.include(await list('?code=nothing_like_it'), 'does not accept “nothing_like_it”')
    assert.notInclude(await list('?request=%3Cscript%3E'), '<script>')
  })

  it('shows of a refused call what it means, what to change, and the call as a command without what it said', async () => {
    const { id, requestId } = await refusedFor('window_closed')
    const { status, text } = await console.get(`${path}/${id}`, cookie)
    assert.equal(status, 200)
    for (const shown of [
      requestId, 'The customer service window is closed', 'Send an approved template with', 'href="/errors/window_closed"', '-d @body.json',
      'Bearer $POSTERN_KEY', `curl -X POST &quot;${console.origin}/v1/messages/send-text&quot;`,
    ]) {
      assert.include(text, shown)
    }
  })

  it('explains every code there is', async () => {
    for (const code of Object.keys(CODES) as ReadonlyArray<ErrorCode>) {
      const { id } = await refusedFor(code)
      assert.include((await console.get(`${path}/${id}`, cookie)).text, `href="/errors/${code}"`, code)
    }
  })

  it('shows of a call that was answered its message, and of one with a name in its address a variable for it', async () => {
    const message = `msg_${'0'.repeat(32)}`
    const sent = await made({ message })
    assert.include((await console.get(`${path}/${sent.id}`, cookie)).text, `/messages/${message}"`)
    const read = await made({ method: 'GET', route: '/v1/windows/{to}' })
    const { text } = await console.get(`${path}/${read.id}`, cookie)
    assert.include(text, '/v1/windows/${TO}')
    assert.notInclude(text, 'body.json')
  })

  it('finds a call by the id of its request from the search, and lists those that a client gave the same id', async () => {
    const { id, requestId } = await refusedFor('window_closed')
    const found = await console.get(`/console/workspaces/${console.workspace}/search?q=${requestId}`, cookie)
    assert.equal(found.headers['location'], `${path}/${id}`)
    for (const _ of [1, 2]) await made({ requestId: 'order-1742' })
    const several = await console.get(`/console/workspaces/${console.workspace}/search?q=order-1742`, cookie)
    assert.equal(rowsIn(several.text), 2)
    const everywhere = await console.get(`/console/search?q=${requestId}`, cookie)
    assert.equal(everywhere.headers['location'], `${path}/${id}`)
  })

  it('shows no call of another workspace, in a list, by its id or in the search', async () => {
    const other = await console.newWorkspace()
    const { id, requestId } = await made({ workspace: other })
    assert.notInclude(await list(), id)
    assert.equal((await console.get(`${path}/${id}`, cookie)).status, 404)
    assert.notInclude((await console.get(`/console/workspaces/${console.workspace}/search?q=${requestId}`, cookie)).text, id)
    assert.equal((await console.get(`/console/workspaces/${other}/requests`, cookie)).status, 403)
    for (const bad of ['x', '%00', 'A'.repeat(32), '..%2f']) assert.equal((await console.get(`${path}/${bad}`, cookie)).status, 404, bad)
  })
})
