import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { makeAppWebhooks, signatureOf } from '../../../adapters/cloud-api/index.js'
import { makeMemoryApps } from '../../../adapters/memory/apps.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import { type AppId, appIdOf } from '../../../core/kernel/ids.js'
import type { Apps } from '../../../core/workspaces/apps.js'
import { changeOf, inboundOf, notificationOf } from '../../apps/server/notifications.js'
import { done, rightOf } from '../../support/right-of.js'

const BODY = Buffer.from('{"object":"whatsapp_business_account"}')
const DOWN: PortFailure = { _tag: 'PortFailure', port: 'Apps', cause: new Error('down') }

/** Webhooks over apps in memory, with a clock that stands still, and the number of reads. */
const opened = (replace: (apps: Apps) => Partial<Apps> = () => ({})) => {
  const stored = makeMemoryApps()
  const apps = { ...stored, ...replace(stored) }
  const reads = { list: 0, secrets: 0 }
  let time = 0
  const find = makeAppWebhooks({
    now: () => time, more: ({ name }) => ({ of: name }),
    apps: {
      list: () => { reads.list += 1; return apps.list() },
      secretsOf: (id) => { reads.secrets += 1; return apps.secretsOf(id) },
    },
  })
  const add = async (name: string): Promise<AppId> => {
    const id = appIdOf(uuidv7())
    await done(stored.add({ id, name, createdAt: 0, appSecret: `secret of ${name}`, verifyToken: `word of ${name}` }))
    return id
  }
  return { stored, reads, find, add, passes: (ms: number) => { time += ms } }
}

type Found = Exclude<Awaited<ReturnType<typeof doneFind>>, undefined>
const doneFind = (find: ReturnType<typeof opened>['find'], name: string) => done(find(name))

const found = async (find: ReturnType<typeof opened>['find'], name: string): Promise<Found> => {
  const webhook = await doneFind(find, name)
  return webhook ?? assert.fail(`there is no app ${name}`)
}

const isSigned = (webhook: { readonly beginSignatureCheck: Found['beginSignatureCheck'] }, secret: string): boolean => {
  const check = webhook.beginSignatureCheck(signatureOf(secret, BODY))
  check?.update(BODY)
  return check?.isValid() ?? false
}

