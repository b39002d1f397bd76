import { assert } from 'chai'
import type { WebhookRejection } from '../../../adapters/koa/index.js'
import { logWebhookRejections } from '../../../apps/server/platform.js'
import { SECOND_MS } from '../../../core/kernel/time.js'
import { startInProcessFixture } from '../../support/process-fixture.js'

describe('Notifications with a bad signature', () => {
  const started = () => {
    let now = 0
    const lines: Array<ReadonlyArray<unknown>> = []
    const reject = logWebhookRejections((level, event, { count, reason }) => lines.push([level, event, count, reason]), () => now)
    return { reject, lines, passes: (ms: number) => { now += ms } }
  }
  const line = (count: number, reason: string): ReadonlyArray<unknown> => ['warn', 'webhook_signature_rejected', count, reason]

  it('are logged at once, then once a minute at most with how many there were since', () => {
    const { reject, lines, passes } = started()
    for (let second = 0; second < 60; second += 1) {
      reject('signature_wrong')
      passes(SECOND_MS)
    }
    assert.deepEqual(lines, [line(1, 'wrong')])
    reject('signature_missing')
    reject('signature_wrong')
    assert.deepEqual(lines, [line(1, 'wrong'), line(60, 'missing')])
    passes(60 * SECOND_MS)
    reject('signature_wrong')
    assert.deepEqual(lines.slice(2), [line(2, 'wrong')])
  })

  it('are the only refusals that are logged so', () => {
    const { reject, lines } = started()
    for (const reason of ['too_large', 'too_slow', 'malformed', 'overloaded'] satisfies ReadonlyArray<WebhookRejection>) reject(reason)
    assert.isEmpty(lines)
  })

  it('are counted by the reason and logged in one line by the gateway', async () => {
    await using world = await startInProcessFixture()
    const wrong = { 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}` }
    for (let notification = 0; notification < 3; notification += 1) assert.equal((await world.notify('{}', wrong)).status, 401)
    assert.equal((await world.notify('{}', { 'X-Hub-Signature-256': '' })).status, 401)
    const metrics = await (await fetch(`${world.server().url}/metrics`)).text()
    assert.match(metrics, /^postern_webhook_rejected_total\{reason="signature_wrong"\} 3$/m)
    assert.match(metrics, /^postern_webhook_rejected_total\{reason="signature_(missing|malformed)"\} 1$/m)
    const lines = world.server().log().filter(({ msg }) => msg === 'webhook_signature_rejected')
    assert.lengthOf(lines, 1)
    assert.deepInclude(lines[0], { level: 'warn', count: 1, reason: 'wrong' })
  })
})
