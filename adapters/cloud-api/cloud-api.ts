import type { Platform } from '../../core/ports/platform.js'
import type { Instant } from '../../core/time.js'
import { readAnswer } from './read-answer.js'
import { makeMessageRequest, type Endpoint } from './request.js'
import type { Transport } from './transport.js'

/** What the platform needs: its address, and a transport that reaches it. */
export type CloudApiDeps = Endpoint & {
  readonly transport: Transport
  /** The present moment; the system clock where none is given. */
  readonly now?: () => Instant
}

/** The WhatsApp Business Cloud API as the platform. One send is one call; a call is never repeated. */
export const makeCloudApi = ({ transport, now = Date.now, ...endpoint }: CloudApiDeps): Platform => {
  const messageRequest = makeMessageRequest(endpoint)
  return {
    send: (outbound) => async () => readAnswer(await transport(messageRequest(outbound)), now()),
  }
}
