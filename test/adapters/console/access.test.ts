import { assert } from 'chai'
import { ASSETS } from '../../../adapters/console/assets.js'
import { isAllowed } from '../../../core/access/access.js'
import { SESSION_IDLE_MS } from '../../../core/access/members.js'
import type { SignedIn } from '../../../core/access/sign-in.js'
import { type Act, isView, type Role } from '../../../core/kernel/actor.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { role } from '../../core/use-cases/member-world.js'
import { rightOf } from '../../support/right-of.js'
import { openConsole, type OpenConsole } from './browser.js'
import { objectsOf, stateOf } from './objects.js'

type Viewer = 'operator' | Role | 'stranger' | 'signed out'
const VIEWERS: ReadonlyArray<Viewer> = ['operator', 'owner', 'developer', 'viewer', 'stranger', 'signed out']
const METHODS = ['get', 'post', 'live'] as const
type Method = (typeof METHODS)[number]

/** Forms whose fields are read before it is checked who sends them. */
const FORMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/console/members': { email: 'new@example.com', access: 'viewer' },
  '/console/members/remove': { email: 'gone@example.com' },
  '/console/workspaces/:workspace/endpoints/:endpoint/status': { status: 'disabled' },
  '/console/workspaces/:workspace/endpoints/:endpoint/redeliver': { since: '2026-03-01T12:00' },
  '/console/workspaces/:workspace/batches/:batch/again': { group: 'failed' },
  '/console/workspaces/:workspace/batches/:batch/confirm': { total: '1' },
  '/console/workspaces/:workspace/send/confirm': { to: '4915123456789', what: 'text', text: 'Hello', key: 'k' },
  '/console/workspaces/:workspace/wallet/top-up': { amount: '1', reference: 'r' },
  '/console/workspaces/:workspace/wallet/adjust': { amount: '1', reference: 'r', note: 'n' },
}

/** Names of what does not exist, of the form that they need. */
const NAMED: Readonly<Record<string, string>> = {
  message: `msg_${'0'.repeat(32)}`, endpoint: `ep_${'0'.repeat(32)}`, event: `evt_${'0'.repeat(32)}`, customer: '4915123456789',
  key: '0'.repeat(32), name: 'order_update', request: '0'.repeat(32), number: '1', batch: `bat_${'0'.repeat(32)}`,
}

/** Pages of a workspace that is named by a field, not by the path. */
const BY_FIELD = ['/console/members', '/console/members/remove', '/console/audit', '/console/audit.csv']

/** What every workspace may be asked for: a customer and a template that are not known there, and the page after a send, which repeats the id and reads nothing. */
const IN_EVERY = [':customer', ':name', '/sent/:message']

const openWorld = async () => {
  const console = await openConsole()
  const other = await console.newWorkspace()
  const people = new Map<Viewer, SignedIn>([
    ['operator', await console.join('operator@example.com')],
    ...(await Promise.all((['owner', 'developer', 'viewer'] as const).map(async (name) =>
      [name, await console.join(`${name}@example.com`, role(console.workspace, name))] as const))),
    ['stranger', await console.join('stranger@example.com', role(other, 'owner'))],
  ])
  return { console, other, people }
}

const everyRoute = ({ pages }: OpenConsole) => pages.flatMap(({ path, ...page }) => METHODS.flatMap((method) => {
  const route = page[method]
  return route === undefined ? [] : [{ path, method, access: route.access }]
}))

/** The acts that end the session of who does them, or need a form of their own; the attacks try them. */
const isOwnAct = ({ method, access }: { readonly method: Method; readonly access: string }): boolean =>
  access === 'member' && method === 'post'

