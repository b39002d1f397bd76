import { assert } from 'chai'
import type { PhoneNumber, UserId } from '../../../core/customers/customer.js'
import { makeNameCustomers } from '../../../core/customers/use-cases.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { DOWN, failing } from '../failing-method.js'
import { CUSTOMER, gateway, NOON } from '../gateway.js'

const USER = 'DE.1' as UserId
const STRANGER = '4915100000001' as PhoneNumber

describe('The names of customers', () => {
  it('are those known under any id, and a username stands for a missing name', async () => {
    const { deps, storage: { customers }, workspace } = await gateway()
    rightOf(await customers.learn(workspace, CUSTOMER, { _tag: 'Paired', other: USER, at: NOON }))
    rightOf(await customers.learn(workspace, USER, { _tag: 'Paired', other: CUSTOMER, at: NOON }))
    rightOf(await customers.learn(workspace, USER, { _tag: 'Named', username: 'alice', at: NOON }))
    const names = async () => [...rightOf(await makeNameCustomers(deps)(workspace, [CUSTOMER, USER, STRANGER, CUSTOMER]))]
    assert.deepEqual(await names(), [[CUSTOMER, 'alice'], [USER, 'alice']])
    rightOf(await customers.learn(workspace, CUSTOMER, { _tag: 'Named', name: 'Alice Ahrens', at: NOON + 1 }))
    assert.deepEqual(await names(), [[CUSTOMER, 'Alice Ahrens'], [USER, 'Alice Ahrens']])
  })

  it('fail if one cannot be read', async () => {
    const { storage: { customers }, workspace } = await gateway()
    assert.deepEqual(leftOf(await makeNameCustomers({ customers: { find: failing(customers.find) } })(workspace, [CUSTOMER])), DOWN)
  })
})
