import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makeGotTransport } from '../../../adapters/cloud-api/got-transport.js'
import { makeTemplateSource } from '../../../adapters/cloud-api/templates.js'
import type { ClosableTransport } from '../../../adapters/cloud-api/transport.js'
import { makeUndiciTransport } from '../../../adapters/cloud-api/undici-transport.js'
import { startSimulator } from '../../../apps/simulator/simulator.js'
import type { TemplateSourceError } from '../../../core/templates/catalogue.js'
import { templateSourceLaws } from '../../laws/template-source.js'
import { describeLaws } from '../../support/describe-laws.js'
import { answer, type Behaviour, hang, type Network, openNetwork } from './network.js'
import { openTemplateSourceFixture } from './template-source-fixture.js'

const account = { businessAccountId: '102290129340398', accessToken: 'EAAG-secret' }
const items = (from: number, count: number): ReadonlyArray<object> =>
  Array.from({ length: count }, (_, n) =>
    ({ id: String(from + n), name: `t_${from + n}`, language: 'en', status: 'APPROVED', category: 'UTILITY', components: [] }))
const cursorIn = (url = ''): string | null => new URL(url, 'http://localhost').searchParams.get('after')
const page = (data: unknown, after?: unknown): object =>
  ({ data, paging: { cursors: { before: 'x', after }, ...(after !== undefined && { next: 'http://127.0.0.1:1/stolen' }) } })

