import { assert } from 'chai'
import { printFirstLink } from '../../../apps/server/console.js'
import { memberWorld } from '../../core/use-cases/member-world.js'
import { done } from '../../support/right-of.js'

describe('the link for the first operator', () => {
  it('is printed until there is an operator, and makes one', async () => {
    const { use } = await memberWorld()
    const lines: Array<string> = []
    const print = () =>
      printFirstLink({ firstLink: use.firstLink, publicUrl: 'https://postern.example.com/', print: (line) => { lines.push(line) } })
    await print()
    assert.lengthOf(lines, 2)
    assert.match(lines[0] ?? '', /no operator yet.* 15 minutes/)
    const [, token] = /^https:\/\/postern\.example\.com\/console\/link\/([\w-]{43})$/.exec(lines[1] ?? '') ?? []
    await done(use.takeLink({ token: token ?? '', email: 'ann@example.com' }))
    await print()
    assert.lengthOf(lines, 2)
  })
})
