import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { makeMemoryStorage } from '../../adapters/memory/index.js'
import type { PhoneNumber, UserId } from '../../core/customers/customer.js'
import { recordCustomer } from '../../core/customers/learn.js'
import { type Actor, SYSTEM } from '../../core/kernel/actor.js'
import { auditIdOf, workspaceIdOf } from '../../core/kernel/ids.js'
import { parseCurrency } from '../../core/kernel/money.js'
import { messageIdOf } from '../../core/messages/message.js'
import { makeEraseCustomer } from '../../core/privacy.js'
import { rightOf } from '../support/right-of.js'

const NUMBER = '33639980001' as PhoneNumber
const USER_ID = 'FR.13491208655302741918' as UserId

describe('Erasing a customer', () => {
  const world = async () => {
    const storage = makeMemoryStorage()
    const workspace = workspaceIdOf(uuidv7())
    const of = { workspace, inbox: workspace }
    rightOf(await recordCustomer(storage, of, { phoneNumber: NUMBER, userId: USER_ID, at: Date.now(), name: 'Ana' }))
    const erase = makeEraseCustomer({
      ...storage, audit: { auditLog: storage.auditLog, newAuditId: () => auditIdOf(uuidv7()), now: Date.now },
    })
    return {
      storage, workspace,
      erase: (by: Actor = SYSTEM) => erase({ by, workspace, customer: USER_ID }),
      entries: async () => rightOf(await storage.auditLog.list({ limit: 10 })).items,
      isKnown: async () => rightOf(await storage.customers.find(workspace, NUMBER)).own.pairedAt !== undefined,
    }
  }

  it('takes the person out under every id, and its entry has the digest and no id', async () => {
    const { erase, entries, isKnown, storage, workspace } = await world()
    assert.isTrue(await isKnown())
    assert.equal(rightOf(await erase()).customers, 2)
    assert.isFalse(await isKnown())
    const [entry] = await entries()
    assert.include(entry, {
      act: 'customer.erase', outcome: 'done', workspace, subject: rightOf(await storage.personalData.digestOf(workspace, USER_ID)),
    })
    assert.notInclude(JSON.stringify(entry), NUMBER)
    assert.notInclude(JSON.stringify(entry), USER_ID)
  })

  it('is refused while the outcome of a message is unknown, and to a viewer, and both are noted by the digest', async () => {
    const { erase, entries, isKnown, storage, workspace } = await world()
    const currency = rightOf(parseCurrency('USD'))
    rightOf(await storage.messageLog.open({
      id: messageIdOf(uuidv7()), workspace, at: Date.now(), message: { _tag: 'Text', to: NUMBER, text: 'Hello' },
      price: { micros: 1n, currency, category: 'service' },
    }))
    assert.deepInclude(await erase(), { left: { _tag: 'MessagesUnderWay', count: 1 } })
    const viewer: Actor = {
      principal: {
        _tag: 'Member', member: 'mem_1' as never, email: 'v@x.example', isOperator: false, roles: new Map([[workspace, 'viewer']]),
      },
    }
    assert.deepInclude(await erase(viewer), { left: { _tag: 'Forbidden', act: 'customer.erase' } })
    assert.isTrue(await isKnown())
    const noted = await entries()
    assert.deepEqual(noted.map(({ outcome, details }) => [outcome, details?.['reason']]), [
      ['refused', 'Forbidden'], ['refused', 'MessagesUnderWay'],
    ])
    assert.notInclude(JSON.stringify(noted), NUMBER)
    assert.notInclude(JSON.stringify(noted), USER_ID)
  })
})
