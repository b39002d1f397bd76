import { request as httpRequest } from 'node:http'
import { makeScryptHasher } from '../../../adapters/scrypt/scrypt-hasher.js'
import { MAX_ANONYMOUS_PER_MINUTE } from '../../../core/access/audit.js'
import type { Access } from '../../../core/access/members.js'
import { type Role, SYSTEM } from '../../../core/kernel/actor.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { makeArchiveWorkspace } from '../../../core/workspaces/use-cases.js'
import { eventually } from '../../support/eventually.js'
import { rightOf } from '../../support/right-of.js'
import { membersOf as membersOver } from '../../support/use-cases.js'
import type { AttackTenant, AttackWorld } from '../attack-world.js'
import { type Attack, type AttackGroup, tally } from '../attack.js'
import { customerOf } from '../sends.js'

const PASSWORD = 'three blind otters and a heron'

/** What a stranger may hold a stream open for, and what may be watched of it. */
const PATIENCE_MS = 30_000

let people = 0
let customers = 60_000_000

const membersOf = ({ storage }: AttackWorld) => membersOver(storage, makeScryptHasher())

/** A new person with an access, who has opened her link. */
const join = async (world: AttackWorld, access: Access, email = `person-${(people += 1)}@example.com`) => {
  const members = membersOf(world)
  const { token } = rightOf(await members.inviteMember({ by: SYSTEM, email, access }))
  return { email, ...rightOf(await members.takeLink({ token, address: '127.0.0.1' })) }
}

const roleIn = (workspace: WorkspaceId, role: Role): Access => ({ _tag: 'Role', workspace, role })

type Asked = {
  readonly token?: string
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}
type Page = { readonly status: number; readonly text: string; readonly cookies: ReadonlyArray<string> }

