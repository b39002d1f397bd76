import { Agent, type ClientRequest, request as httpRequest } from 'node:http'
import { signatureOf } from '../../../adapters/cloud-api/index.js'
import type { Access } from '../../../core/access/members.js'
import type { SignedIn } from '../../../core/access/sign-in.js'
import { type Role, SYSTEM } from '../../../core/kernel/actor.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { createAccount } from '../../support/account.js'
import { migratedSqliteFile } from '../../support/databases.js'
import { APP_SECRET, SECRET, VERIFY_TOKEN } from '../../support/gateway.js'
import { openReceiver } from '../../support/receiver.js'
import { rightOf } from '../../support/right-of.js'
import { makeScratch } from '../../support/scratch.js'
import { startReadGateway } from './gateway.js'
import { startTokenPlatform } from './platform.js'
import { MADE_UP } from './stock.js'
import type { Call, Reply, Tenant, World } from './tenant.js'
import { makeWatch } from './watch.js'
import { membersOf } from '../../support/use-cases.js'

const PASSWORD = 'a password of an owner'
const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** A complete gateway in this process, with two tenants, their people, their applications and a platform that knows whose token may do what. */
export const startWorld = async (): Promise<World> => {
  const scratch = await makeScratch()
  await migratedSqliteFile(scratch.path('postern.db'))
  const platform = await startTokenPlatform()
  const gateway = await startReadGateway({
    DATABASE_URL: `sqlite:${scratch.path('postern.db')}`, POSTERN_SECRET: SECRET, PLATFORM_URL: platform.url,
    PLATFORM_VERIFY_TOKEN: VERIFY_TOKEN, PLATFORM_APP_SECRET: APP_SECRET, LOG_LEVEL: 'silent', EVENTS_ALLOW: '127.0.0.0/8',
    TEMPLATE_SYNC_MINUTES: '0',
  })
  const watch = makeWatch()
  // The gateway itself verifies no password of an owner.
  const members = membersOf(gateway.storage)
  const join = async (email: string, access: Access): Promise<SignedIn> => {
    const { token } = rightOf(await members.inviteMember({ by: SYSTEM, email, access }))
    return rightOf(await members.takeLink({ token, address: '127.0.0.1' }))
  }
  const cookieOf = ({ token }: SignedIn): string => `postern_session=${token}`
  const operator = cookieOf(await join('operator@example.com', { _tag: 'Operator' }))

  /** What is delivered to each tenant's application. */
  const applications = await openReceiver((response, nth) => {
    const { path = '', body = '' } = applications.received[nth - 1] ?? {}
    const tenant = tenants.find(({ mark }) => path === `/${mark}`)
    if (tenant !== undefined) watch.look(tenant, 'an event that is delivered', body)
    response.writeHead(204).end()
  })

  const open = async (mark: string, digit: string, email: string): Promise<Tenant> => {
    const [phone, account, customer] = [`7${digit}0000000000017`, `8${digit}0000000000017`, `4917${digit}000000017`]
    const token = `EAAG${mark}`
    platform.tokens.set(token, { mark, numbers: new Set([phone]), accounts: new Set([account]) })
    platform.templates.set(account, [`${mark}_offer`, `${mark}_paused`])
    const { id, key, keyId } = await createAccount(gateway.storage, {
      name: `The shop of ${mark}`, micros: 100_000_000n, phoneNumberId: undefined,
    })
    rightOf(await gateway.storage.senders.assign(id, { phoneNumberId: senderIdOf(phone), accessToken: token, businessAccountId: account }))
    const role = (of: Role): Access => ({ _tag: 'Role', workspace: id, role: of })
    const [owner, developer] = [await join(email, role('owner')), await join(`${mark}.developer@example.com`, role('developer'))]
    rightOf(await members.setPassword({ signedIn: owner, password: PASSWORD }))
    const tenant: Tenant = {
      mark, id, key, phone, account, customer, token, email, cookie: cookieOf(owner), developer: cookieOf(developer), application: `http://127.0.0.1:${applications.port}/${mark}`,
      session: async () => {
        const opened = rightOf(
          await members.signIn({ email, password: PASSWORD, address: '127.0.0.1', userAgent: `The browser of ${mark}` }),
        )
        return { id: opened.session.id, cookie: cookieOf(opened) }
      },
      invite: async (name) =>
        rightOf(await members.inviteMember({ by: SYSTEM, email: `${mark}.${name}@example.com`, access: role('viewer') })).token,
      leaving: '', names: { ...MADE_UP, workspace: id, key: keyId },
    }
    watch.add(tenant, [mark, id, key, phone, account, customer])
    return tenant
  }
  const tenants: Tenant[] = []
  for (const [mark, digit, email] of [['quokka', '1', 'ann@example.com'], ['walrus', '2', 'bea@example.com']] as const) {
    tenants.push(await open(mark, digit, email))
  }

  const send = (call: Call, who: Readonly<Record<string, string>>): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const body = call.json !== undefined ? JSON.stringify(call.json)
        : call.form !== undefined ? new URLSearchParams(call.form).toString()
        : call.raw
      const type = call.form === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
      const isLive = call.method === 'LIVE'
      const headers = {
        ...who, ...(isLive && { Accept: 'text/event-stream' }), ...(call.path.startsWith('/console') && !isLive && { Origin: gateway.url }),
        ...(body !== undefined && { 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(body)) }), ...call.headers,
      }
      const sent = httpRequest(
        `${gateway.url}${call.path}`, { method: isLive ? 'GET' : call.method, headers, agent: isLive ? false : agent }, (response) => {
          let received = ''
          const end = (): void => resolve({ status: response.statusCode ?? 0, text: `${received}\n${JSON.stringify(shownHeaders(response.headers))}` })
          response.setEncoding('utf8').on('data', (part: string) => {
            received += part
            // A stream has no end: its first event is the whole part.
            if (isLive && received.includes('\n\n') && received.includes('data:')) {
              end()
              response.destroy()
            }
          })
          response.on('end', end).on('error', reject)
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })

  const ask: World['ask'] = async (tenant, call, isTheirs = true) => {
    const reply = await send(call, whoOf(tenant, call))
    if (isTheirs && call.as !== 'operator') watch.look(tenant, `${call.method} ${call.path}`, reply.text)
    return reply
  }

  const whoOf = (tenant: Tenant, { path, as, cookie }: Call): Readonly<Record<string, string>> => {
    if (as === 'anyone') return {}
    if (!path.startsWith('/console')) return { Authorization: `Bearer ${tenant.key}` }
    return { Cookie: cookie ?? (as === 'operator' ? operator : as === 'developer' ? tenant.developer : tenant.cookie) }
  }

  const streams: ClientRequest[] = []
  const follow: World['follow'] = (tenant, call) =>
    new Promise((resolve, reject) => {
      const headers = { Accept: 'text/event-stream', ...whoOf(tenant, call) }
      const stream = httpRequest(`${gateway.url}${call.path}`, { agent: false, headers }, (response) => {
        response.setEncoding('utf8').on('data', (part: string) => {
          watch.look(tenant, `${call.method} ${call.path}`, part)
          if (part.includes('data:')) resolve()
        }).on('error', () => undefined)
      })
      streams.push(stream)
      stream.on('error', reject).end()
    })

  const unfollow = (): void => { for (const stream of streams.splice(0)) stream.destroy() }

  const [ann, bea] = tenants as [Tenant, Tenant]
  return {
    ann, bea, platform, storage: gateway.storage, ask, follow, unfollow, watch,
    notify: async (tenant, ...changes) => {
      const body = JSON.stringify({
        object: 'whatsapp_business_account', entry: changes.map(([account, ...of]) => ({ id: account, changes: of })),
      })
      return ask(tenant, {
        method: 'POST', path: '/webhooks/platform', raw: body, as: 'anyone', status: 200,
        headers: { 'X-Hub-Signature-256': signatureOf(APP_SECRET, Buffer.from(body)) },
      })
    },
    delivered: ({ mark }) => applications.received.filter(({ path }) => path === `/${mark}`).map(({ body }) => body),
    close: async () => {
      unfollow()
      await gateway.stop()
      await platform.close()
      await applications[Symbol.asyncDispose]()
      agent.destroy()
      await scratch.remove()
    },
  }
}

/** What a browser or an application sees of the headers, without what is another one in every reply or follows from the body. */
const shownHeaders = ({
  'x-request-id': _id, date: _date, connection: _connection, 'keep-alive': _alive, 'content-length': _length, ...shown
}: NodeJS.Dict<string | string[]>) => shown
