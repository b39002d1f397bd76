import { assert } from 'chai'
import { causeOf } from '../../../apps/server/cause.js'
import { makeLog } from '../../../apps/server/log.js'

describe('The log', () => {
  const logged = (fields: object): Readonly<Record<string, unknown>> => {
    let line = ''
    makeLog('info', { write: (text) => { line += text } }).info(fields, 'event')
    return JSON.parse(line) as Readonly<Record<string, unknown>>
  }

  it('writes a JSON line with the time as ISO 8601 and the level as a word', () => {
    const line = logged({ count: 1 })
    assert.include(line, { level: 'info', msg: 'event', count: 1 })
    assert.match(String(line['time']), /^\d{4}-\d{2}-\d{2}T.*Z$/)
  })

  it('hides what is handed to it under the name of a secret, at the top and one level down', () => {
    const text = JSON.stringify(logged({ accessToken: 'hunter2', sender: { accessToken: 'hunter2' }, headers: { authorization: 'hunter2' } }))
    assert.notInclude(text, 'hunter2')
    assert.lengthOf(text.match(/\[redacted\]/g) ?? [], 3)
  })

  it('tells of a cause its code and message, without its stack and without the values of a statement', () => {
    const cause = Object.assign(new Error("insert into `windows` values ('33639980001') - UNIQUE constraint failed"), { code: 'SQLITE_CONSTRAINT' })
    const expected = { type: 'Error', code: 'SQLITE_CONSTRAINT', message: 'UNIQUE constraint failed' }
    assert.deepEqual(causeOf(cause), expected)
    assert.deepEqual(logged({ cause })['cause'], expected)
  })

  it('finds something to say of every cause', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED ::1:3306'), { code: 'ECONNREFUSED' })
    assert.equal(causeOf(new AggregateError([refused])).message, 'connect ECONNREFUSED ::1:3306')
    assert.equal(causeOf(Object.assign(new Error(''), { code: 'EPIPE' })).message, 'EPIPE')
    assert.deepEqual(causeOf(undefined), { type: 'undefined', message: 'no message' })
  })
})
