import { type EndpointSecret, endpointSecretOf } from '../../../core/events/endpoint.js'
import { eventIdOf, type WorkspaceId } from '../../../core/kernel/ids.js'
import type { Event } from '../../../core/kernel/outbox.js'
import type { TraceContext, Tracer } from '../../../core/kernel/tracing.js'

/** An event of a customer's message, with content beyond ASCII. */
export const EVENT: Event = {
  id: eventIdOf('0192a000-0000-7000-8000-000000000001'),
  type: 'message.received',
  workspace: 'ws_0192a0000000700080000000000000aa' as WorkspaceId,
  at: Date.UTC(2026, 10, 22),
  subject: 'wamid.1',
  data: { id: 'wamid.1', content: null, context: null },
  content: { content: { body: 'Grüße 👋' }, context: null },
}

const SPAN = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' as TraceContext

/** A tracer in whose span everything happens. */
export const TRACER: Tracer & { readonly current: () => TraceContext } = {
  span: () => Promise.reject(new Error('no span is begun')), current: () => SPAN,
}

/** A secret of the form of the real ones. */
export const secretOf = (fill: number): EndpointSecret => endpointSecretOf(Buffer.alloc(32, fill).toString('base64'))
