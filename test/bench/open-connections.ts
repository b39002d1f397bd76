import { once } from 'node:events'
import { get, type Agent, type IncomingMessage } from 'node:http'

/** How many connections are opened concurrently. */
const AT_ONCE = 100

/**
 * Opens `count` connections to a server, which the agent then keeps for its requests.
 *
 * Linux queues 4,096 new connections until the process accepts them, which a busy process does late. If more arrive together, some time out at their client, and the
 * server never sees them.
 */
export const openConnections = async (agent: Agent, url: string, count: number): Promise<void> => {
  const replies: IncomingMessage[] = []
  while (replies.length < count) {
    const group = Array.from({ length: Math.min(AT_ONCE, count - replies.length) }, () => replyOf(agent, url))
    replies.push(...(await Promise.all(group)))
  }
  // Until a reply is read, its connection accepts no other request.
  await Promise.all(replies.map((reply) => once(reply.resume(), 'end')))
}

const replyOf = async (agent: Agent, url: string): Promise<IncomingMessage> => {
  const [reply] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
  return reply
}
