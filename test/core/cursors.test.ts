import { assert } from 'chai'
import { isCursorOf, type ListName } from '../../core/cursors.js'

const HEX = '0199c3a87c2e7b1f9d5a4e6b8c0d2f41'

const CURSORS: { readonly [List in ListName]: string } = {
  audit: `aud_${HEX}`, batches: `bat_${HEX}`, deliveries: HEX, entries: HEX, messages: `msg_${HEX}`, requests: HEX,
  templates: '["order_update","pt_BR"]',
  windows: `1772366400000.ws_${HEX}.5511987654321`, workspaces: `ws_${HEX}`,
}

const WRONG = [
  '', 'x', 'forged', '0', '__proto__', 'msg_', `msg_${HEX}0`, `msg_${HEX.toUpperCase()}`, ` msg_${HEX}`, `msg_${HEX}\n`, `evt_${HEX}`,
  `${HEX}0`, HEX.slice(1), '["a"]', '["a","b","c"]', '["a", "b"]', '["a",1]', '["","en"]', '["a\\u0000","en"]',
  `["${'x'.repeat(513)}","en"]`, '{"0":"a","1":"b"}', '1772366400000', '1772366400000.5511987654321', 'x.5511987654321',
]

describe('A cursor', () => {
  for (const [list, cursor] of Object.entries<string>(CURSORS)) {
    it(`of the list of ${list} has one form, and those of other lists do not have it`, () => {
      assert.isTrue(isCursorOf(list as ListName, cursor))
      const others = Object.values<string>(CURSORS).filter((other) => other !== cursor)
      for (const wrong of [...WRONG, ...others]) assert.isFalse(isCursorOf(list as ListName, wrong), wrong)
    })
  }
})
