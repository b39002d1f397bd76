import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assert } from 'chai'
import { ROOT } from '../../../architecture/tree.js'
import { ACCOUNT, gateway, type Gateway } from '../gateway.js'
import { ROWS } from './rows.js'

const page = (): Promise<string> => readFile(join(ROOT, 'docs/door.md'), 'utf8')

/** The curl commands of the page, each on one line. */
const commands = async (): Promise<ReadonlyArray<string>> =>
  Array.from((await page()).matchAll(/^```sh\n([\s\S]*?)^```$/gm), ([, block = '']) => block.replaceAll('\\\n', ' ').replaceAll('\n', ' '))

/** Makes the request that curl would make. */
const run = async (gw: Gateway, command: string): Promise<Response> => {
  const filled = command.replaceAll('$API_KEY', gw.key).replaceAll('$PHONE_NUMBER_ID', gw.phoneNumberId)
    .replaceAll('$BUSINESS_ACCOUNT_ID', ACCOUNT)
  const [, path = ''] = /http:\/\/127\.0\.0\.1:3000([^\s"]+)/.exec(filled) ?? []
  const headers = Object.fromEntries(Array.from(filled.matchAll(/-H ["']([\w-]+): ([^"']+)["']/g), ([, name, value]) => [name, value]))
  const body = /-d '([^']+)'/.exec(filled)?.[1] ?? formOf(filled)
  return fetch(gw.url + path, { headers, ...(body !== undefined && { method: 'POST', body }) })
}

/** The form that curl would make of its options; a file has the bytes of one of its kind. */
const formOf = (command: string): FormData | undefined => {
  const parts = Array.from(command.matchAll(/-F (\w+)=(\S+)/g), ([, name = '', value = '']) => [name, value] as const)
  if (parts.length === 0) return undefined
  const form = new FormData()
  for (const [name, value] of parts) {
    form.append(name, value.startsWith('@') ? new File(['%PDF-1.7'], value.slice(1), { type: 'application/pdf' }) : value)
  }
  return form
}

describe('the page of the Graph-compatible API', () => {
  it('has commands that all work', async () => {
    await using gw = await gateway({ templates: [{
      id: '1', name: 'order_update', language: 'en', category: 'utility', status: 'approved', quality: undefined,
      parameterFormat: 'positional', components: [{ type: 'BODY', text: 'Hi {{1}}, your order {{2}} is on its way.' }],
    }] })
    gw.willGiveMedia({
      type: 'image/jpeg',
      length: 5,
      part: undefined,
      bytes: { async* [Symbol.asyncIterator]() { yield Buffer.from('bytes') } },
      close: () => undefined,
    })
    const shown = await commands()
    assert.lengthOf(shown, 6)
    for (const command of shown) {
      const answer = await run(gw, command)
      assert.equal(answer.status, 200, `${command}\n${await answer.text()}`)
    }
    assert.deepEqual([gw.sent.length, gw.marked.length], [2, 1])
  })

  it('has every code that an error of the Graph-compatible API can have, with its statuses', async () => {
    const table = Array.from((await page()).matchAll(/^\| ([0-9][^|]*) \| ([0-9, ]+) \|/gm), ([, codes = '', statuses = '']) =>
      [codes, statuses] as const)
    const shown = table.flatMap(([codes, statuses]) =>
      Array.from(codes.replace(/subcode \d+/, '').matchAll(/\d+/g), ([code]) =>
        statuses.split(', ').map((status) => `${code} ${status}`)).flat())
    const possible = Object.values(ROWS).filter(([{ _tag }]) => _tag !== 'PlatformRejected').map(([, status, code]) => `${code} ${status}`)
    assert.sameMembers([...new Set(shown)].filter((row) => !/^1320(00|12|15|16)|^131008/.test(row)), [...new Set(possible)])
  })
})
