import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
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

  it('loads the mail library with the first mail, so not without SMTP_URL', async () => {
    // In a process of its own, because another test may have loaded the library in this one.
    const probe = `
      import { registerHooks } from 'node:module'
      import { pathToFileURL } from 'node:url'
      const from = (path) => import(new URL(path, pathToFileURL(process.cwd() + '/')))
      let isLoaded = false
      registerHooks({ resolve: (name, context, next) => { isLoaded ||= name === 'nodemailer'; return next(name, context) } })
      const [{ makeContainer, resolveRoots }, { readConfig }, { loadRateCards }, { makeLog }] = await Promise.all(
        ['container', 'config', 'rate-card', 'log'].map((name) => from('apps/server/' + name + '.ts')),
      )
      const gateway = makeContainer(readConfig({ DATABASE_URL: 'sqlite::memory:' }).right, (await loadRateCards(undefined)).right, makeLog('silent'))
      resolveRoots(gateway)
      await gateway.unbindAllAsync()
      const { makeMailCarrier } = await from('adapters/mail/mail-carrier.ts')
      const carrier = makeMailCarrier({ url: 'smtp://127.0.0.1:1', from: 'postern@shop.example' })
      const before = isLoaded
      const fault = await carrier.check()
      console.log(JSON.stringify([before, isLoaded, typeof fault]))
    `
    const { stdout } = await promisify(execFile)(process.execPath, ['--import=tsx', '--input-type=module', '--eval', probe])
    assert.deepEqual(JSON.parse(stdout), [false, true, 'string'])
  })
})