describe('The webhook of an app', () => {
  it('is found by its name and its id, has its own secrets, and carries what is added to it', async () => {
    const { find, add } = opened()
    const [id] = [await add('acme'), await add('other')]
    for (const named of ['acme', id]) {
      const webhook = await found(find, named)
      assert.equal(webhook.of, 'acme')
      assert.isTrue(isSigned(webhook, 'secret of acme'))
      assert.isFalse(isSigned(webhook, 'secret of other'))
      const query = { 'hub.mode': 'subscribe', 'hub.verify_token': 'word of acme', 'hub.challenge': '1' }
      assert.deepEqual(webhook.handshake(query), E.right('1'))
      assert.isTrue(E.isLeft(webhook.handshake({ ...query, 'hub.verify_token': 'word of other' })))
    }
  })

  it('marks what a notification reports with its app', async () => {
    const { find, add } = opened()
    const app = await add('acme')
    const webhook = await found(find, 'acme')
    const content = rightOf(webhook.read(Buffer.from(notificationOf([changeOf('1001', { messages: [inboundOf('4930123456'), null] })]))))
    assert.deepEqual(content.reports.map((report) => report.app), [app])
    assert.deepEqual(content.relayed.map((change) => change.app), [app])
    assert.deepEqual(content.ignored, [{ field: 'messages', reason: 'no_type', count: 1 }])
    assert.isTrue(E.isLeft(webhook.read(Buffer.from('{'))))
  })

  it('accepts both app secrets, and no part of them, while there are two', async () => {
    const { stored, find, add } = opened()
    await done(stored.change(await add('acme'), { _tag: 'SecretAdded', appSecret: 'new' }, 1))
    const webhook = await found(find, 'acme')
    for (const [secret, isValid] of [['secret of acme', true], ['new', true], ['newer', false], ['', false]] as const) {
      assert.equal(isSigned(webhook, secret), isValid, secret)
    }
  })

  it('is read once in a while, however often it is asked for', async () => {
    const { reads, find, add, passes } = opened()
    await add('acme')
    for (let request = 0; request < 50; request += 1) {
      await found(find, 'acme')
      passes(100)
    }
    assert.deepEqual(reads, { list: 1, secrets: 1 })
    passes(101)
    await found(find, 'acme')
    assert.deepEqual(reads, { list: 2, secrets: 2 })
  })

  it('knows a changed secret once it is renewed, and is the same object if nothing has changed', async () => {
    const { stored, find, add, passes } = opened()
    const id = await add('acme')
    const before = await found(find, 'acme')
    passes(1_000)
    assert.equal(await done(before.renewed()), before)
    await done(stored.change(id, { _tag: 'SecretAdded', appSecret: 'new' }, 1))
    passes(1_000)
    assert.equal(await found(find, 'acme'), before)
    const after = await done(before.renewed()) ?? assert.fail('the app exists')
    assert.isTrue(isSigned(after, 'new'))
    assert.equal(await found(find, 'acme'), after)
  })

  it('is renewed by a read that begins after the call, which calls share that wait for it', async () => {
    const released: Array<() => void> = []
    const { stored, reads, find, add, passes } = opened(({ secretsOf }) => ({
      secretsOf: async (id) => {
        const read = await secretsOf(id)
        if (released.length > 0) await new Promise<void>((resolve) => released.push(resolve))
        return read
      },
    }))
    const id = await add('acme')
    const webhook = await found(find, 'acme')
    passes(1_000)
    released.push(() => undefined)
    const first = webhook.renewed()
    await new Promise((resolve) => { setImmediate(resolve) })
    await done(stored.change(id, { _tag: 'SecretAdded', appSecret: 'new' }, 1))
    passes(1_000)
    const later = [webhook.renewed(), webhook.renewed(), webhook.renewed()]
    released.splice(0).forEach((release) => { release() })
    assert.isFalse(isSigned(await done(first) ?? assert.fail('it exists'), 'new'))
    for (const renewed of later) assert.isTrue(isSigned(await done(renewed) ?? assert.fail('it exists'), 'new'))
    assert.equal(reads.secrets, 3)
  })

  it('exists from the next request on after it is added, though its name was asked for before', async () => {
    const { find, add, passes } = opened()
    assert.isUndefined(await done(find('acme')))
    await add('acme')
    passes(1_000)
    await found(find, 'acme')
  })

  it('that does not exist costs few reads, whatever the number of names, and a text that is no name costs none', async () => {
    const { reads, find, add } = opened()
    await add('acme')
    for (const text of ['', 'a/b', 'ä', 'x'.repeat(65), '../acme']) assert.isUndefined(await done(find(text)))
    assert.equal(reads.list, 0)
    const guesses = await Promise.all(Array.from({ length: 1_000 }, (_, index) => find(`guess-${index}`)))
    assert.isTrue(guesses.every((guess) => E.isRight(guess) && guess.right === undefined))
    assert.isAtMost(reads.list, 2)
    assert.equal(reads.secrets, 0)
  })

  it('is a failure, and not absent, while the apps or its secrets cannot be read', async () => {
    const list = opened(() => ({ list: async () => E.left(DOWN) }))
    assert.deepEqual(await list.find('acme'), E.left(DOWN))
    let isDown = false
    const { find, add, passes } = opened(({ secretsOf }) => ({ secretsOf: async (id) => (isDown ? E.left(DOWN) : secretsOf(id)) }))
    await add('acme')
    const webhook = await found(find, 'acme')
    isDown = true
    passes(1_000)
    assert.deepEqual(await webhook.renewed(), E.left(DOWN))
    isDown = false
    passes(1_000)
    assert.equal(await done(webhook.renewed()), webhook)
  })
})
