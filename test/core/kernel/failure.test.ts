import { assert } from 'chai'
import { describeCause } from '../../../core/kernel/failure.js'

describe('describeCause', () => {
  it('gives the kind, the code and the message, and nothing else that an error carries', () => {
    const cause = Object.assign(new TypeError('connect ECONNREFUSED 127.0.0.1:3306'), { code: 'ECONNREFUSED', password: 'hunter2' })
    assert.deepEqual(describeCause(cause), { type: 'TypeError', code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 127.0.0.1:3306' })
    assert.deepEqual(describeCause(Object.assign(new Error('gone'), { code: 1205 })), { type: 'Error', code: '1205', message: 'gone' })
  })

  it('gives the text of a cause that is a text, and the type of any other value', () => {
    assert.deepEqual(describeCause('timed out'), { type: 'string', message: 'timed out' })
    assert.deepEqual(describeCause({ token: 'x' }), { type: 'object', message: 'no message' })
    assert.deepEqual(describeCause(undefined), { type: 'undefined', message: 'no message' })
  })

  it('leaves out the statement of a database driver and the values bound to it', () => {
    const cause = Object.assign(
      new Error("insert into `windows` values ('33639980001') - UNIQUE constraint failed"), { code: 'SQLITE_CONSTRAINT' },
    )
    assert.deepEqual(describeCause(cause), { type: 'Error', code: 'SQLITE_CONSTRAINT', message: 'UNIQUE constraint failed' })
  })

  it('finds a message for an error that has none', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED ::1:3306'), { code: 'ECONNREFUSED' })
    assert.equal(describeCause(new AggregateError([refused])).message, 'connect ECONNREFUSED ::1:3306')
    assert.equal(describeCause(Object.assign(new Error(''), { code: 'EPIPE' })).message, 'EPIPE')
  })

  it('hides API keys, tokens, passwords in addresses, phone numbers and platform ids', () => {
    const secrets: ReadonlyArray<readonly [string, string]> = [
      ['key pst_0af3_Zm9v-Yg_x is bad', 'key pst_… is bad'],
      ['Authorization: Bearer abc.def-ghi', 'Authorization: Bearer …'],
      ['token EAAJB123xyz expired', 'token EAA… expired'],
      ['mysql://root:p4ss@db:3306/postern', 'mysql://…@db:3306/postern'],
      ["values ('5511987654321', '+5511987654321')", "values ('…', '…')"],
      ['wamid.HBgNNTUxMTk4NzY1NDMyMRUCABEYEjA=, twice', 'wamid.…, twice'],
      ['message msg_019500000000700080000000000000aa', 'message msg_019500000000700080000000000000aa'],
    ]
    for (const [text, expected] of secrets) assert.equal(describeCause(new Error(text)).message, expected)
  })

  it('cuts a message at 2000 characters', () => {
    assert.lengthOf(describeCause(new Error('x '.repeat(10_000))).message, 2_000)
  })
})
