import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { makeRelay, type RelayedChange } from '../../../core/events/relay.js'
import { endpointIdOf, type EndpointSecret } from '../../../core/events/endpoint.js'
import { type AppId, appIdOf, eventIdOf, type WorkspaceId } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import { PLATFORM_NOTIFICATION } from '../../../core/kernel/outbox.js'
import { type Sender, senderIdOf } from '../../../core/senders/sender.js'
import { newWorkspaceId } from '../../laws/ids.js'
import { addApp } from '../../support/add-app.js'
import { rightOf } from '../../support/right-of.js'
import { failing } from '../failing-method.js'
import { NOON } from '../gateway.js'

const change = (more: Partial<RelayedChange> = {}): RelayedChange => ({
  phoneNumberId: senderIdOf('1001'), notification: { object: 'whatsapp_business_account', entry: [] }, digest: () => 'a',
  customers: ['4915112345678', '4915112345678', 'DE.1'], hasContent: true, ...more,
})

describe('Raw notifications for endpoints', () => {
  const open = async (types?: ReadonlyArray<string>, app?: AppId) => {
    const { apps, workspaces, senders, eventEndpoints, eventOutbox } = makeMemoryStorage()
    const id = newWorkspaceId()
    rightOf(await workspaces.create({ id, name: 'shop', currency: 'EUR' as Currency, createdAt: NOON }))
    const sender: Sender = {
      phoneNumberId: senderIdOf('1001'), accessToken: 'secret', businessAccountId: undefined, ...(app !== undefined && { app }),
    }
    if (app !== undefined) await addApp({ apps }, app)
    rightOf(await senders.assign(id, sender))
    if (types !== undefined) {
      rightOf(await eventEndpoints.add({
        id: endpointIdOf(uuidv7()), workspace: id, url: 'https://shop.example/', types, description: '', createdAt: NOON,
        secret: 'whsec_AAAA' as EndpointSecret,
      }))
    }
    const events = { newEventId: () => eventIdOf(uuidv7()), now: () => NOON }
    const relay = makeRelay({ events, eventOutbox, senders })
    const stored = async (workspace: WorkspaceId = id) => rightOf(await eventOutbox.after(workspace, 0, 10))
    return { relay, stored, events, eventOutbox, senders }
  }

  it('are stored whole, with the customers whom they name, so that they are found when one is erased', async () => {
    const { relay, stored } = await open([PLATFORM_NOTIFICATION])
    rightOf(await relay([change()]))
    const [event] = await stored()
    assert.deepInclude(event, {
      type: PLATFORM_NOTIFICATION, subject: '4915112345678', content: { object: 'whatsapp_business_account', entry: [] },
      data: { phone_number_id: '1001', customers: ['4915112345678', 'DE.1'] },
    })
  })

  it('are stored only of senders of the app at whose webhook they arrived', async () => {
    const [ours, theirs] = [appIdOf(uuidv7()), appIdOf(uuidv7())]
    for (const [of, arrived, count] of [[undefined, ours, 0], [ours, undefined, 0], [ours, theirs, 0], [ours, ours, 1]] as const) {
      const { relay, stored } = await open([PLATFORM_NOTIFICATION], of)
      rightOf(await relay([change(arrived === undefined ? {} : { app: arrived })]))
      assert.lengthOf(await stored(), count)
    }
  })

  it('are stored once, however often they come, also at once', async () => {
    const { relay, stored } = await open([PLATFORM_NOTIFICATION])
    rightOf(await relay([change(), change(), change({ digest: () => 'b' })]))
    rightOf(await relay([change()]))
    assert.lengthOf(await stored(), 2)
  })

  it('are not stored if no endpoint gets them, nor of a sender that no workspace has', async () => {
    for (const types of [undefined, ['*'], ['message.*']]) {
      const { relay, stored } = await open(types)
      rightOf(await relay([change()]))
      assert.isEmpty(await stored())
    }
    const { relay, stored } = await open([PLATFORM_NOTIFICATION])
    rightOf(await relay([change({ phoneNumberId: senderIdOf('1002') })]))
    assert.isEmpty(await stored())
  })

  it('come again if one of them could not be stored, and the others are stored', async () => {
    const { stored, events, eventOutbox, senders } = await open([PLATFORM_NOTIFICATION])
    const relay = makeRelay({ events, senders, eventOutbox: { ...eventOutbox, append: failing(eventOutbox.append, { times: 1 }) } })
    assert.isTrue(E.isLeft(await relay([change(), change({ digest: () => 'b' })])))
    assert.lengthOf(await stored(), 1)
    rightOf(await relay([change(), change({ digest: () => 'b' })]))
    assert.lengthOf(await stored(), 2)
  })
})
