import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { eventIdOf, type WorkspaceId } from '../../../core/kernel/ids.js'
import { MINUTE_MS } from '../../../core/kernel/time.js'
import { makeReceive } from '../../../core/reports/receive.js'
import { makeSendText } from '../../../core/sending/send.js'
import { makeSyncTemplates } from '../../../core/templates/sync.js'
import type { Template } from '../../../core/templates/template.js'
import { makeRefreshTemplate } from '../../../core/templates/use-cases.js'
import { done } from '../../support/right-of.js'
import { DOWN, failing } from '../failing-method.js'
import { ACCOUNT, CUSTOMER, gateway, type Gateway, type GatewayOptions, NOON } from '../gateway.js'
import { type Answer, CREDENTIALS, REJECTED, THROTTLED, UNKNOWN, UNREACHABLE } from '../../support/scripted-platform.js'

const iso = (at: number): string => new Date(at).toISOString()

/** A gateway whose use cases make events for the workspaces that ask for them. */
const listening = async (options: GatewayOptions = {}) => {
  const gw = await gateway(options)
  const { eventOutbox } = gw.storage
  const events = { outbox: eventOutbox, newEventId: () => eventIdOf(uuidv7()), now: gw.now }
  const listen = (workspace: WorkspaceId) => done(eventOutbox.notePull(workspace, gw.now()))
  /** The types and data of a workspace's events on senders and templates, in order. */
  const emitted = async (workspace: WorkspaceId = gw.workspace): Promise<ReadonlyArray<unknown>> =>
    (await done(eventOutbox.after(workspace, 0, 1_000))).filter(({ type }) => /^(sender|template)/.test(type))
      .map(({ type, data }) => ({ type, data }))
  await listen(gw.workspace)
  return { gw, deps: { ...gw.deps, events }, listen, emitted }
}

describe('The health of a sender', () => {
  const sending = ({ gw, deps }: { readonly gw: Gateway; readonly deps: Parameters<typeof makeSendText>[0] }) => {
    const sendText = makeSendText(deps)
    return async (answer: Answer): Promise<void> => {
      gw.willAnswer(answer)
      await sendText({ workspace: gw.workspace, to: CUSTOMER, text: 'Hello' })
    }
  }

  it('gets one event when the platform refuses its credentials, and one when it accepts a message again', async () => {
    const world = await listening()
    const { gw, emitted } = world
    const send = sending(world)
    await send('accept')
    assert.deepEqual(await emitted(), [])
    await send(CREDENTIALS)
    gw.passes(MINUTE_MS)
    await send(CREDENTIALS)
    const sender = { phone_number_id: gw.phoneNumberId, since: iso(NOON) }
    assert.deepEqual(await emitted(), [{ type: 'sender.failing', data: { ...sender, error: CREDENTIALS.error } }])
    await send('accept')
    await send('accept')
    assert.deepEqual((await emitted()).slice(1), [{ type: 'sender.recovered', data: sender }])
  })

  it('gets no event of a failure that has another cause', async () => {
    const world = await listening()
    const send = sending(world)
    for (const answer of [REJECTED, THROTTLED, UNREACHABLE, UNKNOWN]) await send(answer)
    assert.deepEqual(await world.emitted(), [])
  })

  it('costs no write while it does not change, and never changes the answer to a send', async () => {
    const writes: boolean[] = []
    const { gw, deps, emitted } = await listening({
      ports: ({ senders }) => ({
        senders: { ...senders, noteHealth: async (_workspace, isFailing) => { writes.push(isFailing); return E.left(DOWN) } },
      }),
    })
    const sendText = makeSendText(deps)
    const send = () => sendText({ workspace: gw.workspace, to: CUSTOMER, text: 'Hello' })
    gw.willAnswer('accept')
    assert.isTrue(E.isRight(await send()))
    assert.deepEqual(writes, [])
    gw.willAnswer(CREDENTIALS)
    assert.deepInclude(await send(), { _tag: 'Left' })
    assert.deepEqual([writes, await emitted()], [[true], []])
  })

  it('is noted without an event if nothing listens', async () => {
    const { gw, deps, emitted } = await listening()
    const other = await gw.addWorkspace()
    gw.willAnswer(CREDENTIALS)
    await makeSendText(deps)({ workspace: other.workspace, to: CUSTOMER, text: 'Hello' })
    assert.deepEqual(await emitted(other.workspace), [])
    const sender = await done(gw.storage.senders.senderOf(other.workspace))
    assert.deepEqual(sender._tag === 'Some' ? sender.value.failingSince : undefined, NOON)
  })
})

