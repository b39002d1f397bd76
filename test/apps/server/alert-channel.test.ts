import { assert } from 'chai'
import { makeWebhookSender, type WebhookOptions } from '../../../adapters/webhooks/webhook-sender.js'
import { channelOver } from '../../../apps/server/jobs.js'
import type { WaitingAlert } from '../../../core/alerts/alert.js'
import { memberIdOf, workspaceIdOf } from '../../../core/kernel/ids.js'
import { type Answer, LOOPBACK, openReceiver } from '../../support/receiver.js'
import { NOON } from '../../core/gateway.js'

const UUID = '0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5d'
const [TEXT, SECRET] = [{ subject: 'Postern, Acme: low', body: 'The balance is low.' }, 'T1/hunter2']

const alertTo = (to: WaitingAlert['to']): WaitingAlert => ({
  id: 'f'.repeat(32), workspace: workspaceIdOf(UUID), to, troubles: [{ kind: 'balance', sentence: TEXT.body }], raisedAt: NOON, attempts: 0,
})

/** Posts an alert to an address with a secret, of a receiver that answers like this or of another host at its port. */
const post = async (answer?: Answer, { host = '127.0.0.1', ...options }: Partial<WebhookOptions> & { readonly host?: string } = {}) => {
  await using receiver = await openReceiver(answer)
  const sender = makeWebhookSender({ version: '1.2.3', allow: [LOOPBACK], ...options })
  try {
    const fault = await channelOver(sender)(alertTo({ _tag: 'Channel', url: `http://${host}:${receiver.port}/${SECRET}` }), TEXT)
    return { fault, received: receiver.received, connections: receiver.connections() }
  } finally {
    sender.close()
  }
}

describe('The channel of alerts', () => {
  it('gets an alert in the form of Slack, without a signature', async () => {
    const { fault, received: [got, ...others] } = await post()
    assert.isUndefined(fault)
    assert.isEmpty(others)
    assert.include(got, { method: 'POST', path: `/${SECRET}`, body: '{"text":"*Postern, Acme: low*\\nThe balance is low."}' })
    assert.include(got?.headers, { 'content-type': 'application/json', 'user-agent': 'Postern/1.2.3' })
    assert.notMatch(Object.keys(got?.headers ?? {}).join(), /webhook|signature|authorization/)
  })

  it('gets nothing that is for a member', async () => {
    const sender = { post: () => assert.fail('it was posted') }
    assert.isUndefined(await channelOver(sender)(alertTo({ _tag: 'Member', member: memberIdOf(UUID), email: 'ada@shop.example' }), TEXT))
  })

  for (const [what, options] of [
    ['written as such', {}], ['to which a name leads', { host: 'hooks.example', resolve: async () => ['127.0.0.1'] }],
    ['to which a name leads beside a public one', { host: 'hooks.example', resolve: async () => ['8.8.8.8', '127.0.0.1'] }],
  ] as const) {
    it(`is not called at an address that is not allowed, ${what}`, async () => {
      const { fault, connections } = await post(undefined, { allow: [], ...options })
      assert.match(fault ?? '', /the operator of this gateway (does not allow it|allows)$/)
      assert.equal(connections, 0)
    })
  }

  it('is called at an allowed address to which a name leads', async () => {
    const { fault, received } = await post(undefined, { host: 'hooks.example', resolve: async () => ['127.0.0.1'] })
    assert.isUndefined(fault)
    assert.lengthOf(received, 1)
  })

  for (const [what, answer, reason, options] of [
    ['refuses it', (response) => void response.writeHead(403).end(`no_service ${SECRET}`), /^The channel answered with status 403$/],
    ['answers that it is gone', (response) => void response.writeHead(410).end(), /^The channel answered with status 410: it no longer exists$/],
    ['leads elsewhere', (response) => void response.writeHead(302, { location: `/${SECRET}` }).end(), /^The channel answered with status 302; redirects are not followed$/],
    ['ends the connection', (_response, _nth, socket) => void socket.destroy(), /The connection was lost/],
    ['does not answer in time', () => undefined, /^No answer came within 0\.05 seconds$/, { timeoutMs: 50 }],
    ['has a name that is not found', undefined, /^The host was not found$/, { host: 'hooks.example', resolve: async () => [] }],
  ] satisfies ReadonlyArray<readonly [string, Answer | undefined, RegExp, Parameters<typeof post>[1]?]>) {
    it(`fails with a reason without the secret of its address if it ${what}`, async () => {
      const { fault, received } = await post(answer, options)
      assert.match(fault ?? '', reason)
      assert.notMatch(fault ?? '', /hunter2|endpoint/)
      assert.isAtMost(received.length, 1)
    })
  }
})
