import { once } from 'node:events'
import { get, type Agent, type IncomingMessage } from 'node:http'

/** How many connections are opened at once. */
const AT_ONCE = 100

/**
 * Opens so many connections to a server, which the agent then keeps for its requests.
 *
 * Linux keeps 4,096 new connections until the process accepts them, which a busy one does late. Of more that come at once, some time out at their client, and the
 * server never sees them.
 */
export const openConnections = async (agent: Agent, url: string, count: number): Promise<void> => {
  const replies: IncomingMessage[] = []
  while (replies.length < count) {
    const group = Array.from({ length: Math.min(AT_ONCE, count - replies.length) }, () => replyOf(agent, url))
    replies.push(...(await Promise.all(group)))
  }
  // As long as a reply is not read, its connection takes no other request.
  await Promise.all(replies.map((reply) => once(reply.resume(), 'end')))
}

const replyOf = async (agent: Agent, url: string): Promise<IncomingMessage> => {
  const [reply] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
  return reply
}
