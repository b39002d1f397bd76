import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makeSending, type PhoneNumber } from '../../../core/index.js'
import { openSandbox } from '../../../adapters/memory/index.js'
import { done } from '../../support/right-of.js'

const CUSTOMER = '33639980001' as PhoneNumber
const STRANGER = '33639980002' as PhoneNumber

describe('a sandbox', () => {
  it('sends texts to the customers it names and to no others', async () => {
    const { workspace, sent, ...ports } = await openSandbox({ customers: [CUSTOMER] })
    const { id } = await done(makeSending(ports, ports).sendText({ workspace, to: CUSTOMER, text: 'Hello' }))
    const refused = await makeSending(ports, ports).sendText({ workspace, to: STRANGER, text: 'Hello' })
    assert.equal(refused._tag === 'Left' ? refused.left._tag : '', 'WindowClosed')
    assert.deepEqual(sent.map((outbound) => outbound.id), [id])
  })

  it('charges three cents a message until the money is spent', async () => {
    const { workspace, ...ports } = await openSandbox({ micros: 50_000n })
    const send = () => makeSending(ports, ports).sendTemplate({ workspace, to: STRANGER, name: 'order_update' })
    assert.equal((await send())._tag, 'Right')
    const second = await send()
    assert.deepInclude(second._tag === 'Left' ? second.left : {}, { _tag: 'InsufficientBalance', required: 30_000n, available: 20_000n })
  })

  it('takes the clock it is given', async () => {
    let now = Date.UTC(2026, 0, 1)
    const { workspace, ...ports } = await openSandbox({ customers: [CUSTOMER], now: () => now })
    const send = () => makeSending(ports, ports).sendText({ workspace, to: CUSTOMER, text: 'Hello' })
    assert.equal((await send())._tag, 'Right')
    now += 24 * 3_600_000
    assert.equal((await send())._tag, 'Left')
  })

  it('is overlaid with ports of an app, and reconciles', async () => {
    let now = Date.UTC(2026, 0, 1)
    const { workspace, ...ports } = await openSandbox({ now: () => now })
    const platform = { send: async () => E.left({ _tag: 'OutcomeUnknown' as const, cause: 'lost' }) }
    await makeSending({ ...ports, platform }, ports).sendTemplate({ workspace, to: STRANGER, name: 'order_update' })
    now += ports.releaseAfterMs + 1
    assert.equal((await done(makeSending(ports, ports).reconcile())).released, 1)
  })

  it('is not opened with more money than a wallet can hold', async () => {
    const failure = await openSandbox({ micros: 10n ** 19n }).then(() => undefined, (error: unknown) => error)
    assert.instanceOf(failure, TypeError)
    assert.match(String(failure), /BalanceOutOfRange/)
  })
})
