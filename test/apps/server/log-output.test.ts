import { Writable } from 'node:stream'
import { assert } from 'chai'
import { logOutput } from '../../../apps/server/log.js'

const recorded = (): { readonly stream: Writable; readonly writes: string[] } => {
  const writes: string[] = []
  return { writes, stream: new Writable({ decodeStrings: false, write: (chunk: string, _encoding, done) => { writes.push(chunk); done() } }) }
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
