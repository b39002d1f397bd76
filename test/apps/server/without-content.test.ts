import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { withoutContent } from '../../../apps/server/platform.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import type { PlatformId } from '../../../core/messages/message.js'
import type { Report } from '../../../core/reports/receive.js'
import { senderIdOf } from '../../../core/senders/sender.js'

const from = { phoneNumberId: senderIdOf('1000'), customer: { phoneNumber: '33639980001' as PhoneNumber, userId: undefined }, at: 0 }
const message = { id: 'wamid.1' as PlatformId, type: 'text', content: { body: 'hello' }, context: { id: 'wamid.0' } }

describe('Without content', () => {
  it('what customers write does not reach the use case, and everything else does; short words do, because they may stop messages', async () => {
    const taken: Report[] = []
    const receive = withoutContent(async (reports) => {
      taken.push(...reports)
      return E.right([])
    })
    const call: Report = { _tag: 'Inbound', ...from }
    const long = { ...message, content: { body: 'x'.repeat(321) } }
    await receive([
      { _tag: 'Inbound', ...from, message }, { _tag: 'Inbound', ...from, message: long },
      { _tag: 'UncountedInbound', ...from, message }, call,
    ])
    const kept = { id: message.id, type: 'text' }
    assert.deepEqual(taken, [
      { _tag: 'Inbound', ...from, message: { ...kept, words: 'hello' } }, { _tag: 'Inbound', ...from, message: kept },
      { _tag: 'UncountedInbound', ...from, message: kept }, call,
    ])
  })
})
