import { type IncomingMessage, request } from 'node:http'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { ListReading } from '../../../../../core/templates/catalogue.js'
import type { SyncByHand } from '../../../../../core/templates/sync.js'
import { role } from '../../../../core/use-cases/member-world.js'
import { eventually } from '../../../../support/eventually.js'
import { openConsole, type OpenConsole } from '../../browser.js'

/** A reading that ends when the test says how. */
const slowSync = () => {
  let reading: ListReading | undefined
  let end: (result: Awaited<ReturnType<SyncByHand>>) => void = () => undefined
  const syncTemplates: SyncByHand = (command) => {
    reading = command.reading
    return new Promise((resolve) => { end = resolve })
  }
  return { syncTemplates, reading: () => reading, end: (result: Parameters<typeof end>[0]) => end(result) }
}

describe('The page that reads the list of templates', () => {
  let console: OpenConsole
  let cookie: string
  let slow: ReturnType<typeof slowSync>
  beforeEach(async () => {
    slow = slowSync()
    console = await openConsole({ uses: { templates: { syncByHand: slow.syncTemplates } } })
    cookie = `postern_session=${(await console.join('dev@example.com', role(console.workspace, 'developer'))).token}`
  })
  afterEach(() => console.close())

  /** Begins the reading; `text` is what has come of the page so far. */
  const begin = async () => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request({
        port: console.port, host: '127.0.0.1', method: 'POST', path: `/console/workspaces/${console.workspace}/templates/sync`,
        headers: { Cookie: cookie, Origin: console.origin },
      }, resolve).on('error', reject).end()
    })
    let text = ''
    let hasEnded = false
    response.setEncoding('utf8')
      .on('data', (chunk: string) => { text += chunk })
      .on('end', () => { hasEnded = true })
      .on('error', () => undefined)
    const reading = await eventually('the beginning of the reading', slow.reading)
    return { response, reading, text: () => text, ended: () => eventually('the end of the page', () => hasEnded || undefined) }
  }

  it('shows how far it has come, and then the result', async () => {
    const { response, reading, text, ended } = await begin()
    assert.equal(response.statusCode, 200)
    await eventually('the head of the page', () => text().includes('If you leave this page, the update stops') || undefined)
    for (const count of [100, 250]) {
      reading.onPage(count)
      await eventually('the count', () => text().includes(`${count} templates so far.`) || undefined)
    }
    assert.isFalse(reading.isStopped())
    assert.notInclude(text(), '</html>')
    slow.end(E.right({ accountId: '1', templates: 251 }))
    await ended()
    assert.match(text(), /The list was updated: 251 templates\.<\/p><\/div>.*<\/main>.*<\/html>$/)
  })

  it('stops the reading once the browser has left', async () => {
    const { response, reading } = await begin()
    assert.isFalse(reading.isStopped())
    response.destroy()
    await eventually('the stop', () => reading.isStopped() || undefined)
    reading.onPage(100)
    slow.end(E.left({ _tag: 'SyncStopped' }))
  })

  it('says what failed, whole, and logs what the page does not say', async () => {
    const refused = await begin()
    slow.end(E.left({ _tag: 'PlatformUnreachable', cause: 'x' }))
    await refused.ended()
    assert.match(refused.text(), /role="alert".*<\/html>$/)
    const failed = await begin()
    slow.end(E.left({ _tag: 'PortFailure', port: 'TemplateCatalogue', cause: new Error('disk full') }))
    await failed.ended()
    assert.match(failed.text(), /Postern is unavailable at the moment.*<\/html>$/)
    assert.isTrue(console.lines.some((line) => line.includes('port_failed') && line.includes('disk full')))
    assert.notInclude(failed.text(), 'disk full')
  })
})
