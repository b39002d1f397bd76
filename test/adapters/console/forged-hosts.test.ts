import { assert } from 'chai'
import { role } from '../../core/use-cases/member-world.js'
import { openConsole } from './browser.js'

const FORGED = [
  'evil.example', 'evil.example:3000', 'localhost.evil.example', '127.0.0.1.evil.example', 'user@evil.example', 'evil.example/localhost',
  '192.0.2.1', '[2001:db8::1]',
]
const OUR_OWN = ['127.0.0.1:3000', 'localhost', 'LOCALHOST:8080', 'console.localhost', '[::1]:3000']

const open = async (options: Parameters<typeof openConsole>[0] = {}) => {
  const console = await openConsole(options)
  const { token } = await console.join('ann@example.com', role(console.workspace, 'owner'))
  const cookie = options.publicUrl === undefined ? `postern_session=${token}` : `__Host-postern_session=${token}`
  const base = `/console/workspaces/${console.workspace}`
  const post = async (path: string, form: Readonly<Record<string, string>>, host: string, origin = `http://${host}`) =>
    console.follow(
      await console.send('POST', path, { form, headers: { Host: host, Origin: origin, 'Sec-Fetch-Site': 'same-origin', Cookie: cookie } }),
      cookie,
    )
  return {
    ...console, cookie,
    invite: (host: string, origin?: string) =>
      post('/console/members', { email: 'bob@example.com', access: 'viewer', workspace: console.workspace }, host, origin),
    mint: (host: string, origin?: string) => post(`${base}/keys`, { name: 'shop', 'scope-send': 'on' }, host, origin),
    members: (host: string) =>
      console.send('GET', `/console/members?workspace=${console.workspace}`, { headers: { Host: host, Cookie: cookie } }),
  }
}

describe('a Host that the client made up', () => {
  it('makes no invitation, and the page says what to set', async () => {
    const console = await open()
    try {
      const before = (await console.entries()).length
      for (const host of FORGED) {
        const origin = URL.parse(`http://${host}`)?.origin
        const replies = [await console.invite(host, origin), await console.members(host)]
        for (const { text } of replies) assert.notMatch(text, /evil|192\.0\.2\.1|2001:db8/, host)
        assert.isAtLeast(replies[0]?.status ?? 0, 400, host)
        assert.include(replies[1]?.text, 'PUBLIC_URL', host)
      }
      assert.include((await console.invite('192.0.2.1')).text, 'PUBLIC_URL is not set')
      assert.equal((await console.entries()).length, before)
    } finally {
      await console.close()
    }
  })

  it('is in no command of a new key', async () => {
    const console = await open()
    try {
      const { status, text } = await console.mint('evil.example')
      assert.equal(status, 200)
      assert.notInclude(text, 'evil.example')
      assert.include(text, 'curl $POSTERN_URL/v1/messages/send-template')
      assert.include(text, 'PUBLIC_URL')
    } finally {
      await console.close()
    }
  })

  it('begins no sign-in with an identity provider', async () => {
    const asked: Array<string> = []
    const console = await openConsole({
      identity: {
        path: '/console/oidc',
        routes: ({ originOf }) => (ctx, next) => (ctx.path === '/console/oidc' ? void asked.push(originOf(ctx)) : next()),
      },
    })
    try {
      const forged = await console.send('GET', '/console/oidc', { headers: { Host: 'evil.example' } })
      assert.equal(forged.status, 409)
      assert.include(forged.text, 'PUBLIC_URL')
      await console.send('GET', '/console/oidc', { headers: { Host: 'localhost:3000' } })
      assert.deepEqual(asked, ['http://localhost:3000'])
    } finally {
      await console.close()
    }
  })

  it('counts for nothing where the public address is set', async () => {
    const console = await open({ publicUrl: 'https://console.test' })
    try {
      const { text } = await console.invite('evil.example', 'https://console.test')
      assert.include(text, 'https://console.test/console/link/')
      assert.notInclude(text, 'evil')
    } finally {
      await console.close()
    }
  })
})

describe('a Host that names this machine', () => {
  for (const host of OUR_OWN) {
    it(`makes links: ${host}`, async () => {
      const console = await open()
      try {
        assert.include((await console.invite(host)).text, `http://${host.toLowerCase()}/console/link/`)
        assert.include((await console.mint(host)).text, `curl http://${host.toLowerCase()}/v1/`)
      } finally {
        await console.close()
      }
    })
  }
})
