import { type IncomingMessage, request } from 'node:http'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { ShownUseCases } from '../../../../../adapters/console/index.js'
import type { Entry } from '../../../../../core/money/ledger.js'
import { PASSWORD, role } from '../../../../core/use-cases/member-world.js'
import { eventually } from '../../../../support/eventually.js'
import { cookieOf, openConsole, type OpenConsole } from '../../browser.js'

const entry: Entry = { id: '0'.repeat(32), kind: 'capture', micros: 1n, message: undefined, reference: 'r'.repeat(200), at: 0 }

describe('The downloads of the console', () => {
  it('begin with a byte order mark, once, by which Excel reads them as UTF-8', async () => {
    const console = await openConsole()
    try {
      const { token } = await console.join('ann@example.com')
      const month = new Date(console.clock.at).toISOString().slice(0, 7)
      // Those of batches are of one batch or one template, and have their own test.
      const paths = console.pages.map(({ path }) => path).filter((path) => path.endsWith('.csv') && !path.includes('/batches/'))
      assert.isAtLeast(paths.length, 3)
      for (const path of paths) {
        const { status, headers, text } = await console.get(
          path.replace(':workspace', console.workspace).replace(':month', month), `postern_session=${token}`,
        )
        assert.equal(status, 200, path)
        assert.equal(headers['content-type'], 'text/csv; charset=utf-8', path)
        assert.equal(text.lastIndexOf('\ufeff'), 0, path)
      }
    } finally {
      await console.close()
    }
  })
})

describe('The download of a statement that never ends', () => {
  let console: OpenConsole
  let cookie: string
  let reads: number
  beforeEach(async () => {
    reads = 0
    const money: Partial<ShownUseCases['money']> = {
      readStatement: async (_workspace, { limit }) => {
        reads += 1
        return E.right({ items: Array.from({ length: limit }, () => entry), next: entry.id })
      },
    }
    console = await openConsole({ uses: { money } })
    await console.join('ann@example.com', role(console.workspace, 'viewer'))
    cookie = cookieOf(await console.post('/console/sign-in', { email: 'ann@example.com', password: PASSWORD }))
  })
  afterEach(() => console.close())

  it('reads no further than the browser takes, and ends when the browser goes away', async () => {
    const path = `/console/workspaces/${console.workspace}/wallet/statement.csv`
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ port: console.port, host: '127.0.0.1', path, headers: { Cookie: cookie } }, resolve).on('error', reject).end()
    })
    response.pause()
    const steady = async (): Promise<number> => {
      for (let before = -1; ;) {
        const now = reads
        await new Promise((resolve) => { setTimeout(resolve, 200) })
        if (now === reads && before === now) return reads
        before = now
      }
    }
    const taken = await steady()
    assert.isBelow(taken, 500, 'the download is read far ahead of the browser')
    response.on('error', () => undefined)
    response.resume()
    await eventually('another read', () => (reads > taken ? true : undefined))
    response.destroy()
    const last = await steady()
    assert.isAbove(last, taken)
  })
})
