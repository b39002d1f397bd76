import { BaseResolver, createConfig, lintFromString } from '@redocly/openapi-core'
import { assert } from 'chai'
import { makeOpenApiDocument } from '../../../adapters/koa/index.js'
import { gateway } from './gateway.js'

const ALL = {
  answering: true, batches: true, events: true, webhook: true, appWebhooks: true, metrics: true, quoting: true, templates: true,
  templateResults: true,
  senders: true,
  files: true, pages: true, queue: true, consent: true,
}

/** Throws on any external reference: the document refers only to itself. */
class NoExternalRefs extends BaseResolver {
  override async loadExternalRef(ref: string): Promise<never> { throw new Error(`${ref} was asked for`) }
}

/** The problems that Redocly's recommended rules, without exceptions, find in a document. */
const lint = async (document: object): Promise<ReadonlyArray<string>> => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({
    source: JSON.stringify(document), absoluteRef: '/openapi.json', config, externalRefResolver: new NoExternalRefs(),
  })
  return problems.map(({ ruleId, severity, message }) => `${severity} ${ruleId}: ${message}`)
}

describe('the OpenAPI document', () => {
  it("is clean under Redocly's recommended rules, whichever parts are served", async () => {
    for (const served of [
      ALL,
      {
        answering: false, batches: false, events: false, webhook: false, appWebhooks: false, metrics: false, quoting: false,
        templates: false,
        templateResults: false, senders: false, files: false, pages: false, queue: false, consent: false,
      },
    ]) {
      assert.deepEqual(await lint(makeOpenApiDocument(served)), [])
    }
  })

  it('is reported on by those rules if it is broken', async () => {
    const document = makeOpenApiDocument(ALL)
    const wallet = document.paths['/wallet']?.get
    const withWallet = (change: object): object => ({
      ...document, paths: { ...document.paths, '/wallet': { get: { ...wallet, ...change } } },
    })
    const cases: ReadonlyArray<readonly [object, RegExp]> = [
      [{ ...document, openapi: '3.1.0', info: { title: 'x' } }, /^error struct/],
      [withWallet({ summary: undefined }), /^error operation-summary/],
      [withWallet({ operationId: 'sendText' }), /^error operation-operationId-unique/],
      [withWallet({ security: [{ unknown: [] }] }), /^error security-defined/],
      [withWallet({ responses: { 200: { description: 'x', headers: { A: { $ref: '#/components/headers/Unknown' } } } } }),
        /^error no-unresolved-refs/],
      [withWallet({ responses: { ...wallet?.responses, 200: {
        description: 'x',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Wallet' }, examples: { bad: { value: { held: 1 } } } } },
      } } }), /^warn no-invalid-media-type-examples/],
    ]
    for (const [broken, rule] of cases) {
      const problems = await lint(broken)
      assert.isTrue(problems.some((problem) => rule.test(problem)), `${rule} in ${problems.join('\n')}`)
    }
  })

  it('is served at /openapi.json without a key, and describes only what is served', async () => {
    await using bare = await gateway()
    await using gw = await gateway({ deps: () => ({ metrics: async () => ({ contentType: 'text/plain', body: '' }) }) })
    const served = async (url: string): Promise<unknown> => (await fetch(`${url}/openapi.json`)).json()
    assert.deepEqual(
      await served(bare.url),
      JSON.parse(JSON.stringify(makeOpenApiDocument({
        answering: true, batches: true, events: true, webhook: false, appWebhooks: false, metrics: false, quoting: true, templates: true,
        templateResults: true, senders: true, files: true, pages: false, queue: true, consent: true,
      }))),
    )
    const { paths } = await served(gw.url) as { readonly paths: object }
    assert.containsAllKeys(paths, ['/messages/send-text', '/messages/send-template', '/metrics', '/docs'])
    assert.doesNotHaveAnyKeys(paths, ['/webhooks/platform'])
    await using sends = await gateway({ answering: false })
    const { tags, paths: others } = await served(sends.url) as {
      readonly tags: ReadonlyArray<{ readonly name: string }>
      readonly paths: object
    }
    assert.doesNotHaveAnyKeys(others, ['/messages/{wamid}/read'])
    assert.notInclude(tags.map(({ name }) => name), 'Answering')
    await using without = await gateway({ events: false })
    const { tags: left, paths: rest } = await served(without.url) as {
      readonly tags: ReadonlyArray<{ readonly name: string }>
      readonly paths: object
    }
    assert.doesNotHaveAnyKeys(rest, ['/events', '/event-endpoints'])
    assert.notInclude(left.map(({ name }) => name), 'Events')
  })

  it('names addresses relative to its own, so that they hold under a prefix', () => {
    const { servers, paths } = makeOpenApiDocument(ALL)
    const resolved = (from: string) => servers.map(({ url }) => new URL(url, from).href)
    assert.deepEqual(resolved('https://shop.test/gateway/openapi.json'), [
      'https://shop.test/gateway/v1', 'https://shop.test/gateway/api/v1',
    ])
    assert.deepEqual(resolved('https://shop.test/openapi.json'), ['https://shop.test/v1', 'https://shop.test/api/v1'])
    const atRoot = Object.entries(paths).filter(([, item]) => item.servers !== undefined).map(([path]) => path)
    assert.sameMembers(atRoot, [
      '/webhooks/platform', '/webhooks/platform/{app}', '/health/live', '/health/ready', '/metrics', '/openapi.json', '/docs', '/docs.js',
      '/docs.woff2', '/errors', '/errors.json', '/errors/{code}', '/errors/platform/{number}', '/llms.txt', '/docs/{page}',
      '/docs/{folder}/{page}',
    ])
  })
})
