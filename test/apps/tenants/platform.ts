import { createServer } from 'node:http'
import { listening, withBody } from '../../support/listening.js'

/** What the platform lets a token use, and a word that is in everything that it shows to that token. */
export type Granted = { readonly mark: string; readonly numbers: ReadonlySet<string>; readonly accounts: ReadonlySet<string> }

/** What the platform has for everyone: the templates of each account, and the number that got a message or an attachment. */
export type PlatformWorld = {
  readonly tokens: Map<string, Granted>
  /** The names of the templates of each business account. */
  readonly templates: Map<string, ReadonlyArray<string>>
  /** The number by which each message of a customer and each attachment came. */
  readonly received: Map<string, string>
}

/** A platform on which each token may use only its own numbers and accounts. */
export type TokenPlatform = PlatformWorld & { readonly url: string; readonly close: () => Promise<void> }

/** The text of a message to which the platform gives no answer that makes sense. */
export const UNANSWERED = 'unanswered'

type Reply = readonly [status: number, body: unknown]

const NO_SUCH_OBJECT: Reply = [400, { error: { code: 100, error_subcode: 33, message: 'Unsupported request' } }]
const BAD_TOKEN: Reply = [401, { error: { code: 190, message: 'Invalid OAuth access token' } }]

/** Starts it on a free port. */
export const startTokenPlatform = async (): Promise<TokenPlatform> => {
  const world: PlatformWorld = { tokens: new Map(), templates: new Map(), received: new Map() }
  let [sent, uploaded] = [0, 9_000_000]
  const { url, close } = await listening(createServer(withBody((body, request, response) => {
    const [status, reply] = answer(request.method ?? '', new URL(request.url ?? '', url), request.headers.authorization, body.toString())
    response.writeHead(status, { 'Content-Type': typeof reply === 'string' ? 'text/plain' : 'application/json' })
      .end(typeof reply === 'string' ? reply : JSON.stringify(reply))
  })))

  const answer = (method: string, { pathname, searchParams }: URL, authorization: string | undefined, body: string): Reply => {
    const granted = world.tokens.get(authorization?.replace('Bearer ', '') ?? '')
    if (granted === undefined) return BAD_TOKEN
    const [, base = '', id = '', what] = pathname.split('/').map(decodeURIComponent)
    if (base === 'files') return [200, `a picture of ${granted.mark}`]
    if (what === 'message_templates') {
      return granted.accounts.has(id) ? [200, { data: templatesOf(id, searchParams.get('name')) }] : NO_SUCH_OBJECT
    }
    if (what === 'media') return granted.numbers.has(id) ? [200, { id: String((uploaded += 1)) }] : NO_SUCH_OBJECT
    if (method === 'POST') return granted.numbers.has(id) ? take(granted, id, JSON.parse(body) as Message) : NO_SUCH_OBJECT
    const number = searchParams.get('phone_number_id')
    if (number !== null) {
      const isTheirs = granted.numbers.has(number) && world.received.get(id) === number
      return isTheirs ? [200, { id, url: `${url}/files/${id}`, mime_type: 'text/plain' }] : NO_SUCH_OBJECT
    }
    return granted.numbers.has(id)
      ? [200, { id, verified_name: `The shop of ${granted.mark}`, quality_rating: 'GREEN', throughput: { level: 'HIGH' } }]
      : NO_SUCH_OBJECT
  }

  type Message = {
    readonly status?: string
    readonly message_id?: string
    readonly to?: string
    readonly text?: { readonly body?: string }
  }

  const take = ({ mark }: Granted, number: string, { status, message_id: read = '', to, text: content }: Message): Reply => {
    if (status === 'read') return world.received.get(read) === number ? [200, { success: true }] : NO_SUCH_OBJECT
    if (content?.body?.includes(UNANSWERED) === true) return [500, { error: { code: 1 } }]
    sent += 1
    return [
      200,
      { messaging_product: 'whatsapp', contacts: [{ input: to, wa_id: to?.replace('+', '') }], messages: [{ id: `wamid.${mark}${sent}` }] },
    ]
  }

  const templatesOf = (account: string, name: string | null): ReadonlyArray<unknown> =>
    (world.templates.get(account) ?? []).filter((one) => name === null || one === name).map((one, index) => ({
      id: `${account}${index}`, name: one, language: 'en', status: one.endsWith('paused') ? 'PAUSED' : 'APPROVED', category: 'UTILITY',
      quality_score: { score: 'GREEN' }, components: [{ type: 'BODY', text: `News of ${one}` }],
    }))

  return { ...world, url, close }
}
