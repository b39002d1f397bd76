import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { PORTS } from '../../../adapters/inversify/index.js'
import { readConfig } from '../../../apps/server/config.js'
import { HTTP_APP, makeContainer, resolveRoots, STORAGE } from '../../../apps/server/container.js'
import { makeLog } from '../../../apps/server/log.js'
import { loadRateCards } from '../../../apps/server/rate-card.js'
import { rightOf } from '../../support/right-of.js'

const container = async () =>
  makeContainer(rightOf(readConfig({ DATABASE_URL: 'sqlite::memory:' })), rightOf(await loadRateCards(undefined)), makeLog('silent'))

describe("The gateway's container", () => {
  it('resolves every root, and each binding to one and the same thing', async () => {
    const whole = await container()
    resolveRoots(whole)
    assert.strictEqual(whole.get(PORTS.messageLog), whole.get(STORAGE).messageLog)
    assert.strictEqual(whole.get(HTTP_APP), whole.get(HTTP_APP))
    await whole.unbindAllAsync()
  })

  it('stops the start if a binding is missing', async () => {
    const lacking = await container()
    await lacking.unbindAsync(PORTS.keyStore)
    assert.throws(() => resolveRoots(lacking), /postern\/KeyStore/)
    await lacking.unbindAllAsync()
  })

  it('closes the database when it is unbound', async () => {
    const closing = await container()
    const { workspaces, migrate } = closing.get(STORAGE)
    await migrate()
    assert.isTrue(E.isRight(await workspaces.list()))
    await closing.unbindAllAsync()
    assert.isTrue(E.isLeft(await workspaces.list()))
  })
})
