import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { makeAppWebhooks, makeWebhook } from '../../../../adapters/cloud-api/index.js'
import type { FindWebhook, Webhook, WebhookRejection } from '../../../../adapters/koa/index.js'
import { signatureHeaders } from '../../../../apps/simulator/webhooks/delivery.js'
import { type AppId, appIdOf } from '../../../../core/kernel/ids.js'
import { changeOf, inboundOf, notificationOf } from '../../../apps/server/notifications.js'
import { done } from '../../../support/right-of.js'
import { CUSTOMER, gateway, type Gateway, NOON, portDown } from '../gateway.js'

const PATH = '/webhooks/platform/acme'
const MIB = 1024 * 1024

/** A gateway with the app `acme`, to which the sender of its workspace belongs, and the webhook of the environment. */
const opened = async (more: Partial<Webhook> = {}, replace?: FindWebhook) => {
  const later: { find?: FindWebhook } = {}
  const gw = await gateway({
    lastInbound: undefined,
    deps: () => ({
      webhook: makeWebhook({ appSecret: 'of the environment', verifyToken: 'word of the environment' }),
      appWebhook: (app) => later.find?.(app) ?? assert.fail('it is not asked before it is there'),
    }),
  })
  const { apps } = gw.storage
  later.find = replace ?? makeAppWebhooks({ apps, more: () => more })
  const add = async (name: string): Promise<AppId> => {
    const id = appIdOf(uuidv7())
    await done(apps.add({ id, name, createdAt: NOON, appSecret: `secret of ${name}`, verifyToken: `word-of-${name}` }))
    return id
  }
  const id = await add('acme')
  const sender = { phoneNumberId: gw.phoneNumberId, accessToken: 'token', businessAccountId: undefined, app: id }
  await done(gw.storage.senders.assign(gw.workspace, sender))
  return { ...gw, apps, add, id }
}

const post = (gw: Pick<Gateway, 'request'>, body: string, secret: string, path = PATH) =>
  gw.request(path, {
    method: 'POST', body, headers: { 'Content-Type': 'application/json', ...signatureHeaders('right', Buffer.from(body), secret) },
  })

const wrote = ({ phoneNumberId }: Pick<Gateway, 'phoneNumberId'>, customer = CUSTOMER): string =>
  notificationOf([changeOf(phoneNumberId, { messages: [inboundOf(customer, { timestamp: String(NOON / 1_000) })] })])

const isOpen = async (gw: Pick<Gateway, 'get'>): Promise<boolean> =>
  ((await gw.get(`/v1/windows/${CUSTOMER}`)).json as { open: boolean }).open

