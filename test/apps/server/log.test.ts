import { Writable } from 'node:stream'
import { assert } from 'chai'
import { logOutput, makeLog } from '../../../apps/server/log.js'
import { causeOf } from '../../../apps/server/package.js'
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
    const text = JSON.stringify(
      logged({ accessToken: 'hunter2', sender: { accessToken: 'hunter2' }, headers: { authorization: 'hunter2' } }),
    )
    assert.notInclude(text, 'hunter2')
    assert.lengthOf(text.match(/\[redacted\]/g) ?? [], 3)
  })

  it('describes an error by its kind, code and message, and logs what is described already as it is', () => {
    const cause = Object.assign(
      new Error("insert into `windows` values ('33639980001') - UNIQUE constraint failed"), { code: 'SQLITE_CONSTRAINT' },
    )
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
      ports: ({ keyStore }) => ({ keyStore: { ...keyStore, principalOf: portDown('KeyStore') } }),
      deps: () => ({ log: (level, event, fields) => log[level](fields, event) }),
    })
    assert.equal((await gw.get('/v1/wallet')).status, 503)
    const line = lines.split('\n').find((text) => text.includes('port_failed')) ?? 'no line'
    assert.deepEqual((JSON.parse(line) as { cause: unknown }).cause, { type: 'Error', message: 'KeyStore is down, key pst_…' })
    assert.lengthOf(line.match(/is down/g) ?? [], 1)
    assert.notProperty(JSON.parse(line), 'error')
  })
})

const recorded = (): { readonly stream: Writable; readonly writes: string[] } => {
  const writes: string[] = []
  return {
    writes, stream: new Writable({ decodeStrings: false, write: (chunk: string, _encoding, done) => { writes.push(chunk); done() } }),
  }
}

describe('The output of the log', () => {
  it('writes the lines of one turn together, in their order', async () => {
    const { stream, writes } = recorded()
    const output = logOutput(stream)
    output.write('a\n')
    output.write('b\n')
    await new Promise(setImmediate)
    output.write('c\n')
    await new Promise(setImmediate)
    assert.deepEqual(writes, ['a\nb\n', 'c\n'])
  })

  it('has written every line when it is flushed, also if the process ends in the same turn', () => {
    const { stream, writes } = recorded()
    const output = logOutput(stream)
    output.write('a\n')
    void output.flush(0)
    assert.deepEqual(writes, ['a\n'])
  })

  it('drops lines while its reader is too slow, and then says how many', async () => {
    const writes: string[] = []
    let read: () => void = () => undefined
    const stream = new Writable({ decodeStrings: false, write: (chunk: string, _encoding, done) => { writes.push(chunk); read = done } })
    const output = logOutput(stream, 3)
    for (const line of ['aaaa\n', 'bbbb\n', 'cccc\n']) output.write(line)
    await new Promise(setImmediate)
    read()
    output.write('dddd\n')
    await output.flush(0)
    read()
    await new Promise(setImmediate)
    const lines = writes.join('').trim().split('\n')
    assert.deepEqual([lines[0], lines[2], lines.length], ['aaaa', 'dddd', 3])
    assert.include(JSON.parse(lines[1] ?? ''), { msg: 'log_lines_dropped', count: 2 })
  })
})
