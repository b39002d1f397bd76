import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assert } from 'chai'
import { ROOT } from '../../architecture/tree.js'
import { SAMPLES } from '../../core/content-samples.js'
import { gateway } from './gateway.js'

type Request = { readonly to: string; readonly type: string; readonly interactive?: { readonly type: string } }

/** The type of a request, and the type of its interactive content. */
const typeOf = ({ type, interactive }: Request): string => (interactive === undefined ? type : `interactive ${interactive.type}`)

const requests = async (): Promise<ReadonlyArray<Request>> => {
  const page = await readFile(join(ROOT, 'docs/messages.md'), 'utf8')
  return Array.from(page.matchAll(/^```json\n([\s\S]*?)^```$/gm), ([, block = '']) => JSON.parse(block) as Request)
}

describe('the page of messages', () => {
  it('has an example of each type, and each is quoted and sent', async () => {
    await using gw = await gateway()
    const examples = await requests()
    for (const request of examples) {
      for (const path of ['/v1/quotes/send', '/v1/messages/send']) {
        const { status, text } = await gw.post(path, request)
        assert.equal(status, 200, `${typeOf(request)}: ${text}`)
      }
    }
    assert.lengthOf(gw.sent, examples.length)
    const known = Object.values(SAMPLES).map(({ type, content }) =>
      typeOf(JSON.parse(JSON.stringify({ type, [type]: content })) as Request))
    assert.sameMembers([...new Set(examples.map(typeOf))], [...new Set(known), 'template'])
  })
})
