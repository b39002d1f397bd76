import { once } from 'node:events'
import { createServer } from 'node:http'
import type { KnexStorage } from '../../adapters/knex/index.js'
import { makeTakeLink } from '../../core/access/links.js'
import { makeInviteMember } from '../../core/access/member-use-cases.js'
import type { Token } from '../../core/access/members.js'
import { SYSTEM } from '../../core/kernel/actor.js'
import { memberDepsOf } from '../server/deps.js'
import { unwrap } from './unwrap.js'

/** An address that signs its visitor in as an operator; only the demonstration has such a thing. */
export type SignIn = { readonly url: string; readonly close: () => Promise<void> }

/** Starts a server on this machine that signs in and leads to a page of the console. A cookie belongs to a host on all its ports, so the gateway gets it. */
export const startSignIn = async (storage: KnexStorage, page: string): Promise<SignIn> => {
  const server = createServer((_request, response) => {
    signIn(storage).then(
      (token) => response.writeHead(303, { 'Set-Cookie': `postern_session=${token}; Path=/; HttpOnly; SameSite=Lax`, Location: page }).end(),
      () => response.writeHead(503).end('The sign-in failed.'),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the sign-in does not listen on a port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

const signIn = async (storage: KnexStorage): Promise<Token> => {
  const deps = memberDepsOf(storage)
  const { token } = await unwrap(makeInviteMember(deps)({ by: SYSTEM, email: 'demo@example.com', access: { _tag: 'Operator' } }))
  return (await unwrap(makeTakeLink(deps)({ token, address: '127.0.0.1' }))).token
}
