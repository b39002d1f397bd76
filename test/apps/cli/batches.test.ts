import { writeFile } from 'node:fs/promises'
import { assert } from 'chai'
import { posternJson } from '../../support/postern.js'
import { type CommandLine, openCommandLine, TOKEN } from './support.js'

type Shown = {
  readonly id: string; readonly state: string; readonly recipients: number; readonly unreadable: number; readonly total: string | null
}

const CREATE = ['--template', 'order_update', '--language', 'en'] as const
const HEAD = 'to,body.1,body.2\n'

describe('The commands about batches', () => {
  let cli: CommandLine
  before(async () => {
    cli = await openCommandLine()
    await cli.json('workspace', 'create', 'shop')
    await posternJson(['sender', 'set', 'shop', '--phone-number-id', '1000', '--business-account-id', '200000000000001'], cli.env, TOKEN)
    await cli.json('template', 'sync', 'shop')
    await cli.json('wallet', 'top-up', 'shop', '10')
  })
  after(() => cli[Symbol.asyncDispose]())

  const create = (file: string, ...more: ReadonlyArray<string>) =>
    cli.json<Shown>('batch', 'create', 'shop', file, ...CREATE, ...more)
  const written = async (name: string, ...lines: ReadonlyArray<string>): Promise<string> => {
    const file = cli.scratch.path(name)
    await writeFile(file, `${HEAD}${lines.join('\n')}\n`)
    return file
  }

  it('make a draft of a file, check it, confirm it with its total, and cancel it', async () => {
    const file = await written('first.csv', '33639980001,Ann,17', '33639980002,Bob,18', 'nobody,Eve,19')
    const draft = await create(file)
    assert.deepInclude(draft, { state: 'draft', recipients: 3, unreadable: 1, total: null })
    const checked = await cli.json<{ total: string; sendable: number }>('batch', 'preflight', draft.id)
    assert.equal(checked.sendable, 2)
    await cli.fails(['batch', 'confirm', draft.id, '--total', '0.01'], 1, /run `postern batch preflight` again/)
    const confirmed = await cli.json<Shown>('batch', 'confirm', draft.id, '--total', checked.total)
    assert.deepInclude(confirmed, { state: 'confirmed', total: checked.total })
    assert.deepEqual((await cli.json<ReadonlyArray<Shown>>('batch', 'list', 'shop')).map(({ id }) => id), [draft.id])
    assert.deepInclude(await cli.json<Shown>('batch', 'cancel', draft.id), { state: 'canceled' })
    assert.include((await cli.lines('batch', 'show', draft.id))[0], 'canceled')
  })

  it('make and confirm one batch for one key, and none for the same key with another file or option', async () => {
    const file = await written('second.csv', '33639980003,Cid,20')
    const first = await create(file, '--confirm', '--idempotency-key', 'recall 1')
    assert.deepInclude(first, { state: 'confirmed', recipients: 1 })
    const again = await create(file, '--confirm', '--idempotency-key', 'recall 1')
    assert.deepEqual([again.id, again.total], [first.id, first.total])
    const [line] = await cli.lines('batch', 'create', 'shop', file, ...CREATE, '--confirm', '--idempotency-key', 'recall 1')
    assert.equal(line, `Batch ${first.id} was made by an earlier request with this key, and is confirmed.`)
    const other = await written('other.csv', '33639980004,Dan,21')
    const reused = /The key belongs to a request with other recipients or options/
    await cli.fails(['batch', 'create', 'shop', other, ...CREATE, '--confirm', '--idempotency-key', 'recall 1'], 1, reused)
    await cli.fails(['batch', 'create', 'shop', file, ...CREATE, '--idempotency-key', 'recall 1'], 1, reused)
    await cli.fails(['batch', 'create', 'shop', file, ...CREATE, '--idempotency-key', ' '], 2, /1 to 255 printable ASCII characters/)
    assert.lengthOf(await cli.json<ReadonlyArray<Shown>>('batch', 'list', 'shop'), 2)
  })
})
