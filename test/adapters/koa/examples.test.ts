import { assert } from 'chai'
import { OPERATIONS } from '../../../adapters/koa/contract.js'
import type { Operation } from '../../../adapters/koa/operation.js'
import { type EndpointId, endpointSecretOf } from '../../../core/events/endpoint.js'
import type { EventId } from '../../../core/kernel/ids.js'
import { ALL_EVENTS } from '../../../core/kernel/outbox.js'
import { body, templateOf } from '../../core/template-samples.js'
import { rightOf } from '../../support/right-of.js'
import { EXAMPLE_BATCH, storeExampleBatch } from './batch-scenarios.js'
import { CUSTOMER, exampleWrites, gateway, type Gateway, NOON } from './gateway.js'

const KEYED: ReadonlyArray<Operation<never>> = OPERATIONS.filter(({ isVersioned }: Operation<never>) => isVersioned)

const TEMPLATES = [
  ...['en_US', 'en'].map((language) => templateOf([body('Hello')], { name: 'hello_world', language })),
  templateOf([body('{{1}}, {{2}}')], { name: 'order_update', language: 'en_US' }),
]

const jsonExamplesOf = ({ document: { requestBody } }: Operation<never>) =>
  Object.entries(requestBody?.content['application/json']?.examples ?? {})

const ENDPOINT = 'ep_0199c3a87c2e7b1f9d5a4e6b8c0d2f41' as EndpointId
const EVENT = 'evt_0199c3a87c2e7b1f9d5a4e6b8c0d2f41' as EventId

/** The id that an address names. */
const idAt = (path: string): string =>
  (path.startsWith('/events') ? EVENT : path.startsWith('/batches') ? EXAMPLE_BATCH : ENDPOINT)

/** A gateway that has what the examples name. */
const open = async (): Promise<Gateway> => {
  const gw = await gateway({ templates: TEMPLATES })
  await exampleWrites(gw)
  const { storage: { eventEndpoints, eventOutbox }, workspace } = gw
  rightOf(await eventEndpoints.add({
    id: ENDPOINT, workspace, url: 'https://shop.example/', types: ALL_EVENTS, description: '', createdAt: NOON,
    secret: endpointSecretOf(''),
  }))
  await storeExampleBatch(gw, 'paused')
  rightOf(await eventOutbox.append(workspace, [{ id: EVENT, type: 'message.sent', workspace, at: NOON, subject: 'x', data: {} }]))
  return gw
}

describe('the examples of the OpenAPI document', () => {
  it('exist for the body of every request and for every reply in JSON that is not a failure, except notifications and the document', () => {
    const without = OPERATIONS.flatMap(({ document: { operationId, requestBody, responses } }: Operation<never>) => [
      ...Object.entries(requestBody?.content ?? {}).flatMap(([type, { examples = {} }]) =>
        Object.keys(examples).length === 0 ? [`${operationId} ${type}`] : []),
      ...Object.entries(responses).flatMap(([status, { content }]) =>
        Number(status) < 300 && content?.['application/json'] !== undefined && content['application/json'].examples === undefined
          ? [`${operationId} ${status}`]
          : []),
    ])
    assert.deepEqual(without, ['receiveNotification */*', 'receiveAppNotification */*', 'getDocument 200'])
  })

  for (const operation of KEYED) {
    for (const [name, { value }] of jsonExamplesOf(operation)) {
      it(`work as they are: ${operation.document.operationId} ${name}`, async () => {
        await using gw = await open()
        const values: Readonly<Record<string, string>> = {
          id: idAt(operation.path), to: CUSTOMER, wamid: 'wamid.HBgM',
        }
        const path = operation.path.replace(/\{(\w+)\}/g, (_, parameter: string) => values[parameter] ?? assert.fail(parameter))
        const { status, text } = await gw.request(`/v1${path}`, {
          method: operation.method.toUpperCase(), body: JSON.stringify(value), headers: { 'Content-Type': 'application/json' },
        })
        assert.isBelow(status, 300, text)
      })
    }
  }
})
