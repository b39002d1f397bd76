import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { type Outcome, rootOperation, workspaceOperation } from '../../../adapters/koa/operation.js'
import { notFound, type NotFound, type VerificationRefused } from '../../../adapters/koa/reply.js'
import { record, string } from '../../../adapters/koa/schema.js'

const INFO = { id: 'example', method: 'get', path: '/example', tag: 'Operations', summary: 'Example', description: 'Example.' } as const
const REPLY = { description: 'Example.', codec: record({ name: string() }), example: { name: 'x' } }

describe('the type of an operation', () => {
  it('asks of an operation of a workspace for each failure that it can have', () => {
    const run = async (): Outcome<NotFound, { readonly name: string }> => E.left(notFound)
    const operation = workspaceOperation({ ...INFO, reply: REPLY, failures: { NotFound: true }, run })
    assert.hasAnyKeys(operation.document.responses, ['404'])
    // @ts-expect-error NotFound is not among the failures
    workspaceOperation({ ...INFO, reply: REPLY, failures: {}, run })
  })

  it('asks of an operation at the root for each failure that it can have', () => {
    const handler = () => async () => E.left<VerificationRefused>({ _tag: 'VerificationRefused' })
    const operation = rootOperation({ ...INFO, replies: {}, failures: { VerificationRefused: true }, handler })
    assert.hasAnyKeys(operation.document.responses, ['403'])
    // @ts-expect-error VerificationRefused is not among the failures
    rootOperation({ ...INFO, replies: {}, failures: {}, handler })
  })
})
