import { join } from 'node:path'
import { assert } from 'chai'
import ts from 'typescript'
import { ROOT } from '../architecture/tree.js'
import { declarations } from './declarations.js'

describe('The declarations of postern/events', () => {
  it('name no package that an app may leave out', () => {
    const all = declarations([join(ROOT, 'adapters/events.ts')])
    assert.isAbove(all.size, 20)
    const imported = [...all].flatMap(([path, text]) => ts.preProcessFile(text).importedFiles.map(({ fileName }) => `${path.slice(ROOT.length)} ${fileName}`))
    assert.isAbove(imported.filter((one) => one.includes(' fp-ts/')).length, 0)
    assert.deepEqual(imported.filter((one) => / (nats|amqplib)(\/|$)/.test(one)), [])
  })
})
