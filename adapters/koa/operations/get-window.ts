import * as E from 'fp-ts/lib/Either.js'
import type { CustomerId } from '../../../core/customers/customer.js'
import { windowView, type WindowView } from '../../../core/customers/window.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import type { UnknownSender } from '../../../core/senders/sender.js'
import { WrittenCustomerId } from '../codecs.js'
import { type Outcome, type UseCases, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import { described } from '../schema.js'
import { Window, WINDOW_EXAMPLE } from './quote.js'

/** `GET /windows/{to}` */
export const getWindow = workspaceOperation({
  id: 'getWindow',
  method: 'get',
  path: '/windows/{to}',
  tag: 'Reading',
  act: 'customer.view',
  summary: 'Look up a customer service window',
  description: 'Whether a text may be sent to a customer now, and until when. A message opens the window of its customer, regardless of which id it arrived under.',
  pathParameters: { to: described(WrittenCustomerId, 'The number or the user id of a customer, URL-encoded.') },
  reply: { description: 'The window.', codec: Window, example: WINDOW_EXAMPLE },
  failures: { UnknownSender: true },
  run: async (
    { postern: { customers, clock } }: UseCases, { workspace, parameters: { to } }: WorkspaceRequest<{ readonly to: CustomerId }>,
  ): Outcome<UnknownSender | PortFailure, WindowView> => {
    const shown = await customers.showWindows({ workspace }, to)
    return E.isLeft(shown) ? shown : E.right({ value: windowView(clock.now(), shown.right.lastInbound, clock.freeForm) })
  },
})
