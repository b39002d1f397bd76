import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { CustomerId } from '../../../core/customers/customer.js'
import { customerView, type CustomerView, makeShowCustomer, type ShowCustomerDeps } from '../../../core/customers/use-cases.js'
import type { WindowClock } from '../../../core/customers/window.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import { PhoneNumber, UserId, WrittenCustomerId } from '../codecs.js'
import { type Outcome, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import { missingThing, type NotFound } from '../reply.js'
import { type Codec, described, named, nullable, record, string } from '../schema.js'
import { Window, WINDOW_EXAMPLE } from './quote.js'

const Customer: Codec<CustomerView> = named('Customer', described(record({
  phone_number: nullable(PhoneNumber, 'As reported by the platform; null if it is not known.'),
  user_id: nullable(UserId, 'Null if it is not known.'),
  username: nullable(string(), 'The name by which the platform finds the customer; null if it is not known.'),
  name: nullable(string(), 'The name that the customer shows; null if it is not known.'),
  window: Window,
}), 'A customer as the platform reported it to this workspace.'))

/** `GET /customers/{to}` */
export const getCustomer = workspaceOperation({
  id: 'getCustomer',
  method: 'get',
  path: '/customers/{to}',
  tag: 'Reading',
  scope: 'read',
  summary: 'Look up a customer',
  description: 'The ids and names of a customer, and the customer service window. A customer unknown to this workspace is not found.',
  pathParameters: { to: described(WrittenCustomerId, 'The number or the user id of a customer, URL-encoded.') },
  reply: {
    description: 'The customer.',
    codec: Customer,
    example: { phone_number: '4915123456789', user_id: 'DE.13491208655302741918', username: null, name: 'Ada', window: WINDOW_EXAMPLE },
  },
  failures: { NotFound: true },
  run: async (
    deps: ShowCustomerDeps & { readonly windowClock: Pick<WindowClock, 'freeForm' | 'now'> },
    { workspace, parameters: { to } }: WorkspaceRequest<{ readonly to: CustomerId }>,
  ): Outcome<NotFound | PortFailure, CustomerView> => {
    const customer = await makeShowCustomer(deps)(workspace, to)
    if (E.isLeft(customer)) return customer
    return O.isNone(customer.right) ? E.left(missingThing(`This workspace has no record of the customer ${to}`)) : E.right({ value: customerView(deps.windowClock.now(), customer.right.value, deps.windowClock.freeForm) })
  },
})
