import { assert } from 'chai'
import type { MemberUseCases } from '../../../core/access/member-use-cases.js'
import type { Access } from '../../../core/access/members.js'
import type { SignedIn } from '../../../core/access/sign-in.js'
import { type Role, SYSTEM } from '../../../core/kernel/actor.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { makeArchiveWorkspace } from '../../../core/workspaces/use-cases.js'
import { createAccount } from '../../support/account.js'
import { migratedSqliteFile } from '../../support/databases.js'
import { serveInProcess } from '../../support/in-process-server.js'
import { rightOf } from '../../support/right-of.js'
import { makeScratch } from '../../support/scratch.js'
import { membersOf } from '../../support/use-cases.js'

type Served = Awaited<ReturnType<typeof serveInProcess>>
type World = {
  readonly here: Served
  readonly there: Served
  readonly workspace: WorkspaceId
  readonly members: MemberUseCases
  readonly owner: SignedIn
  readonly ada: SignedIn
}

const roleIn = (workspace: WorkspaceId, role: Role): Access => ({ _tag: 'Role', workspace, role })

/** How rights end: by a form of this gateway, or by another process with the same database, such as a command. */
const ENDS: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  'was removed on a page of this gateway': async ({ here, owner, workspace }) => {
    const form = new URLSearchParams({ email: 'ada@example.com', workspace })
    const headers = { Origin: here.url, Cookie: `postern_session=${owner.token}` }
    assert.equal(
      (await fetch(`${here.url}/console/members/remove`, { method: 'POST', body: form, redirect: 'manual', headers })).status, 303,
    )
  },
  'was removed by another process': async ({ members, workspace }) =>
    rightOf(await members.removeMember({ by: SYSTEM, email: 'ada@example.com', from: workspace })),
  'got a lower role': async ({ members, workspace }) =>
    rightOf(await members.inviteMember({ by: SYSTEM, email: 'ada@example.com', access: roleIn(workspace, 'viewer') })),
  'has ended her session elsewhere': async ({ members, ada }) =>
    rightOf(await members.endSessions({
      signedIn: { principal: ada.principal, session: ada.session, hasPassword: false }, which: 'all', address: undefined,
    })),
}

/** A stream that has begun, and its end. */
const watch = async ({ url }: Served, { token }: Pick<SignedIn, 'token'>, workspace: WorkspaceId) => {
  const abort = new AbortController()
  const headers = { Accept: 'text/event-stream', Cookie: `postern_session=${token}` }
  const response = await fetch(`${url}/console/workspaces/${workspace}/messages`, { headers, signal: abort.signal })
  assert.equal(response.status, 200)
  const ended = { yet: false }
  const end = response.text().then(() => { ended.yet = true }, () => undefined)
  return { end, ended, stop: () => abort.abort() }
}

describe('The stream of a live page', () => {
  let close: () => Promise<void>
  let world: World

  beforeEach(async () => {
    const scratch = await makeScratch()
    await migratedSqliteFile(scratch.path('postern.db'))
    const env = { DATABASE_URL: `sqlite:${scratch.path('postern.db')}`, LOG_LEVEL: 'silent' }
    const [here, there] = [await serveInProcess(env), await serveInProcess(env)]
    close = async () => {
      await here.stop()
      await there.stop()
      await scratch.remove()
    }
    const { id: workspace } = await createAccount(here.storage, { micros: 0n, phoneNumberId: undefined, businessAccountId: undefined })
    const members = membersOf(here.storage)
    const join = async (email: string, role: Role): Promise<SignedIn> => {
      const { token } = rightOf(await members.inviteMember({ by: SYSTEM, email, access: roleIn(workspace, role) }))
      return rightOf(await members.takeLink({ token, address: '127.0.0.1' }))
    }
    world = {
      here, there, workspace, members, owner: await join('owner@example.com', 'owner'), ada: await join('ada@example.com', 'developer'),
    }
  })
  afterEach(() => close())

  for (const [title, take] of Object.entries(ENDS)) {
    it(`ends on every gateway for a person who ${title}, and goes on for others`, async () => {
      const { here, there, workspace, ada, owner } = world
      const hers = [await watch(here, ada, workspace), await watch(there, ada, workspace)]
      const others = [await watch(here, owner, workspace), await watch(there, owner, workspace)]
      await take(world)
      await Promise.all(hers.map(({ end }) => end))
      assert.deepEqual(others.map(({ ended }) => ended.yet), [false, false])
      for (const { stop } of others) stop()
    })
  }

  it('ends on every gateway for everyone when the workspace is archived, and can be opened again to read', async () => {
    const { here, there, workspace, ada, owner } = world
    const streams = [await watch(here, ada, workspace), await watch(there, owner, workspace)]
    rightOf(await makeArchiveWorkspace({ workspaces: there.storage.workspaces, now: Date.now })({ by: SYSTEM, workspace }))
    await Promise.all(streams.map(({ end }) => end))
    const again = await watch(here, owner, workspace)
    again.stop()
  })
})