describe('A template that the platform has changed', () => {
  const TEMPLATE: Template = {
    id: '1', name: 'order_update', language: 'en', category: 'utility', status: 'approved', quality: 'green', parameterFormat: 'positional',
    components: [],
  }
  const changed = (more: Partial<Template>, at: number) => ({
    type: 'template.changed',
    data: {
      name: 'order_update', language: 'en', category: 'utility', status: 'approved', quality: 'green', components: [], placeholders: [],
      ...more, synced_at: iso(at), previous: { status: 'approved', category: 'utility', quality: 'green' },
    },
  })
  const worldWith = async (listed: ReadonlyArray<Template>) => {
    const world = await listening({ templates: [TEMPLATE, { ...TEMPLATE, name: 'welcome' }] })
    world.gw.passes(MINUTE_MS)
    return { ...world, deps: { ...world.deps, templateSource: { list: async () => E.right(listed) } } }
  }
  const PAUSED = [{ ...TEMPLATE, status: 'paused' }, { ...TEMPLATE, name: 'welcome' }]
  const account = { businessAccountId: ACCOUNT, accessToken: 'token' }

  it('gets an event when the whole list is read, in each workspace of the account that listens', async () => {
    const { gw, deps, listen, emitted } = await worldWith(PAUSED)
    const [other, silent] = [await gw.addWorkspace(), await gw.addWorkspace()]
    await listen(other.workspace)
    await done(makeSyncTemplates(deps)({ workspace: gw.workspace }))
    for (const workspace of [gw.workspace, other.workspace]) {
      assert.deepEqual(await emitted(workspace), [changed({ status: 'paused' }, NOON + MINUTE_MS)])
    }
    assert.deepEqual(await emitted(silent.workspace), [])
    gw.passes(MINUTE_MS)
    await done(makeSyncTemplates(deps)({ workspace: other.workspace }))
    assert.lengthOf(await emitted(), 1)
  })

  it('gets an event when its name is read', async () => {
    const { deps, emitted } = await worldWith(PAUSED)
    assert.isTrue(await makeRefreshTemplate(deps)(account, 'order_update'))
    assert.deepEqual(await emitted(), [changed({ status: 'paused' }, NOON + MINUTE_MS)])
  })

  it('gets one event when the platform reports it', async () => {
    const { deps, emitted } = await worldWith([])
    const report = {
      _tag: 'TemplateChanged', accountId: ACCOUNT, at: NOON + 1, change: { name: 'order_update', language: 'en', quality: 'red' },
    } as const
    await done(makeReceive(deps)([report, report]))
    assert.deepEqual(await emitted(), [changed({ quality: 'red' }, NOON)])
  })

  it('is not lost if it is unknown which workspaces share the account: nothing is written, and the platform is asked again', async () => {
    const { gw, deps, emitted } = await worldWith(PAUSED)
    const broken = { ...deps, senders: { ...deps.senders, sharing: failing(deps.senders.sharing) } }
    assert.deepInclude(await makeSyncTemplates(broken)({ workspace: gw.workspace }), { _tag: 'Left' })
    assert.isFalse(await makeRefreshTemplate(broken)(account, 'order_update'))
    const report = {
      _tag: 'TemplateChanged', accountId: ACCOUNT, at: NOON + 1, change: { name: 'order_update', language: 'en', quality: 'red' },
    } as const
    assert.deepInclude(await makeReceive(broken)([report]), { _tag: 'Left' })
    assert.deepEqual(await emitted(), [])
    assert.equal((await done(gw.storage.templateCatalogue.find(ACCOUNT, 'order_update'))).templates[0]?.status, 'approved')
  })
})