describe('The webhook address of an app', () => {
  it('accepts a notification that is signed with a secret of the app, at its name and its id', async () => {
    await using gw = await opened()
    assert.isFalse(await isOpen(gw))
    assert.equal((await post(gw, wrote(gw), 'secret of acme')).status, 200)
    assert.equal((await post(gw, wrote(gw), 'secret of acme', `/webhooks/platform/${gw.id}`)).status, 200)
    assert.isTrue(await isOpen(gw))
  })

  it('refuses a notification that is signed with the secret of another app or of the environment, and says why', async () => {
    const reasons: Array<WebhookRejection> = []
    await using gw = await opened({ onRejected: (reason) => void reasons.push(reason) })
    await gw.add('other')
    for (const secret of ['secret of other', 'of the environment']) {
      const { status, json } = await post(gw, wrote(gw), secret)
      assert.equal(status, 401)
      assert.deepInclude(json, { code: 'unauthenticated' })
      assert.match((json as { message: string }).message, /an app secret of this app/)
    }
    assert.equal((await post(gw, wrote(gw), 'secret of acme', '/webhooks/platform')).status, 401)
    assert.equal((await gw.request(PATH, { method: 'POST', body: '{}' })).status, 401)
    assert.isFalse(await isOpen(gw))
    assert.deepEqual(reasons, ['signature_wrong', 'signature_wrong', 'signature_missing'])
  })

  it('acknowledges a notification for a sender of another app or of the environment, which has no effect there', async () => {
    await using gw = await opened()
    await gw.add('other')
    assert.equal((await post(gw, wrote(gw), 'secret of other', '/webhooks/platform/other')).status, 200)
    assert.equal((await post(gw, wrote(gw), 'of the environment', '/webhooks/platform')).status, 200)
    assert.isFalse(await isOpen(gw))
    const { phoneNumberId, key } = await gw.addWorkspace()
    const windowOf = async () => (await gw.get(`/v1/windows/${CUSTOMER}`, { Authorization: `Bearer ${key}` })).json as { open: boolean }
    assert.equal((await post(gw, wrote({ phoneNumberId }), 'secret of acme')).status, 200)
    assert.isFalse((await windowOf()).open)
    assert.equal((await post(gw, wrote({ phoneNumberId }), 'of the environment', '/webhooks/platform')).status, 200)
    assert.isTrue((await windowOf()).open)
  })

  it('keeps the limits of the webhook of the environment', async () => {
    await using gw = await opened()
    assert.equal((await post(gw, wrote(gw).padEnd(3 * MIB, ' '), 'secret of acme')).status, 200)
    assert.equal((await post(gw, wrote(gw).padEnd(3 * MIB + 1, ' '), 'secret of acme')).status, 413)
    assert.equal((await post(gw, '{', 'secret of acme')).status, 400)
    await using impatient = await opened({ deadlineMs: 200 })
    const { 'x-hub-signature-256': signature = '' } = signatureHeaders('right', Buffer.from(''), 'secret of acme')
    const reply = await impatient.raw(`POST ${PATH} HTTP/1.1\r\nX-Hub-Signature-256: ${signature}\r\nContent-Length: 1000`, 'half of it')
    assert.match(reply, /^HTTP\/1.1 408 /)
  })

  it('answers the handshake with the verify token of the app, and with a replaced one from the next request on', async () => {
    await using gw = await opened()
    const handshake = (token: string, app = 'acme') =>
      gw.get(`/webhooks/platform/${app}?${new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.verify_token': token, 'hub.challenge': '77' }).toString()}`)
    const { status, text } = await handshake('word-of-acme')
    assert.deepEqual([status, text], [200, '77'])
    const refused = await handshake('word of the environment')
    assert.equal(refused.status, 403)
    assert.match(refused.text, /the verify token of this app/)
    await done(gw.apps.change(gw.id, { _tag: 'VerifyTokenReplaced', verifyToken: 'another' }, NOON))
    assert.equal((await handshake('another')).status, 200)
    assert.equal((await handshake('word-of-acme')).status, 403)
    assert.equal((await handshake('another', 'unknown')).status, 404)
  })

  it('is not found if there is no such app, whatever the method and the signature, and found as soon as there is', async () => {
    await using gw = await opened()
    const path = '/webhooks/platform/later'
    for (const name of ['later', 'ACME', `app_${'0'.repeat(32)}`, 'a.b', 'x'.repeat(65), '%2e%2e']) {
      assert.equal((await post(gw, wrote(gw), 'secret of later', `/webhooks/platform/${name}`)).status, 404, name)
      assert.equal((await gw.get(`/webhooks/platform/${name}`)).status, 404, name)
    }
    await gw.add('later')
    assert.equal((await post(gw, wrote(gw), 'secret of later', path)).status, 200)
    assert.equal((await gw.request(path, { method: 'PUT' })).status, 405)
  })

  it('answers 429 to a network that is refused too often, for apps that exist and for others, and never to what is right', async () => {
    await using gw = await opened()
    const tries = async (secret: string, path: string): Promise<ReadonlyArray<number>> => {
      const statuses = await Promise.all(Array.from({ length: 80 }, async (_, index) =>
        (await post(gw, '{}', secret, path.replace('#', String(index)))).status))
      return [...new Set(statuses)].sort()
    }
    assert.deepEqual(await tries('guess', '/webhooks/platform/guess-#'), [404, 429])
    assert.deepEqual(await tries('guess', PATH), [429])
    const { status, headers } = await post(gw, '{}', 'guess')
    assert.equal(status, 429)
    assert.isAtMost(Number(headers.get('Retry-After')), 60)
    for (let request = 0; request < 100; request += 1) assert.equal((await post(gw, wrote(gw), 'secret of acme')).status, 200)
  })

  it('is asked for again with 503 while its secrets cannot be read, and never refused', async () => {
    const down = portDown('Apps')
    await using unreadable = await opened({}, down)
    assert.equal((await post(unreadable, wrote(unreadable), 'secret of acme')).status, 503)
    assert.equal((await unreadable.get(PATH)).status, 503)
    const stale: Webhook = { ...makeWebhook({ appSecret: 'old', verifyToken: 'old' }), renewed: down }
    await using outdated = await opened({}, async () => E.right(stale))
    assert.equal((await post(outdated, wrote(outdated), 'new')).status, 503)
    assert.equal((await outdated.get(PATH)).status, 503)
    assert.match(outdated.log.join(), /"port_failed"/)
  })

  it('refuses no notification while the secret of its app is changed, though callers sign with both', async () => {
    await using gw = await opened()
    let [secrets, sent, isOver]: readonly [ReadonlyArray<string>, number, boolean] = [['secret of acme'], 0, false]
    const refused: Array<string> = []
    const notify = async (caller: number): Promise<void> => {
      const secret = secrets[caller % secrets.length] ?? ''
      const { status, text } = await post(gw, wrote(gw), secret)
      sent += 1
      if (status !== 200) refused.push(`${secret} ${status} ${text}`)
    }
    const inFlight = new Map<number, Promise<void>>()
    const callers = Array.from({ length: 8 }, async (_, caller) => {
      while (!isOver) {
        const sending = notify(caller)
        inFlight.set(caller, sending)
        await sending
      }
    })
    for (let rotation = 1; rotation <= 6; rotation += 1) {
      const [old = ''] = secrets
      const next = `secret ${rotation}`
      await done(gw.apps.change(gw.id, { _tag: 'SecretAdded', appSecret: next }, NOON))
      secrets = [old, next]
      const before = sent
      while (sent < before + 40) await new Promise((resolve) => { setImmediate(resolve) })
      secrets = [next]
      await Promise.all(inFlight.values())
      await done(gw.apps.change(gw.id, { _tag: 'OlderRemoved' }, NOON))
    }
    isOver = true
    await Promise.all(callers)
    assert.deepEqual(refused, [])
    assert.isAbove(sent, 240)
    assert.equal((await post(gw, wrote(gw), 'a guess')).status, 401)
  })
})
