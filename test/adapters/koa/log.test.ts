import { assert } from 'chai'
import { describeCause } from '../../../adapters/koa/log.js'

describe('what the log may know of a cause', () => {
  it('is its name, code and message', () => {
    const cause = Object.assign(new TypeError('connect ECONNREFUSED 127.0.0.1:3306'), { code: 'ECONNREFUSED', password: 'hunter2' })
    assert.deepEqual(describeCause(cause), { cause: 'connect ECONNREFUSED 127.0.0.1:3306', error: 'TypeError', code: 'ECONNREFUSED' })
  })

  it('is the sentence, where it is one, and the type, where it is something else', () => {
    assert.deepEqual(describeCause('timed out'), { cause: 'timed out' })
    assert.deepEqual(describeCause({ token: 'x' }), { cause: 'object' })
    assert.deepEqual(describeCause(undefined), { cause: 'undefined' })
  })

  it('is never an API key, a token, a password in an address, a phone number or a platform id', () => {
    const secrets: ReadonlyArray<readonly [string, string]> = [
      ['key pst_0af3_Zm9v-Yg_x is bad', 'key pst_… is bad'],
      ['Authorization: Bearer abc.def-ghi', 'Authorization: Bearer …'],
      ['token EAAJB123xyz expired', 'token EAA… expired'],
      ['mysql://root:p4ss@db:3306/postern', 'mysql://…@db:3306/postern'],
      ["values ('5511987654321', '+5511987654321')", "values ('…', '…')"],
      ['wamid.HBgNNTUxMTk4NzY1NDMyMRUCABEYEjA=, twice', 'wamid.…, twice'],
      ['message msg_019500000000700080000000000000aa', 'message msg_019500000000700080000000000000aa'],
    ]
    for (const [text, expected] of secrets) assert.equal(describeCause(new Error(text))['cause'], expected)
  })

  it('is cut at a length', () => {
    assert.isAtMost(describeCause(new Error('x '.repeat(10_000)))['cause']?.length ?? 0, 500)
  })
})