describe('every address of the console', () => {
  for (const viewer of VIEWERS) {
    it(`is open to ${viewer} exactly where the table of access allows it, and a refusal is noted`, async () => {
      const { console, people } = await openWorld()
      try {
        const signedIn = people.get(viewer)
        const tried = everyRoute(console)
        // What ends the session comes last.
        for (const { path, method, access } of [...tried.filter((one) => !isOwnAct(one)), ...tried.filter(isOwnAct)]) {
          for (const byField of BY_FIELD.includes(path) ? [true, false] : [false]) {
            const before = (await console.entries()).length
            const { status, location } = await request(console, { path, method, byField, sender: viewer, token: signedIn?.token })
            const title = `${method} ${path}${byField ? ' of a workspace' : ''}: ${status}`
            if (access === 'public') assert.isTrue(status !== 401 && !String(location).startsWith('/console/sign-in'), title)
            else if (signedIn === undefined) isSentToSignIn({ path, method, status, location }, title)
            else if (access === 'member') assert.notInclude([401, 403], status, title)
            else {
              const workspace = path.includes(':workspace') || byField ? console.workspace : undefined
              assert.equal(status === 403, !isAllowed(signedIn.principal, access, workspace && { id: workspace }), title)
              if (status === 403) await isNoted(console, before, access, workspace, title)
            }
          }
        }
        const files = ASSETS.map(({ path }) => path)
        for (const path of files) assert.equal((await console.get(path)).status, 200, path)
        assert.deepEqual(console.routes.filter((path) => !console.matched.has(path)), [], 'the router has addresses that were not tried')
        assert.isAbove(console.routes.length, 50)
      } finally {
        await console.close()
      }
    })
  }

  for (const viewer of ['operator', 'owner'] as const) {
    it(`lets ${viewer} only read an archived workspace, but for what operators end there, and shows no form for anything else`, async () => {
      const { console, people } = await openWorld()
      try {
        const objects = await objectsOf(console, console.workspace)
        rightOf(await console.storage.workspaces.archive(console.workspace, console.clock.at))
        const place = { id: console.workspace, archivedAt: console.clock.at }
        const [signedIn, before] = [people.get(viewer), await stateOf(console, [console.workspace])]
        assert.isDefined(signedIn)
        let refused = 0
        for (const { path, method, access } of everyRoute(console).filter((route) => route.path.includes(':workspace'))) {
          if (access === 'public' || access === 'member') continue
          const title = `${method} ${path}`
          if (isAllowed(signedIn.principal, access, place)) {
            if (method === 'post') assert.equal(viewer, 'operator', title)
            else assert.notEqual(
              (await request(console, { path, method, byField: false, sender: viewer, token: signedIn.token, objects })).status, 403, title,
            )
            continue
          }
          const reply = await request(console, {
            path, method, byField: false, sender: viewer, token: signedIn.token, objects, more: { sure: 'on' },
          })
          assert.equal(reply.status, 403, title)
          refused += 1
        }
        assert.isAbove(refused, 15)
        assert.equal(await stateOf(console, [console.workspace]), before)
        const posts = console.pages.flatMap(({ path, post }) =>
          post === undefined || post.access === 'public' || post.access === 'member' ? [] : [{ path, access: post.access }])
        for (const { path } of everyRoute(console).filter((route) =>
          route.method === 'get' && route.path.includes(':workspace') && !route.path.includes('.csv'))) {
          const named = path.replace(':workspace', console.workspace).replace(/:(\w+)/g, (_all, name: string) =>
            objects[name] ?? NAMED[name] ?? 'unknown')
          const { text } = await console.get(named, `postern_session=${signedIn.token}`)
          for (const [, action = ''] of text.matchAll(/<form method="post" action="([^"]+)"/g)) {
            const target = posts.find((one) => new RegExp(`^${one.path.replace(/:\w+/g, '[^/]+')}$`).test(action))
            assert.isTrue(target === undefined || isAllowed(signedIn.principal, target.access, place), `${path} shows a form for ${action}`)
          }
        }
      } finally {
        await console.close()
      }
    })
  }

  it('refuses a form that another origin sends, also where a person is signed in, whatever it would do', async () => {
    const { console, people, other } = await openWorld()
    try {
      const posts = everyRoute(console).filter(({ method }) => method === 'post')
      const objects = await objectsOf(console, console.workspace)
      const before = await stateOf(console, [console.workspace, other])
      const noted = (await console.entries()).length
      for (const { path } of posts) {
        for (const headers of [{ Origin: 'https://evil.example' }, { Origin: 'null' }, { 'Sec-Fetch-Site': 'cross-site' }, {}]) {
          const { status } = await request(console, {
            path, method: 'post', byField: false, sender: 'operator', token: people.get('operator')?.token, objects, headers,
          })
          assert.equal(status, 403, `${path} ${JSON.stringify(headers)}`)
        }
      }
      assert.deepEqual([await stateOf(console, [console.workspace, other]), (await console.entries()).length], [before, noted])
      assert.isAbove(posts.length, 25)
    } finally {
      await console.close()
    }
  })

  it('sends whose session has expired to sign in, and does nothing', async () => {
    const { console, people } = await openWorld()
    try {
      const objects = await objectsOf(console, console.workspace)
      const before = await stateOf(console, [console.workspace])
      console.clock.at += SESSION_IDLE_MS
      for (const { path, method, access } of everyRoute(console).filter((route) => route.access !== 'public')) {
        const reply = await request(console, {
          path, method, byField: false, sender: 'operator', token: people.get('operator')?.token, objects,
        })
        isSentToSignIn({ path, method, ...reply }, `${method} ${path} (${access})`)
      }
      assert.equal(await stateOf(console, [console.workspace]), before)
    } finally {
      await console.close()
    }
  })

  it("finds nothing of another workspace by an id that was exchanged in the address, and changes nothing there", async () => {
    const { console, people, other } = await openWorld()
    try {
      const objects = await objectsOf(console, other)
      const before = await stateOf(console, [other])
      const exchanged = everyRoute(console).filter(({ path }) => path.includes(':workspace'))
      for (const { path, method } of exchanged) {
        const ofOne = /:(?!workspace)/.test(path)
        // One workspace with the other's things in it, even for an operator, who may see both; and the other workspace itself.
        const within = await request(console, {
          path, method, byField: false, sender: 'operator', token: people.get('operator')?.token, objects,
        })
        if (ofOne && !IN_EVERY.some((name) => path.includes(name))) assert.include([404, 422], within.status, `${method} ${path}`)
        const into = await request(console, {
          path, method, byField: false, sender: 'owner', token: people.get('owner')?.token, objects, workspace: other,
        })
        assert.equal(into.status, 403, `${method} ${path}`)
      }
      assert.equal(await stateOf(console, [other]), before)
      assert.isAbove(exchanged.length, 40)
    } finally {
      await console.close()
    }
  })
})

