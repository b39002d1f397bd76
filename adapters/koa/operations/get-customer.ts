import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { customerWithConsentView, type CustomerWithConsentView } from '../../../core/consent/use-cases.js'
import type { CustomerId } from '../../../core/customers/customer.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import { PhoneNumber, UserId, WrittenCustomerId } from '../codecs.js'
import { type Outcome, type UseCases, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import { missingThing, type NotFound } from '../reply.js'
import { type Codec, described, named, nullable, record, string } from '../schema.js'
import { CONSENT_EXAMPLE, CustomerConsentBody } from './consents.js'
import { SENDER_WINDOWS_EXAMPLE, SenderWindows, Window, WINDOW_EXAMPLE } from './quote.js'

const Customer: Codec<CustomerWithConsentView> = named('Customer', described(record({
  phone_number: nullable(PhoneNumber, 'As reported by the platform; null if it is not known.'),
  user_id: nullable(UserId, 'Null if it is not known.'),
  username: nullable(string(), 'The name by which the platform finds the customer; null if it is not known.'),
  name: nullable(string(), 'The name that the customer shows; null if it is not known.'),
  window: described(Window, 'The customer service window at the default sender.'),
  windows: described(SenderWindows, 'The customer service window at each sender of the workspace, at its default sender first.'),
  consent: CustomerConsentBody,
}), 'A customer as the platform reported it to this workspace.'))

/** `GET /customers/{to}` */
export const getCustomer = workspaceOperation({
  id: 'getCustomer',
  method: 'get',
  path: '/customers/{to}',
  tag: 'Reading',
  act: 'customer.view',
  summary: 'Look up a customer',
  description: 'The ids and names of a customer, the customer service window at each sender, and what the customer allowed and stopped. A customer unknown to this workspace is not found.',
  pathParameters: { to: described(WrittenCustomerId, 'The number or the user id of a customer, URL-encoded.', '33639980001') },
  reply: {
    description: 'The customer.',
    codec: Customer,
    example: {
      phone_number: '4915123456789', user_id: 'DE.13491208655302741918', username: null, name: 'Ada', window: WINDOW_EXAMPLE,
      windows: SENDER_WINDOWS_EXAMPLE, consent: CONSENT_EXAMPLE,
    },
  },
  failures: { NotFound: true },
  run: async (
    { postern: { customers, clock } }: UseCases, { workspace, parameters: { to } }: WorkspaceRequest<{ readonly to: CustomerId }>,
  ): Outcome<NotFound | PortFailure, CustomerWithConsentView> => {
    const customer = await customers.showCustomer(workspace, to)
    if (E.isLeft(customer)) return customer
    if (O.isNone(customer.right)) return E.left(missingThing(`This workspace has no record of the customer ${to}`))
    return E.right({ value: customerWithConsentView(clock.now(), customer.right.value, clock.freeForm) })
  },
})
