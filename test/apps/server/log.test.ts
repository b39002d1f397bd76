import { assert } from 'chai'
import { causeOf } from '../../../apps/server/package.js'
import { makeLog } from '../../../apps/server/log.js'
import { gateway, portDown } from '../../adapters/koa/gateway.js'

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

  it('describes an error by its kind, code and message, and logs what is described already as it is', () => {
    const cause = Object.assign(new Error("insert into `windows` values ('33639980001') - UNIQUE constraint failed"), { code: 'SQLITE_CONSTRAINT' })
    const expected = { type: 'Error', code: 'SQLITE_CONSTRAINT', message: 'UNIQUE constraint failed' }
    assert.deepEqual(causeOf(cause), expected)
    assert.deepEqual(logged({ cause })['cause'], expected)
    assert.deepEqual(logged({ cause: expected })['cause'], expected)
  })

  it('says of a package that is missing how to install it', () => {
    const missing = Object.assign(new Error("Cannot find package 'pg' imported from /app/postern.js"), { code: 'ERR_MODULE_NOT_FOUND' })
    assert.match(causeOf(missing).message, /npm install pg/)
  })

  it('shows the kind and the message of a failing port once', async () => {
    let lines = ''
    const log = makeLog('info', { write: (text) => { lines += text } })
    await using gw = await gateway({
      deps: () => ({ keyStore: { principalOf: portDown('KeyStore') }, log: (level, event, fields) => log[level](fields, event) }),
    })
    assert.equal((await gw.get('/v1/wallet')).status, 503)
    const line = lines.split('\n').find((text) => text.includes('port_failed')) ?? 'no line'
    assert.deepEqual((JSON.parse(line) as { cause: unknown }).cause, { type: 'Error', message: 'KeyStore is down, key pst_…' })
    assert.lengthOf(line.match(/is down/g) ?? [], 1)
    assert.notProperty(JSON.parse(line), 'error')
  })
})
