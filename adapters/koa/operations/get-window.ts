import * as E from 'fp-ts/lib/Either.js'
import type { CustomerId } from '../../../core/customers/customer.js'
import { type CustomerWindowsView, customerWindowsView } from '../../../core/customers/use-cases.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import type { UnknownSender } from '../../../core/senders/sender.js'
import { NamedSender, WrittenCustomerId } from '../codecs.js'
import { type Outcome, type UseCases, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import { described } from '../schema.js'
import { CustomerWindows, SENDER_WINDOWS_EXAMPLE, WINDOW_EXAMPLE } from './quote.js'
import type { ThroughSender } from './send.js'

/** `GET /windows/{to}` */
export const getWindow = workspaceOperation({
  id: 'getWindow',
  method: 'get',
  path: '/windows/{to}',
  tag: 'Reading',
  act: 'customer.view',
  summary: 'Look up a customer service window',
  description:
    'Whether a text may be sent to a customer now, and until when. A message of a customer opens the window at the sender to whom the customer wrote, regardless of '
      + 'which id of the customer it arrived under.',
  pathParameters: { to: described(WrittenCustomerId, 'The number or the user id of a customer, URL-encoded.', '33639980001') },
  query: { sender: described(NamedSender, 'The phone number id of the sender whose window is shown; the default sender, and a list of all senders, if omitted.') },
  reply: { description: 'The windows.', codec: CustomerWindows, example: { ...WINDOW_EXAMPLE, senders: SENDER_WINDOWS_EXAMPLE } },
  failures: { UnknownSender: true },
  run: async (
    { postern: { customers, clock } }: UseCases,
    { workspace, parameters: { to, sender } }: WorkspaceRequest<{ readonly to: CustomerId } & ThroughSender>,
  ): Outcome<UnknownSender | PortFailure, CustomerWindowsView> => {
    const shown = await customers.showWindows({ workspace, sender }, to)
    return E.isLeft(shown) ? shown : E.right({ value: customerWindowsView(clock.now(), shown.right, clock.freeForm) })
  },
})
