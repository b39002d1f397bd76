import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assert } from 'chai'
import { makeOpenApiDocument } from '../../adapters/koa/index.js'
import { ROOT } from '../architecture/tree.js'

const FOLDER = join(ROOT, 'docs/recipes')
const pages = async (): Promise<ReadonlyArray<readonly [name: string, text: string]>> =>
  Promise.all((await readdir(FOLDER)).map(async (name) => [name, await readFile(join(FOLDER, name), 'utf8')] as const))

/** Every operation of the API, as `POST /messages/{wamid}/read` with each parameter as `{}`. */
const known = new Set(Object.entries(makeOpenApiDocument({
  answering: true, batches: true, events: true, webhook: true, appWebhooks: true, metrics: true, quoting: true, templates: true,
  templateResults: true,
  senders: true,
  files: true,
  pages: true, queue: true, consent: true,
}).paths as object)
  .flatMap(([path, methods]) => Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '{}')}`)))

const operationsIn = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) \/v1(\/[\w/{}-]+)/g), ([, method, path]) => `${method ?? ''} ${(path ?? '').replaceAll(/\{\w+\}/g, '{}')}`)

describe('The recipes', () => {
  it('name only operations that the API has', async () => {
    for (const [name, text] of await pages()) assert.deepEqual(operationsIn(text).filter((one) => !known.has(one)), [], name)
    const tables = operationsIn((await pages()).find(([name]) => name === 'calls.md')?.[1] ?? '')
    assert.isAtLeast(new Set(tables).size, 12)
  })

  it('have an operation of Postern, or none, in each row of the tables of calls', async () => {
    const rows = (await readFile(join(FOLDER, 'calls.md'), 'utf8')).split('\n').filter((line) =>
      /^\| (?!-)/.test(line) && !/\| Postern \|/.test(line))
    assert.isAtLeast(rows.length, 20)
    assert.deepEqual(rows.filter((row) => !/^\|[^|]+\| (none|`(GET|POST) \/v1)/.test(row)), [])
  })

  it('are listed on their page of contents, and none has more than 900 words', async () => {
    const contents = await readFile(join(ROOT, 'docs/recipes.md'), 'utf8')
    for (const [name, text] of await pages()) {
      assert.include(contents, `(recipes/${name})`)
      assert.isAtMost(text.split(/\s+/).length, 900, name)
    }
  })
})