/** Asks for a page, or sends a form of the console as a browser does. */
const page = ({ server }: AttackWorld, path: string, { token, form, headers = {} }: Asked = {}): Promise<Page> =>
  new Promise((resolve, reject) => {
    const body = form === undefined ? undefined : new URLSearchParams(form).toString()
    const sent = httpRequest(`${server.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST', agent: false,
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded', Origin: server.url }),
        ...(token !== undefined && { Cookie: `postern_session=${token}` }), ...headers,
      },
    }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => { text += chunk }).on('error', reject)
        .on('end', () => resolve({ status: response.statusCode ?? 0, text, cookies: response.headers['set-cookie'] ?? [] }))
    })
    sent.on('error', reject).end(body)
  })

/** A stream of a live page that has begun; `text` is what it has shown so far. */
const watch = async ({ server }: AttackWorld, path: string, token: string) => {
  const abort = new AbortController()
  const { status, body } = await fetch(`${server.url}${path}`, {
    headers: { Accept: 'text/event-stream', Cookie: `postern_session=${token}` }, signal: abort.signal,
  })
  const seen = { text: '', hasEnded: false }
  const read = async (): Promise<void> => {
    for await (const chunk of body ?? []) seen.text += Buffer.from(chunk as Uint8Array).toString()
    seen.hasEnded = true
  }
  read().catch(() => undefined)
  return { status, seen, stop: () => abort.abort() }
}

const template = (tenant: AttackTenant, to = customerOf(customers++)) =>
  tenant.ask('POST', '/v1/messages/send-template', { json: { to, template_name: 'hello_world', language: 'en_US' } })

const INVITED: Attack = {
  name: 'an invitation that someone else opened, and is added to later',
  run: async (world) => {
    const [mine, other] = [await world.tenant(), await world.tenant()]
    const ceo = await join(world, roleIn(mine.id, 'owner'), 'ceo@company.example')
    rightOf(await membersOf(world).inviteMember({ by: SYSTEM, email: ceo.email, access: { _tag: 'Operator' } }))
    const before = (await mine.balance()).available
    const { token } = ceo
    const tries = [
      await page(world, `/console/workspaces/${mine.id}/wallet/top-up`, { token, form: { amount: '1000', reference: 'mine' } }),
      await page(world, `/console/workspaces/${other.id}/keys`, { token, form: { name: 'theirs', 'scope-send': 'on' } }),
      await page(world, `/console/workspaces/${other.id}/messages`, { token }), await page(world, '/console/health', { token }),
    ]
    const keys = rightOf(await world.storage.keyStore.list(other.id))
    return {
      counts: tally(tries.map(({ status }) => String(status))),
      findings: [
        ...tries.flatMap(({ status }, index) =>
          status < 400 ? [`act ${index + 1} of an operator who is not one yet was answered ${status}`] : []),
        ...((await mine.balance()).available === before ? [] : ['the wallet was topped up']),
        ...(keys.length === 1 ? [] : ['a key of another workspace was made']),
      ],
    }
  },
}

const ARCHIVED: Attack = {
  name: 'the owner of an archived workspace who goes on',
  run: async (world) => {
    const tenant = await world.tenant()
    const { token } = await join(world, roleIn(tenant.id, 'owner'))
    rightOf(await makeArchiveWorkspace({ workspaces: world.storage.workspaces, now: Date.now })({ by: SYSTEM, workspace: tenant.id }))
    const base = `/console/workspaces/${tenant.id}`
    const to = customerOf(customers++)
    const tries = [
      await page(world, `${base}/keys`, { token, form: { name: 'after', 'scope-send': 'on' } }),
      await page(world, `${base}/endpoints`, { token, form: { url: 'https://app.example/', types: '*' } }),
      await page(world, `${base}/send/confirm`, { token, form: { to, template: 'hello_world', language: 'en_US', key: 'k1' } }),
      await page(world, '/console/members', { token, form: { email: 'new@example.com', access: 'viewer', workspace: tenant.id } }),
    ]
    const [sent, { status }] = [await world.platform.accepted(tenant.phoneNumberId), await template(tenant)]
    return {
      counts: tally([...tries.map((one) => String(one.status)), `key ${status}`]),
      findings: [
        ...tries.flatMap((one, index) => (one.status < 400 ? [`act ${index + 1} was answered ${one.status}`] : [])),
        ...(sent.length === 0 && status === 401 ? [] : ['a message was sent']),
      ],
    }
  },
}

/** Whether a page shows a number, which it groups. */
const shows = (page: string, number: string): boolean => new RegExp([...number].join('[^0-9<>]{0,2}')).test(page)

const STREAMS: Attack = {
  name: 'a person who was removed, a forged cursor, and hundreds of streams',
  run: async (world, size) => {
    const tenant = await world.tenant()
    const path = `/console/workspaces/${tenant.id}/messages`
    const [removed, owner, eve] = [
      await join(world, roleIn(tenant.id, 'developer')), await join(world, roleIn(tenant.id, 'owner')),
      await join(world, roleIn(tenant.id, 'viewer')),
    ]
    const many = await Promise.all(Array.from(
      { length: size === 'short' ? 40 : 500 }, (_, index) => watch(world, `${path}?cursor=msg_${index}${'0'.repeat(31)}`, eve.token),
    ))
    const [hers, theirs] = [await watch(world, path, removed.token), await watch(world, path, owner.token)]
    rightOf(await membersOf(world).removeMember({ by: SYSTEM, email: removed.email, from: tenant.id }))
    const hasEnded = await eventually('the end of the stream', () => hers.seen.hasEnded || undefined, PATIENCE_MS).catch(() => false)
    const to = customerOf(customers++)
    const { status } = await template(tenant, to)
    const isSeen = await eventually('the message on the stream', () => shows(theirs.seen.text, to) || undefined, PATIENCE_MS)
      .catch(() => false)
    const open = many.filter((one) => one.status === 200).length
    for (const one of [...many, hers, theirs]) one.stop()
    return {
      counts: tally(many.map((one) => String(one.status))),
      findings: [
        ...(hasEnded && !shows(hers.seen.text, to) ? [] : ['a person who was removed went on watching']),
        ...(status === 200 && isSeen ? [] : ['the owner no longer saw what was new']),
        ...(open > 10 ? [`one person had ${open} streams`] : []),
        ...(many.every((one) => one.status === 200 || one.status === 429) ? [] : ['a stream was answered otherwise']),
      ],
    }
  },
}

const REPORTS: Attack = {
  name: 'reports, downloads and documents, as many as one person can ask for',
  run: async (world, size) => {
    const [victim, tenant] = [await world.tenant(), await world.tenant()]
    const { token } = await join(world, roleIn(tenant.id, 'viewer'))
    const base = `/console/workspaces/${tenant.id}`
    const paths = ['wallet/books', 'wallet/spend', 'wallet/statement.csv', 'messages'].map((each) => `${base}/${each}`)
    const asked = Promise.all(Array.from(
      { length: size === 'short' ? 200 : 2_000 }, (_, index) => page(world, [...paths, '/metrics', '/docs'][index % 6] ?? '', { token }),
    ))
    const sends = await Promise.all(Array.from({ length: 100 }, () => template(victim)))
    const replies = await asked
    return {
      counts: { ...tally(replies.map(({ status }) => `report ${status}`)), ...tally(sends.map(({ status }) => `send ${status}`)) },
      findings: [
        ...(sends.every(({ status }) => status === 200) ? [] : ['sends of another workspace were refused']),
        ...(replies.every(({ status }) => [200, 429, 503].includes(status)) ? [] : ['a report was answered otherwise']),
        ...(replies.some(({ status }) => status === 200) && replies.some(({ status }) => status === 429)
          ? []
          : ['the limits did not show']),
      ],
    }
  },
}

const HOSTS: Attack = {
  name: 'a Host that is not ours',
  run: async (world) => {
    const tenant = await world.tenant()
    const { token } = await join(world, roleIn(tenant.id, 'owner'))
    const findings: string[] = []
    for (const host of ['evil.example', 'evil.example:3000', '127.0.0.1.evil.example']) {
      const headers = { Host: host, Origin: `http://${host}`, 'Sec-Fetch-Site': 'same-origin' }
      const form = { email: 'bob@example.com', access: 'viewer', workspace: tenant.id }
      const replies = [
        await page(world, '/console/members', { token, form, headers }),
        await page(world, `/console/workspaces/${tenant.id}/keys`, { token, headers }),
      ]
      if (replies.some(({ text }) => text.includes('evil'))) findings.push(`${host} is in an answer`)
      if ((replies[0]?.status ?? 0) < 400) findings.push(`${host} made an invitation`)
    }
    return { counts: { hosts: 3 }, findings }
  },
}

