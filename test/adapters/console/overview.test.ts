import { assert } from 'chai'
import type { Access } from '../../../core/access/members.js'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { rightOf } from '../../support/right-of.js'
import { openConsole, type OpenConsole } from './browser.js'

describe('The page of the overview', () => {
  let shop: OpenConsole
  beforeEach(async () => { shop = await openConsole() })
  afterEach(() => shop.close())

  const signIn = async (email: string, access: Access): Promise<string> => {
    const { token } = rightOf(await shop.use.inviteMember({ by: SYSTEM, email, access }))
    return `postern_session=${rightOf(await shop.use.takeLink({ token, address: '127.0.0.1' })).token}`
  }

  it('is shown to operators and every role of its workspace, for every range, and to no one else', async () => {
    const [workspace, other] = [await shop.newWorkspace(), await shop.newWorkspace()]
    const roles = ['owner', 'developer', 'viewer'] as const
    const cookies = [await signIn('operator@example.com', { _tag: 'Operator' })]
    for (const role of roles) cookies.push(await signIn(`${role}@example.com`, { _tag: 'Role', workspace, role }))
    for (const cookie of cookies) {
      for (const range of ['', '?range=1h', '?range=24h', '?range=7d', '?range=30d', '?range=90d', '?range=nonsense', '?range=%00']) {
        const { status, text } = await shop.get(`/console/workspaces/${workspace}${range}`, cookie)
        assert.equal(status, 200, range)
        assert.include(text, 'This workspace has no sender')
        assert.include(text, `href="/console/workspaces/${workspace}?range=90d"`)
      }
    }
    const strange = await signIn('stranger@example.com', { _tag: 'Role', workspace: other, role: 'owner' })
    assert.equal((await shop.get(`/console/workspaces/${workspace}`, strange)).status, 403)
    assert.equal((await shop.get(`/console/workspaces/${workspace}`)).status, 303)
  })
})
