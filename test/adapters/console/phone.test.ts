import { assert } from 'chai'
import { writeCustomerId } from '../../../adapters/console/phone.js'
import { callingCodeIn, type CustomerId, type PhoneNumber } from '../../../core/customers/customer.js'

describe('A phone number on a page', () => {
  it('is written in groups after its calling code, and a user id as it is', () => {
    for (const [id, written] of [
      ['4915123456789', '+49 151 234 567 89'], ['12125550123', '+1 212 555 0123'], ['33639980101', '+33 639 980 101'],
      ['447911123456', '+44 791 112 3456'], ['5511987654321', '+55 119 876 543 21'], ['4571234567', '+45 712 345 67'],
      ['35361234567', '+353 612 345 67'], ['2906123', '+290 6123'], ['9990000000', '+9990000000'], ['DE.12345', 'DE.12345'],
    ] as const) assert.equal(writeCustomerId(id as CustomerId), written)
  })

  it('begins with one calling code at most', () => {
    for (const [number, code] of [
      ['12425550123', '1'], ['78005553535', '7'], ['380441234567', '380'], ['9990000000', undefined],
    ] as const) {
      assert.equal(callingCodeIn(number as PhoneNumber), code)
    }
  })
})