type Tried = {
  readonly path: string
  readonly method: Method
  readonly byField: boolean
  readonly sender: Viewer
  readonly token: string | undefined
  /** What the path names; what does not exist where it is left out. */
  readonly objects?: Readonly<Record<string, string>>
  /** The workspace in the path; the first one where it is left out. */
  readonly workspace?: WorkspaceId
  /** More fields of a form. */
  readonly more?: Readonly<Record<string, string>>
  /** Where a form says that it comes from; from here where it is left out. */
  readonly headers?: Readonly<Record<string, string>>
}

const request = async (
  console: OpenConsole,
  { path, method, byField, sender, token, objects, workspace = console.workspace, more = {}, headers = { Origin: console.origin } }: Tried,
) => {
  const named = path.replace(':workspace', workspace).replace(/:(\w+)/g, (_all, name: string) =>
    objects?.[name] ?? NAMED[name] ?? 'unknown')
  const address = byField && method !== 'post' ? `${named}?workspace=${console.workspace}` : named
  const cookie = token === undefined ? {} : { Cookie: `postern_session=${token}` }
  const form = {
    ...FORMS[path], ...more, ...(byField && { workspace: console.workspace }),
    ...(path === '/console/members' && !byField && { access: 'operator' }), viewer: sender,
  }
  const reply = method === 'post'
    ? await console.send('POST', address, { form, headers: { ...headers, ...cookie } })
    : await console.begin(address, { ...cookie, Accept: method === 'live' ? 'text/event-stream' : 'text/html' })
  return { status: reply.status, location: reply.headers['location'] }
}

/** A page leads to the sign-in; a form, whose fields are not in an address, says so on a page of its own, and one with a file is not even read. */
const isSentToSignIn = (
  { path, method, status, location }: {
    readonly path: string
    readonly method: Method
    readonly status: number
    readonly location: unknown
  },
  title: string,
): void => {
  if (method === 'live' || (method === 'post' && !path.endsWith('/file'))) {
    return assert.deepEqual([status, location], [401, undefined], title)
  }
  assert.equal(status, 303, title)
  assert.match(String(location), path === '/console' ? /^\/console\/sign-in$/ : /^\/console\/sign-in\?back=%2Fconsole%2F[\w.%-]+$/, title)
}

/** The refusal stands in the audit log: by whom, what, and where; also that of a page which only shows something. */
const isNoted = async (
  console: OpenConsole, before: number, act: Act, workspace: WorkspaceId | undefined, title: string,
): Promise<void> => {
  const added = (await console.entries()).slice(before)
  assert.isNotEmpty(added, `${title} is not noted${isView(act) ? ', though it is a page' : ''}`)
  assert.deepEqual(
    added.map((entry) => [entry.act, entry.outcome, entry.by.type, entry.workspace]), [[act, 'refused', 'member', workspace]], title,
  )
}
