import { assert } from 'chai'
import { parseBody } from '../../../adapters/cloud-api/notification.js'
import { relayedIn } from '../../../adapters/cloud-api/relayed.js'
import { rightOf } from '../../support/right-of.js'

const METADATA = { display_phone_number: '15550001111', phone_number_id: '1001' }
const entryOf = (...changes: ReadonlyArray<unknown>) => ({ id: '9001', changes })
const bodyOf = (...entries: ReadonlyArray<unknown>) => ({ object: 'whatsapp_business_account', entry: entries })

const WRITTEN = {
  field: 'messages',
  value: {
    messaging_product: 'whatsapp', metadata: METADATA, contacts: [{ profile: { name: 'Ana' }, wa_id: '4915112345678', user_id: 'DE.1' }],
    messages: [{ from: '4915112345678', id: 'wamid.1', timestamp: '1763700001', type: 'text', text: { body: 'Hi' } }],
  },
}
const STATUS = {
  field: 'messages',
  value: {
    messaging_product: 'whatsapp',
    metadata: { ...METADATA, phone_number_id: '1002' },
    statuses: [{ id: 'wamid.2', status: 'sent', recipient_id: '33612345678' }],
  },
}

describe('The changes of a notification that are passed on', () => {
  it('are each a notification of its own, as the platform wrote it', () => {
    const [first, second, ...others] = relayedIn(bodyOf(entryOf(WRITTEN, STATUS)))
    assert.deepInclude<object>(first ?? {}, { phoneNumberId: '1001', notification: bodyOf(entryOf(WRITTEN)), hasContent: true })
    assert.deepInclude<object>(second ?? {}, {
      phoneNumberId: '1002', notification: bodyOf(entryOf(STATUS)), hasContent: false, customers: ['33612345678'],
    })
    assert.isEmpty(others)
  })

  it('keep the digits of ids that a double would change', () => {
    const text = JSON.stringify(bodyOf(entryOf(WRITTEN))).replace('{"body":"Hi"}', '{"body":"Hi","catalog_id":122097329108006499}')
    const [change] = relayedIn(rightOf(parseBody(Buffer.from(text))))
    assert.equal(JSON.stringify(change?.notification), text)
  })

  it('name every customer of theirs, by each id', () => {
    assert.sameMembers([...new Set(relayedIn(bodyOf(entryOf(WRITTEN)))[0]?.customers)], ['4915112345678', 'DE.1'])
  })

  it('have equal digests if and only if they are equal', () => {
    const digestOf = (change: unknown): string | undefined => relayedIn(bodyOf(entryOf(change)))[0]?.digest()
    assert.equal(digestOf(WRITTEN), digestOf(structuredClone(WRITTEN)))
    assert.notEqual(digestOf(WRITTEN), digestOf({ ...WRITTEN, field: 'calls' }))
  })

  it('are none without a valid entry, and none for values too deep to serialise', () => {
    const template = { field: 'message_template_status_update', value: { event: 'APPROVED' } }
    for (const body of [
      null, 7, 'x', [], {}, { object: 'page', entry: [entryOf(WRITTEN)] }, bodyOf(), bodyOf(null, 7, { changes: 'x' }),
      bodyOf(entryOf(null, 'x', template)),
    ]) {
      assert.isEmpty(relayedIn(body))
    }
    const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) as unknown
    assert.isEmpty(relayedIn(bodyOf(entryOf({ ...WRITTEN, value: { ...WRITTEN.value, errors: deep } }))))
  })
})
