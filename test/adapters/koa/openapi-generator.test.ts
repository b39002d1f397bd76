import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { assert } from 'chai'
import { makeOpenApiDocument } from '../../../adapters/koa/index.js'

const ALL = {
  answering: true, batches: true, events: true, webhook: true, appWebhooks: true, metrics: true, quoting: true, templates: true,
  templateResults: true,
  senders: true,
  files: true, pages: true, queue: true, consent: true,
}

/** Fields that are passed on untouched. */
const INDEX = /\[key: string\]: unknown;?/g
const COMMENT = /\/\*\*[\s\S]*?\*\//g

/** The types that a generator makes of a document, without their comments. */
const typesOf = async (document: object): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'postern-types-'))
  try {
    await createClient({
      input: { ...document }, output: { path }, plugins: ['@hey-api/typescript'], logs: { level: 'silent', file: false },
    })
    return (await readFile(join(path, 'types.gen.ts'), 'utf8')).replace(COMMENT, '')
  } finally {
    await rm(path, { recursive: true })
  }
}

describe('a generator of clients', () => {
  it('finds a type for every field', async () => {
    const types = await typesOf(makeOpenApiDocument(ALL))
    assert.match(types, /template_name: string;/)
    assert.deepEqual(types.replace(INDEX, '').split('\n').filter((line) => /(?<!')\bunknown\b/.test(line)), [])
  })

  it('would find none for two patterns in an allOf', async () => {
    const document = makeOpenApiDocument(ALL)
    const text = { type: 'string', pattern: '\\S', allOf: [{ pattern: 'x' }] }
    const types = await typesOf({
      ...document,
      components: { ...document.components, schemas: { ...document.components.schemas, Twice: { type: 'object', properties: { text } } } },
    })
    assert.match(types.replace(INDEX, ''), /\bunknown\b/)
  })
})

describe('the patterns of the OpenAPI document', () => {
  it('have no class of Unicode and no lookahead, which other languages cannot compile', () => {
    const patterns = Array.from(JSON.stringify(makeOpenApiDocument(ALL)).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g), ([, text = '""']) =>
      JSON.parse(text) as string)
    assert.isAbove(patterns.length, 5)
    for (const pattern of patterns) assert.notMatch(pattern, /\\[pPu]|\(\?[=!<]/, pattern)
  })
})
