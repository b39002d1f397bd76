import { assert } from 'chai'
import { isAllowed } from '../../../core/access.js'
import { isView, type Act } from '../../../core/act.js'
import type { Role } from '../../../core/member.js'
import type { SignedIn } from '../../../core/use-cases/member-commands.js'
import type { WorkspaceId } from '../../../core/workspace.js'
import { role } from '../../core/use-cases/member-world.js'
import { openConsole, type OpenConsole } from './browser.js'

type Viewer = 'operator' | Role | 'stranger' | 'nobody'
const VIEWERS: ReadonlyArray<Viewer> = ['operator', 'owner', 'developer', 'viewer', 'stranger', 'nobody']
const METHODS = ['get', 'post', 'live'] as const

/** Forms whose fields are read before it is checked who sends them. */
const FORMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/console/members': { email: 'new@example.com', access: 'viewer' },
  '/console/members/remove': { email: 'gone@example.com' },
  '/console/workspaces/:workspace/endpoints/:endpoint/status': { status: 'disabled' },
  '/console/workspaces/:workspace/endpoints/:endpoint/redeliver': { since: '2026-03-01T12:00' },
}

/** Names of what does not exist, of the form that they need. */
const NAMED: Readonly<Record<string, string>> = {
  message: `msg_${'0'.repeat(32)}`, endpoint: `ep_${'0'.repeat(32)}`, event: `evt_${'0'.repeat(32)}`, customer: '4915123456789', key: '0'.repeat(32), name: 'order_update',
}

/** Pages of a workspace that is named by a field, not by the path. */
const BY_FIELD = ['/console/members', '/console/members/remove', '/console/audit', '/console/audit.csv']

describe('every address of the console', () => {
  const openWorld = async () => {
    const console = await openConsole()
    const other = await console.newWorkspace()
    const people = new Map<Viewer, SignedIn>([
      ['operator', await console.join('operator@example.com')],
      ...(await Promise.all((['owner', 'developer', 'viewer'] as const).map(async (name) =>
        [name, await console.join(`${name}@example.com`, role(console.workspace, name))] as const))),
      ['stranger', await console.join('stranger@example.com', role(other, 'owner'))],
    ])
    return { console, people }
  }

  for (const viewer of VIEWERS) {
    it(`is open to ${viewer} exactly where the table of access allows it, and a refusal is noted`, async () => {
      const { console, people } = await openWorld()
      try {
        const signedIn = people.get(viewer)
        const tried = console.pages.flatMap(({ path, ...page }) => METHODS.flatMap((method) => {
          const route = page[method]
          // What needs no role is tried by the attacks.
          return route === undefined || route.access === 'everybody' || (route.access === 'member' && method === 'post') ? [] : [{ path, method, access: route.access }]
        }))
        assert.isAtLeast(tried.length, 10)
        for (const { path, method, access } of tried) {
          for (const byField of BY_FIELD.includes(path) ? [true, false] : [false]) {
            const before = (await console.entries()).length
            const { status, location } = await request(console, { path, method, byField, viewer, token: signedIn?.token })
            const title = `${method} ${path}${byField ? ' of a workspace' : ''}: ${status}`
            if (signedIn === undefined) assert.deepEqual([status, location], method === 'live' ? [401, undefined] : [303, '/console/sign-in'], title)
            else if (access === 'member') assert.notInclude([401, 403], status, title)
            else {
              const workspace = path.includes(':workspace') || byField ? console.workspace : undefined
              assert.equal(status === 403, !isAllowed(signedIn.principal, access, workspace), title)
              if (status === 403) await isNoted(console, before, access, workspace, title)
            }
          }
        }
      } finally {
        await console.close()
      }
    })
  }
})

type Tried = { readonly path: string; readonly method: (typeof METHODS)[number]; readonly byField: boolean; readonly viewer: Viewer; readonly token: string | undefined }

const request = async (console: OpenConsole, { path, method, byField, viewer, token }: Tried) => {
  const named = path.replace(':workspace', console.workspace).replace(/:(\w+)/g, (_all, name: string) => NAMED[name] ?? 'unknown')
  const address = byField && method !== 'post' ? `${named}?workspace=${console.workspace}` : named
  const cookie = token === undefined ? {} : { Cookie: `postern_session=${token}` }
  const form = { ...FORMS[path], ...(byField && { workspace: console.workspace }), ...(path === '/console/members' && !byField && { access: 'operator' }), viewer }
  const reply = method === 'post'
    ? await console.send('POST', address, { form, headers: { Origin: console.origin, ...cookie } })
    : await console.begin(address, { ...cookie, Accept: method === 'live' ? 'text/event-stream' : 'text/html' })
  return { status: reply.status, location: reply.headers['location'] }
}

/** The refusal stands in the audit log: by whom, what, and where; also that of a page which only shows something. */
const isNoted = async (console: OpenConsole, before: number, act: Act, workspace: WorkspaceId | undefined, title: string): Promise<void> => {
  const added = (await console.entries()).slice(before)
  assert.isNotEmpty(added, `${title} is not noted${isView(act) ? ', though it is a page' : ''}`)
  assert.deepEqual(added.map((entry) => [entry.act, entry.outcome, entry.by.type, entry.workspace]), [[act, 'refused', 'member', workspace]], title)
}