const ANONYMOUS: Attack = {
  name: 'a flood of wrong passwords from the address of someone who is known',
  run: async (world, size) => {
    const tenant = await world.tenant()
    const { email, token } = await join(world, roleIn(tenant.id, 'owner'))
    await page(world, '/console/password', { token, form: { password: PASSWORD, again: PASSWORD } })
    const signIn = (given: string, password: string, cookie = '') =>
      page(world, '/console/sign-in', { form: { email: given, password }, headers: { Cookie: cookie } })
    const known = (await signIn(email, PASSWORD)).cookies.map((one) => one.split(';')[0]).find((one) => one?.startsWith('postern_device='))
      ?? ''
    const flood = Promise.all(Array.from(
      { length: size === 'short' ? 100 : 3_000 },
      (_, index) => signIn(index % 2 === 0 ? email : `stranger-${index}@example.com`, 'a wrong one'),
    ))
    const mine = await signIn(email, PASSWORD, known)
    const replies = await flood
    const audited = rightOf(await world.storage.auditLog.list({ limit: 1_000 })).items.filter(({ by }) => by.type === 'unknown')
    return {
      counts: { ...tally(replies.map(({ status }) => `wrong ${status}`)), [`right ${mine.status}`]: 1, audited: audited.length },
      findings: [
        ...(known === '' ? ['the browser was not made known'] : []), ...(mine.status === 303 ? [] : [`the right password of a known browser was answered ${mine.status}`]),
        ...(replies.some(({ status }) => status < 400) ? ['a wrong password signed in'] : []),
        // Each minute has its own limit, and the flood may last over its end.
        ...(audited.length <= 2 * MAX_ANONYMOUS_PER_MINUTE ? [] : [`${audited.length} anonymous entries are in the audit log`]),
      ],
    }
  },
}

const NAMES: Attack = {
  name: 'long names of templates that do not exist, again and again',
  run: async (world, size) => {
    const [victim, tenant] = [await world.tenant(), await world.tenant()]
    const wrong = Promise.all(Array.from({ length: size === 'short' ? 200 : 2_000 }, (_, index) =>
      tenant.ask('POST', '/v1/messages/send-template', {
        json: { to: customerOf(customers++), template_name: `${'x'.repeat(470)}_${index % 7}` },
      })))
    const sends = await Promise.all(Array.from({ length: 50 }, () => template(victim)))
    const replies = await wrong
    return {
      counts: { ...tally(replies.map(({ status }) => `wrong ${status}`)), ...tally(sends.map(({ status }) => `send ${status}`)) },
      findings: sends.every(({ status }) => status === 200) ? [] : ['sends of another workspace were refused'],
    }
  },
}

/** What people with a browser, and anonymous callers with a script, do to the console of a gateway and to those who send through it. */
export const PEOPLE: AttackGroup = {
  title: 'People and anonymous callers',
  databases: 'sqlite',
  env: { RATE_LIMIT_PER_SECOND: '0', PAIR_LIMIT: 'off', SENDER_LIMIT: 'off', PORTFOLIO_LIMIT: 'off' },
  attacks: [INVITED, ARCHIVED, STREAMS, REPORTS, HOSTS, ANONYMOUS, NAMES],
}
