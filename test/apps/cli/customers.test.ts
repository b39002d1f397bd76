import { assert } from 'chai'
import { openStorage } from '../../../adapters/knex/index.js'
import type { PhoneNumber, UserId } from '../../../core/customers/customer.js'
import { recordCustomer, type ObservedCustomer } from '../../../core/customers/learn.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { request } from '../../support/gateway.js'
import { posternJson } from '../../support/postern.js'
import { rightOf } from '../../support/right-of.js'
import { startServer } from '../../support/server-process.js'
import { type CommandLine, openCommandLine, TOKEN } from './support.js'

const USER_ID = 'FR.13491208655302741918' as UserId
const NUMBER = '33639980001' as PhoneNumber

const UNKNOWN = { status: 'unknown', since: null, source: null, note: null }
const NOTHING_KNOWN = { marketing: UNKNOWN, all: UNKNOWN }

describe('The commands about customers', () => {
  let cli: CommandLine
  let workspace: string
  before(async () => {
    cli = await openCommandLine()
    workspace = (await cli.json<{ id: string }>('workspace', 'create', 'shop')).id
  })
  after(() => cli[Symbol.asyncDispose]())

  /** Keeps what a report of the platform says of a customer. */
  const reported = async (observed: ObservedCustomer): Promise<void> => {
    const storage = openStorage({ url: cli.env['DATABASE_URL'] ?? '', secret: cli.env['POSTERN_SECRET'] })
    rightOf(await recordCustomer(storage, { workspace: workspace as WorkspaceId, inbox: workspace as WorkspaceId }, observed))
    await storage.close()
  }

  it('record a message of a user id, and show the window of the customer', async () => {
    const at = new Date(Date.now() - 3_600_000).toISOString()
    const window = await cli.json<object>('window', 'record', workspace, 'DE.aBc', '--at', at)
    assert.deepInclude(window, { open: true, last_inbound_at: at })
    assert.deepEqual(await cli.json('customer', 'show', workspace, 'DE.aBc'), {
      phone_number: null, user_id: 'DE.aBc', username: null, name: null, window, windows: [], consent: NOTHING_KNOWN,
    })
    const lines = await cli.lines('customer', 'show', 'shop', 'DE.aBc')
    assert.deepEqual(lines.slice(0, 6), [
      'number       -', 'user id      DE.aBc', 'name         -', 'username     -', 'marketing    not stopped',
      'all          not stopped',
    ])
    assert.match(lines[6] ?? '', /^window {7}is open until \d{4}-/)
  })

  it('erase a customer under every id, once and again', async () => {
    const [phoneNumber, userId] = ['33639980099' as PhoneNumber, 'FR.99' as UserId]
    await reported({ phoneNumber, userId, at: Date.now(), name: 'Ana' })
    await cli.json('window', 'record', workspace, phoneNumber)
    assert.include(await cli.json<object>('customer', 'erase', workspace, userId), { customers: 2, windows: 1, messages: 0 })
    await cli.fails(['customer', 'show', workspace, phoneNumber], 1, /This customer is not known/)
    assert.deepEqual(await cli.lines('customer', 'erase', 'shop', phoneNumber), [
      'Erased the recipient of 0 messages. Deleted 0 events, 0 records of ids and 0 windows.',
    ])
  })

  it('refuse what names no customer, and say so of a customer who is not known', async () => {
    for (const bad of ['de.aBc', 'DE.', `DE.${'7'.repeat(129)}`, 'DE.a b', '0639']) {
      await cli.fails(['customer', 'show', workspace, bad], 2, /country code.*user id/)
    }
    await cli.fails(['customer', 'show', workspace, 'DE.abc'], 1, /This customer is not known/)
    await cli.fails(['customer', 'show', 'nowhere', 'DE.aBc'], 1, /There is no workspace/)
  })

  it('show a customer and the messages under either id', async () => {
    await reported({ phoneNumber: NUMBER, userId: USER_ID, name: 'Ada', username: 'ada.l', at: Date.now() })
    const shown = {
      phone_number: NUMBER, user_id: USER_ID, username: 'ada.l', name: 'Ada',
      window: { open: false, last_inbound_at: null, closes_at: null }, windows: [], consent: NOTHING_KNOWN,
    }
    for (const id of [USER_ID, '+33 6 39-98 00.01']) assert.deepEqual(await cli.json('customer', 'show', workspace, id), shown)

    await posternJson(['sender', 'set', workspace, '--phone-number-id', '1000'], cli.env, TOKEN)
    await cli.json('wallet', 'top-up', workspace, '5', '--reference', 'for sending')
    const { key } = await cli.json<{ key: string }>('key', 'mint', workspace)
    const server = await startServer(cli.env)
    try {
      await request(`${server.url}/v1/messages/send-template`, 'POST', key, { json: { to: NUMBER, template_name: 'hello_world' } })
    } finally {
      await server.kill()
    }
    const [sent] = await cli.json<ReadonlyArray<{ id: string; to: string }>>('message', 'list', workspace, '--to', USER_ID)
    assert.equal(sent?.to, NUMBER)
    assert.deepEqual(await cli.json('message', 'list', workspace, '--to', 'FR.1'), [])
  })
})
