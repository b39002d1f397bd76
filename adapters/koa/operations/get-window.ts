import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../../../core/errors.js'
import type { CustomerId } from '../../../core/customer.js'
import type { WindowClock } from '../../../core/ports/window-clock.js'
import { lastInboundOf, type WindowDeps } from '../../../core/window.js'
import { windowView, type WindowView } from '../../../core/views.js'
import { Time, WrittenPhoneNumber } from '../codecs.js'
import { boolean, described, named, nullable, record, type Codec } from '../schema.js'
import { workspaceOperation, type Outcome, type WorkspaceRequest } from '../workspace-operation.js'

const Window: Codec<WindowView> = named('Window', described(record({
  open: described(boolean, 'Whether a text may be sent now.'),
  last_inbound_at: nullable(Time, "When the customer's latest message came; null where there was none."),
  closes_at: nullable(Time, '24 hours after that; null where the customer never wrote.'),
}), 'The customer service window of one customer.'))

/** `GET /windows/{to}` */
export const getWindow = workspaceOperation({
  id: 'getWindow',
  method: 'get',
  path: '/windows/{to}',
  tag: 'Reading',
  summary: 'Look up a customer service window',
  description: 'Whether a text may be sent to a customer now, and until when.',
  pathParameters: { to: described(WrittenPhoneNumber, 'The number of a customer.') },
  reply: {
    description: 'The window.',
    codec: Window,
    example: { open: true, last_inbound_at: '2026-03-01T12:00:00.000Z', closes_at: '2026-03-02T12:00:00.000Z' },
  },
  failures: {},
  run: async (
    { windowClock, customers }: WindowDeps & { readonly windowClock: Pick<WindowClock, 'now'> },
    { workspace, parameters: { to } }: WorkspaceRequest<{ readonly to: CustomerId }>,
  ): Outcome<PortFailure, WindowView> => {
    const lastInbound = await lastInboundOf({ windowClock, customers }, workspace, to)()
    return E.isLeft(lastInbound) ? lastInbound : E.right({ value: windowView(windowClock.now(), lastInbound.right) })
  },
})