describe('the list of templates', () => {
  let network: Network
  let transport: ClosableTransport
  let opened: ReadonlyArray<{ readonly close: () => Promise<void> }> = []
  const open = async <Server extends { readonly close: () => Promise<void> }>(opening: Promise<Server>): Promise<Server> => {
    const server = await opening
    opened = [...opened, server]
    return server
  }
  beforeEach(async () => {
    network = await open(openNetwork())
    transport = await open(Promise.resolve(makeGotTransport()))
  })
  afterEach(async () => {
    for (const server of opened.toReversed()) await server.close()
    opened = []
  })

  const sourceAt = (
    baseUrl: string, times: { readonly timeoutMs?: number; readonly listTimeoutMs?: number; readonly namedTimeoutMs?: number } = {},
  ) =>
    makeTemplateSource({
      baseUrl, version: 'v25.0', timeoutMs: 5_000, ...times, transport: transport.send, now: () => Date.UTC(2026, 10, 21),
    })
  const list = (times = {}, name?: string) => sourceAt(network.url, times).list(account, name)
  const listed = async (): Promise<ReadonlyArray<string>> => {
    const templates = await list()
    assert.isTrue(E.isRight(templates), JSON.stringify(templates))
    return E.isRight(templates) ? templates.right.map(({ name }) => name) : []
  }
  const failure = async (times = {}): Promise<TemplateSourceError> => {
    const templates = await list(times)
    return E.isLeft(templates) ? templates.left : assert.fail('the list was read')
  }
  const cause = async (times = {}): Promise<string> => {
    const error = await failure(times)
    return error._tag === 'PlatformUnreachable' ? String(error.cause) : assert.fail(error._tag)
  }
  /** Answers with one page after another: the first without a cursor, each next under the cursor of the one before. */
  const pages = (...all: ReadonlyArray<object>): Behaviour => (response, arrived) => {
    const at = Number(cursorIn(arrived.url) ?? 0)
    answer(200, all[at] ?? page([]))(response, arrived)
  }

  it('names its fields, sends the token in a header, and asks for each page at our own address', async () => {
    network.behave(pages(page(items(0, 100), '1'), page(items(100, 100), '2'), page(items(200, 1))))
    assert.lengthOf(await listed(), 201)
    const fields = 'fields=id%2Cname%2Clanguage%2Cstatus%2Ccategory%2Ccomponents%2Cparameter_format%2Cquality_score&limit=100'
    const path = `/v25.0/102290129340398/message_templates?${fields}`
    assert.deepEqual(network.arrived.map(({ url }) => url), [path, `${path}&after=1`, `${path}&after=2`])
    for (const { method, headers } of network.arrived) {
      assert.equal(method, 'GET')
      assert.equal(headers.authorization, 'Bearer EAAG-secret')
    }
  })

  it('says after each page how many templates there are, and asks for no other page once it is stopped', async () => {
    network.behave(pages(page(items(0, 100), '1'), page(items(100, 50), '2'), page(items(150, 1))))
    const counts: Array<number> = []
    const read = (most: number) => {
      counts.length = 0
      return sourceAt(network.url).list(account, undefined, {
        onPage: (count) => void counts.push(count), isStopped: () => counts.length >= most,
      })
    }
    assert.isTrue(E.isRight(await read(10)))
    assert.deepEqual(counts, [100, 150, 151])
    const asked = network.arrived.length
    const stopped = await read(2)
    assert.deepEqual([E.isLeft(stopped) && stopped.left._tag, counts], ['PlatformUnreachable', [100, 150]])
    assert.equal(network.arrived.length - asked, 2)
  })

  it('never follows the address of the next page, which may lead to another host', async () => {
    const other = await open(openNetwork())
    other.behave(answer(200, page(items(0, 1))))
    network.behave((response, arrived) =>
      answer(200, { ...page(items(cursorIn(arrived.url) === null ? 0 : 1, 1)), ...(cursorIn(arrived.url) === null && {
        paging: { cursors: { after: 'b' }, next: `${other.url}/v25.0/102290129340398/message_templates?after=b` },
      }) })(response, arrived))
    assert.deepEqual(await listed(), ['t_0', 't_1'])
    assert.lengthOf(other.arrived, 0)
  })

  it('follows no redirect', async () => {
    const other = await open(openNetwork())
    other.behave(answer(200, page(items(0, 1))))
    network.behave(answer(302, '', { location: `${other.url}/` }))
    assert.equal((await failure())._tag, 'PlatformUnreachable')
    assert.lengthOf(other.arrived, 0)
  })

  it('escapes a name and a cursor in the address', async () => {
    network.behave((response, arrived) =>
      answer(200, page([], cursorIn(arrived.url) === null ? 'a&limit=1#/..' : undefined))(response, arrived))
    assert.deepEqual(await list({}, 'имя&status=X'), E.right([]))
    const query = new URL(network.arrived[1]?.url ?? '', 'http://localhost').searchParams
    assert.deepEqual([...query.keys()], ['fields', 'limit', 'name', 'after'])
    assert.deepEqual([query.get('name'), query.get('after'), query.get('limit')], ['имя&status=X', 'a&limit=1#/..', '100'])
  })

  it('goes on after a page without templates', async () => {
    network.behave(pages(page([], '1'), page([], '2'), page(items(7, 1))))
    assert.deepEqual(await listed(), ['t_7'])
  })

  it('has each name and language once, and the one that can be sent if the platform lists two', async () => {
    const twice = { name: 'twice', language: 'en' }
    const items = ['REJECTED', 'APPROVED', 'PENDING'].map((status, n) => ({ ...twice, id: String(n), status }))
    network.behave(pages(page(items.slice(0, 1), '1'), page(items.slice(1))))
    const templates = await list()
    assert.deepEqual(E.isRight(templates) && templates.right.map(({ id }) => id), ['1'])
  })

  it('loses no template to an item that cannot be read', async () => {
    const names = ['', 'a\u0000b', 'x'.repeat(513), '\ud800', 7].map((name) => ({ name, language: 'en' }))
    const languages = [undefined, null, 7, '', 'e\u0000n', 'x'.repeat(65)].map((language) => ({ name: 'a', language }))
    network.behave(answer(200, page([null, 7, 'x', [], {}, { language: 'en' }, ...names, ...languages, ...items(1, 1)])))
    assert.deepEqual(await listed(), ['t_1'])
  })

  const oddComponents: ReadonlyArray<readonly [string, unknown]> = [
    ['missing', undefined], ['null', null], ['no list', { type: 'BODY' }], ['a list of texts', ['BODY']],
    ['a list with a hole', [{ type: 'BODY' }, null]], ['too deep', JSON.parse(`${'[{"a":'.repeat(50)}1${'}]'.repeat(50)}`)],
    ['too long', [{ type: 'BODY', text: 'x'.repeat(262_144) }]],
  ]
  for (const [what, components] of oddComponents) {
    it(`keeps a template whose components are ${what}, without them`, async () => {
      network.behave(answer(200, page([{ ...items(1, 1)[0], components }, ...items(2, 1)])))
      const templates = await list()
      assert.deepEqual(E.isRight(templates) && templates.right.map((template) => template.components), [undefined, []])
    })
  }

  it('has an unknown status and category if the platform says none that can be read, and none of the other parts', async () => {
    const odd = { status: { a: 1 }, category: '', quality_score: 'GREEN!', parameter_format: 'ROMAN' }
    network.behave(answer(200, page([{ name: 'имя', language: 'ru', id: 17, ...odd }])))
    assert.deepEqual<unknown>(await list(), E.right([{
      id: '17', name: 'имя', language: 'ru', status: 'unknown', category: 'unknown', quality: undefined, parameterFormat: undefined,
      components: undefined,
    }]))
  })

  it('keeps words that are not known in lower case, and components whole', async () => {
    const components = [
      { type: 'NOVELTY', text: 'é🔑\u0000', buttons: Array.from({ length: 50 }, (_, n) => ({ type: 'URL', text: String(n) })) },
    ]
    const words = {
      status: 'ON_HOLD_2', category: 'MARKETING_LITE', quality_score: { score: 'YELLOW', date: 1 }, parameter_format: 'NAMED',
    }
    network.behave(answer(200, page([{ name: 'new', language: 'en_US', id: '17', ...words, components }])))
    assert.deepEqual<unknown>(await list(), E.right([{
      id: '17', name: 'new', language: 'en_US', status: 'on_hold_2', category: 'marketing_lite', quality: 'yellow',
      parameterFormat: 'named', components,
    }]))
  })

  describe('is none if', () => {
    const bodies: ReadonlyArray<readonly [string, unknown]> = [
      ['is not JSON', '<html>maintenance</html>'], ['breaks off', '{"data":[{"name":"a"'], ['is a list', '[]'], ['is empty', ''],
      ['has no templates', {}], ['has templates that are no list', { data: { name: 'a' } }],
      ['has an error in a 200', { error: { code: 1 } }],
    ]
    for (const [what, body] of bodies) {
      for (const last of [false, true]) {
        it(`${last ? 'its last' : 'its only'} page ${what}`, async () => {
          network.behave((response, arrived) =>
            answer(200, last && cursorIn(arrived.url) === null ? page(items(0, 1), 'b') : body)(response, arrived))
          assert.equal((await failure())._tag, 'PlatformUnreachable')
        })
      }
    }

    it('a page leads back to itself, or to one before', async () => {
      for (const cursors of [['a', 'a'], ['a', 'b', 'c', 'a']]) {
        let asked = 0
        network.behave((response, arrived) => answer(200, page(items(asked, 1), cursors[asked++ % cursors.length]))(response, arrived))
        assert.include(await cause(), 'leads back')
        assert.equal(asked, cursors.length)
      }
    })

    it('a page does not name the next one', async () => {
      for (const after of [null, 7, '', {}, 'x'.repeat(2_049), 'a b', 'a\u0000']) {
        network.behave(answer(200, { data: items(0, 1), paging: { cursors: { after }, next: `${network.url}/?after=b` } }))
        assert.include(await cause(), 'does not name the next one', JSON.stringify(after))
      }
      network.behave(answer(200, { data: items(0, 1), paging: { next: `${network.url}/?after=b` } }))
      assert.include(await cause(), 'does not name the next one')
    })

    it('its pages have no end', async () => {
      let asked = 0
      network.behave((response, arrived) => answer(200, page(items(asked, 1), String(++asked)))(response, arrived))
      assert.include(await cause(), 'has no end')
      assert.equal(asked, 100)
    })

    it('it has more templates than an account can have', async () => {
      let asked = 0
      network.behave((response, arrived) => answer(200, page(items(1_000 * asked, 1_000), String(++asked)))(response, arrived))
      assert.include(await cause(), 'has no end')
      assert.equal(asked, 7)
    })

    it('it takes more memory than any real one', async () => {
      let asked = 0
      const filler = 'x'.repeat(8 * 1_048_000)
      network.behave((response, arrived) => answer(200, { ...page(items(asked, 1), String(++asked)), filler })(response, arrived))
      assert.include(await cause(), 'has no end')
      assert.equal(asked, 9)
    })

    it('a page is longer than any real one', async () => {
      network.behave(answer(200, { ...page(items(0, 1)), filler: 'x'.repeat(8 * 1_048_576) }))
      assert.include(await cause(), 'longer than 8388608 bytes')
    })

    it('the list of one name does not come within its own deadline, which is shorter', async () => {
      network.behave(hang)
      const named = await list({ namedTimeoutMs: 200 }, 'order_update')
      assert.include(
        E.isLeft(named) && named.left._tag === 'PlatformUnreachable' ? String(named.left.cause) : '', 'No whole answer within 100 ms',
      )
    })

    it('a page hangs, drips, or comes late again and again', async () => {
      const times = { timeoutMs: 200, listTimeoutMs: 500 }
      network.behave((response, arrived) =>
        (cursorIn(arrived.url) === null ? answer(200, page(items(0, 1), 'b')) : hang)(response, arrived))
      assert.include(await cause(times), 'No whole answer within')
      network.behave((response) => {
        response.writeHead(200)
        const drip = setInterval(() => response.write(' '), 20)
        response.once('close', () => clearInterval(drip))
      })
      assert.include(await cause(times), 'No whole answer within')
      let asked = 0
      network.behave((response, arrived) =>
        void setTimeout(() => answer(200, page(items(asked, 1), String(++asked)))(response, arrived), 50))
      assert.match(await cause(times), /not whole within 500 ms|No whole answer within/)
      assert.isBelow(asked, 12)
    })
  })

  describe('is throttled', () => {
    for (const code of [4, 613, 80_007, 80_008]) {
      it(`by code ${code}, whatever the status, with the wait of Retry-After`, async () => {
        const error = { code, message: `(#${code})`, type: 'OAuthException' }
        for (const status of [400, 403, 429]) {
          network.behave(answer(status, { error }, { 'retry-after': '300' }))
          assert.deepEqual<unknown>(await failure(), { _tag: 'PlatformThrottled', error, retryAfterSeconds: 300 })
        }
      })
    }

    it('in the middle of a list, which is then none, and is not asked again', async () => {
      const error = { code: 80_008 }
      const usage = JSON.stringify({ 102290129340398: [{ type: 'whatsapp', estimated_time_to_regain_access: 12 }] })
      network.behave((response, arrived) => (cursorIn(arrived.url) === null
        ? answer(200, page(items(0, 1), 'b')) : answer(400, { error }, { 'x-business-use-case-usage': usage }))(response, arrived))
      assert.deepEqual<unknown>(await failure(), { _tag: 'PlatformThrottled', error, retryAfterSeconds: 720 })
      assert.lengthOf(network.arrived, 2)
    })

    it('by a 429 of something in between, without the platform\'s error', async () => {
      network.behave(answer(429, 'slow down', { 'retry-after': 'Sat, 21 Nov 2026 00:01:00 GMT' }))
      assert.deepEqual<unknown>(await failure(), { _tag: 'PlatformThrottled', error: {}, retryAfterSeconds: 60 })
    })
  })

  describe('is refused', () => {
    const refusals: ReadonlyArray<readonly [string, number, object, TemplateSourceError['_tag']]> = [
      ['for an account that does not exist', 400, { code: 100, error_subcode: 33 }, 'PlatformRejected'],
      ['for an id of something else', 400, { code: 100, message: '(#100) Tried accessing nonexisting field (message_templates)' },
        'PlatformRejected'],
      ['for a token that has expired', 401, { code: 190, error_subcode: 463 }, 'CredentialsRefused'],
      ['for a token without the permission', 403, { code: 200 }, 'CredentialsRefused'],
      ['for a token of another app', 403, { code: 10 }, 'CredentialsRefused'],
      ['by a fault of the platform', 500, { code: 1 }, 'PlatformUnreachable'],
    ]
    for (const [why, status, error, tag] of refusals) {
      it(why, async () => {
        network.behave(answer(status, { error }))
        const refused = await failure()
        assert.equal(refused._tag, tag)
        if ('error' in refused) assert.deepEqual<unknown>(refused.error, error)
      })
    }

    it('by the simulator for another account, and for another token', async () => {
      const simulator = await open(startSimulator({ ...account, phoneNumberIds: ['1'] }))
      const { list: listOf } = sourceAt(simulator.url)
      const answers = [
        await listOf(account), await listOf({ ...account, businessAccountId: '1' }), await listOf({ ...account, accessToken: 'other' }),
      ]
      assert.deepEqual(answers.map((one) => (E.isLeft(one) ? one.left._tag : 'listed')), [
        'listed', 'PlatformRejected', 'CredentialsRefused',
      ])
    })
  })
})

describeLaws('the templates of the cloud API over got', templateSourceLaws, () => openTemplateSourceFixture(makeGotTransport()))
describeLaws('the templates of the cloud API over undici', templateSourceLaws, () => openTemplateSourceFixture(makeUndiciTransport()))
