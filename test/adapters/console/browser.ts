import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeConsole, type ConsoleDeps } from '../../../adapters/console/index.js'
import { makeListAudit } from '../../../core/use-cases/list-audit.js'
import { makeListWorkspaces } from '../../../core/use-cases/list-workspaces.js'
import { memberWorld } from '../../core/use-cases/member-world.js'

export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
  /** The `Set-Cookie` headers, as they came. */
  readonly cookies: ReadonlyArray<string>
}

export type Sent = { readonly form?: Readonly<Record<string, string>>; readonly headers?: Readonly<Record<string, string>>; readonly raw?: string }

/** A console of members in memory that listens, and requests to it with exactly the headers that are given. */
export const openConsole = async (options: Partial<ConsoleDeps> = {}) => {
  const world = await memberWorld()
  const lines: Array<string> = []
  const audit = { auditLog: world.storage.auditLog, newAuditId: world.newAuditId, now: () => world.clock.at }
  const app = makeConsole({
    members: world.use,
    listAudit: makeListAudit({ auditLog: world.storage.auditLog, audit }),
    listWorkspaces: makeListWorkspaces(world.storage),
    log: (level, event, fields) => lines.push(JSON.stringify({ level, event, ...fields })),
    ...options,
  })
  const handle = app.callback()
  const server = createServer((req, res) => void handle(req, res))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const origin = options.publicUrl ?? `http://127.0.0.1:${port}`

  const send = (method: string, path: string, { form, headers = {}, raw }: Sent = {}): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const body = raw ?? (form === undefined ? undefined : new URLSearchParams(form).toString())
      const type = body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': String(Buffer.byteLength(body)) }
      const sent = request({ port, host: '127.0.0.1', method, path, agent: false, headers: { ...type, ...headers } }, (response) => {
        const chunks: Array<Buffer> = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => resolve({
          status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString(), cookies: response.headers['set-cookie'] ?? [],
        }))
      })
      sent.on('error', reject)
      sent.end(body)
    })

  return {
    ...world, lines, origin, port, send,
    get: (path: string, cookie?: string) => send('GET', path, { headers: cookie === undefined ? {} : { Cookie: cookie } }),
    post: (path: string, form: Readonly<Record<string, string>> = {}, cookie?: string) =>
      send('POST', path, { form, headers: { Origin: origin, ...(cookie !== undefined && { Cookie: cookie }) } }),
    close: () => new Promise<void>((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    }),
  }
}

export type OpenConsole = Awaited<ReturnType<typeof openConsole>>

/** What a browser sends back of the cookies that it got. */
export const cookieOf = ({ cookies }: Reply): string => cookies.map((cookie) => cookie.split(';')[0] ?? '').join('; ')

/** How many of the replies signed somebody in. */
export const signedIn = (replies: ReadonlyArray<Reply>): number => replies.filter(({ cookies }) => cookies.some((cookie) => /session=[^;]/.test(cookie))).length
