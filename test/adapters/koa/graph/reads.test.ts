import { assert } from 'chai'
import type { Media } from '../../../../core/messages/conversation.js'
import type { Template } from '../../../../core/templates/template.js'
import { ACCOUNT, gateway, type Gateway } from '../gateway.js'
import { errorOf } from './requests.js'
import { withScopes } from '../with-uses.js'

const ID = '1003383421387256'
const TEMPLATES = `/graph/v23.0/${ACCOUNT}/message_templates`

type Page = {
  readonly data: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly paging?: { readonly cursors: { readonly before: string; readonly after: string }; readonly next?: string }
}

const template = (name: string, more: Partial<Template> = {}): Template => ({
  id: `7${name.length}${name.charCodeAt(0)}`, name, language: 'en', category: 'utility', status: 'approved', quality: 'green',
  parameterFormat: 'positional', components: [{ type: 'BODY', text: 'Hello {{1}}' }], ...more,
})

const WORLD = {
  templates: [
    template('a_welcome'), template('b_order', { language: 'pt_BR', status: 'paused', quality: undefined }),
    template('c_offer', { category: 'marketing' }), template('d_odd', { components: undefined, parameterFormat: undefined }),
  ],
}

const page = async (gw: Gateway, path: string): Promise<Page> => {
  const { status, json, text } = await gw.get(path)
  assert.equal(status, 200, text)
  return json as Page
}

const names = ({ data }: Page): ReadonlyArray<unknown> => data.map(({ name }) => name)

describe('templates below /graph', () => {
  it('are those of the catalogue, in the words of the platform', async () => {
    await using gw = await gateway(WORLD)
    const { data, paging } = await page(gw, TEMPLATES)
    assert.deepEqual(data[0], {
      name: 'a_welcome', parameter_format: 'POSITIONAL', components: [{ type: 'BODY', text: 'Hello {{1}}' }], language: 'en',
      status: 'APPROVED', category: 'UTILITY', id: WORLD.templates[0]?.id,
    })
    assert.hasAllKeys(data[3], ['name', 'language', 'status', 'category', 'id'])
    assert.lengthOf(data, 4)
    assert.hasAllKeys(paging, ['cursors'])
  })

  it('have the fields that are asked for, and always their id', async () => {
    await using gw = await gateway(WORLD)
    const { data } = await page(gw, `${TEMPLATES}?fields=name, quality_score{score},unheard_of`)
    assert.deepEqual(data.slice(0, 2), [
      { name: 'a_welcome', quality_score: { score: 'GREEN' }, id: WORLD.templates[0]?.id },
      { name: 'b_order', id: WORLD.templates[1]?.id },
    ])
  })

  it('come in pages, whose addresses are the gateway\'s, name no key, and keep what was asked', async () => {
    await using gw = await gateway({ ...WORLD, deps: () => ({ publicUrl: 'https://gateway.example' }) })
    const first = await page(gw, `${TEMPLATES}?limit=3&fields=name&access_token=${gw.key}`)
    assert.deepEqual(names(first), ['a_welcome', 'b_order', 'c_offer'])
    const next = first.paging?.next ?? assert.fail('there is no next page')
    assert.match(next, new RegExp(`^https://gateway\\.example${TEMPLATES}\\?`))
    assert.notInclude(next, gw.key)
    const second = await page(gw, next.replace('https://gateway.example', ''))
    assert.deepEqual([second.data, second.paging?.next], [[{ name: 'd_odd', id: WORLD.templates[3]?.id }], undefined])
    assert.deepEqual(names(await page(gw, `${TEMPLATES}?after=${first.paging?.cursors.after ?? ''}`)), ['d_odd'])
    const unversioned = TEMPLATES.replace('/v23.0', '')
    assert.match((await page(gw, `${unversioned}?limit=3`)).paging?.next ?? '', new RegExp(`^https://gateway\\.example${unversioned}\\?`))
    assert.equal((await fetch(gw.url + next.replace('https://gateway.example', ''))).status, 401)
    assert.notProperty(await page(gw, `${TEMPLATES}?after=${second.paging?.cursors.after ?? ''}`), 'paging')
  })

  it('are filtered by name, status, language and category, over the pages', async () => {
    await using gw = await gateway(WORLD)
    assert.deepEqual(names(await page(gw, `${TEMPLATES}?name=b_order`)), ['b_order'])
    assert.deepEqual(names(await page(gw, `${TEMPLATES}?language=pt_BR`)), ['b_order'])
    assert.deepEqual(names(await page(gw, `${TEMPLATES}?category=MARKETING&status=approved`)), ['c_offer'])
    const first = await page(gw, `${TEMPLATES}?status=APPROVED&limit=1`)
    assert.deepEqual(names(first), ['a_welcome'])
    assert.deepEqual(names(await page(gw, (first.paging?.next ?? '').replace(gw.url, ''))), ['c_offer'])
  })

  it('are filtered by several words, as a JSON array has them', async () => {
    await using gw = await gateway(WORLD)
    const several = (name: string, ...words: ReadonlyArray<string>): string => `${name}=${encodeURIComponent(JSON.stringify(words))}`
    assert.deepEqual(names(await page(gw, `${TEMPLATES}?${several('status', 'PAUSED', 'REJECTED')}`)), ['b_order'])
    assert.deepEqual(
      names(await page(gw, `${TEMPLATES}?${several('language', 'pt_BR', 'en')}&${several('category', 'UTILITY')}`)),
      ['a_welcome', 'b_order', 'd_odd'],
    )
    const first = await page(gw, `${TEMPLATES}?${several('status', 'APPROVED', 'PAUSED')}&limit=3`)
    assert.deepEqual(names(await page(gw, (first.paging?.next ?? '').replace(gw.url, ''))), ['d_odd'])
  })

  it('refuse a filter with a word that does not exist, and name those that do', async () => {
    await using gw = await gateway(WORLD)
    const refused: ReadonlyArray<readonly [string, RegExp]> = [
      ['status=LOST', /^status must be one of APPROVED, PENDING, .*, DELETED, or a JSON array of them$/], ['status=', /^status must not be empty; leave it out to list all\. This list takes fields, limit, after, name, status, category, language$/],
      ['status=%5B%22APPROVED%22,%22LOST%22%5D', /^status must be one of APPROVED/], ['status=%5B%5D', /^status must be/],
      ['status=%5B1%5D', /^status must be/], ['status=APPROVED,PAUSED', /^status must be/], ['status=toString', /^status must be/],
      ['status[0]=APPROVED', /^status\[0\] is not a known parameter/],
      ['category=OFFERS', /^category must be one of AUTHENTICATION, MARKETING, UTILITY, or/], ['category=', /^category must not be empty/],
      ['language=', /^language must not be empty/], ['language=%5B%22%22%5D', /^language must be/], ['name=', /^name must not be empty/],
    ]
    for (const [query, sentence] of refused) {
      const answer = await gw.get(`${TEMPLATES}?${query}`)
      assert.equal(answer.status, 400, query)
      assert.deepInclude(errorOf(answer), { code: 100 }, query)
      assert.match((errorOf(answer)['error_data'] as { readonly details: string }).details, sentence, query)
    }
  })

  it('ignore the parameters that programs add to any request, and empty ones of a loop', async () => {
    await using gw = await gateway(WORLD)
    assert.lengthOf((await page(gw, `${TEMPLATES}?appsecret_proof=ab&pretty=0&locale=en_US&limit=&after=&before=&fields=`)).data, 4)
  })

  it('refuse what would be ignored, and values of another form', async () => {
    await using gw = await gateway(WORLD)
    for (const query of [
      'source=AUTO_GENERATED', 'correct_category=MARKETING', 'before=abc', 'content=Hello', 'name_or_content=a', 'quality_score=GREEN',
      'limit=0', 'limit=some', 'limit=1&limit=2', 'after=abc', 'after=WyJhIl0', 'after=msg_1',
    ]) {
      assert.deepInclude(errorOf(await gw.get(`${TEMPLATES}?${query}`)), { code: 100 }, query)
    }
    assert.lengthOf((await page(gw, `${TEMPLATES}?limit=100000`)).data, 4)
  })

  it('are found under the business account of the workspace alone, with a key of the scope', async () => {
    await using gw = await gateway(WORLD)
    assert.deepInclude(errorOf(await gw.get('/graph/v23.0/1/message_templates')), { code: 100, error_subcode: 33 })
    await using without = await gateway()
    assert.deepInclude(errorOf(await without.get(TEMPLATES)), { code: 100, error_subcode: 33 })
    await using narrow = await gateway({ ...WORLD, deps: withScopes('send') })
    assert.deepInclude(errorOf(await narrow.get(TEMPLATES)), { code: 10 })
  })
})

describe('attachments below /graph', () => {
  const media = (more: Partial<Media> = {}) => {
    const seen = { closed: 0 }
    const one: Media = {
      type: 'image/jpeg',
      length: 1,
      part: { first: 0, last: 0, size: 5 },
      bytes: (async function* bytes() { yield Buffer.from('bytes') })(),
      close: () => { seen.closed += 1 },
      ...more,
    }
    return { one, seen }
  }

  it('are described with an address of the gateway, from which they are downloaded with the same key', async () => {
    await using gw = await gateway()
    const { one, seen } = media()
    gw.willGiveMedia(one)
    const { json } = await gw.get(`/graph/v23.0/${ID}?phone_number_id=${gw.phoneNumberId}`)
    const url = `${gw.url}/v1/media/${ID}`
    assert.deepEqual<unknown>(json, { messaging_product: 'whatsapp', url, mime_type: 'image/jpeg', file_size: 5, id: ID })
    assert.deepEqual([seen.closed, gw.wanted[0]?.range], [1, { first: 0, last: 0 }])
    gw.willGiveMedia(media({ length: 5, part: undefined }).one)
    assert.deepEqual((await gw.get(url.slice(gw.url.length))).text, 'bytes')
    assert.equal((await fetch(url)).status, 401)
  })

  it('have the digest that the platform says of them', async () => {
    await using gw = await gateway()
    gw.willGiveMedia(media({ sha256: 'ab'.repeat(32) }).one)
    assert.deepInclude((await gw.get(`/graph/${ID}`)).json, { sha256: 'ab'.repeat(32) })
  })

  it('are described by their whole length if the platform gives no part of them', async () => {
    await using gw = await gateway()
    gw.willGiveMedia(media({ length: 7, part: undefined }).one)
    assert.deepInclude((await gw.get(`/graph/v23.0/${ID}`)).json, { file_size: 7 })
    gw.willGiveMedia(media({ length: undefined, part: undefined }).one)
    assert.notProperty((await gw.get(`/graph/v23.0/${ID}`)).json, 'file_size')
  })

  it('have the address under which clients reach the gateway', async () => {
    const urlFor = async (publicUrl: string | undefined, headers: Record<string, string>): Promise<unknown> => {
      await using gw = await gateway({ deps: () => (publicUrl === undefined ? {} : { publicUrl }) })
      gw.willGiveMedia(media().one)
      return ((await gw.get(`/graph/v23.0/${ID}`, headers)).json as { readonly url: string }).url
        .replace(gw.url.replace('http://', ''), 'HOST')
    }
    assert.equal(await urlFor(undefined, {}), `http://HOST/v1/media/${ID}`)
    assert.equal(await urlFor(undefined, { 'X-Forwarded-Proto': 'https' }), `https://HOST/v1/media/${ID}`)
    assert.equal(await urlFor(undefined, { 'X-Forwarded-Proto': 'https, http' }), `https://HOST/v1/media/${ID}`)
    assert.equal(await urlFor(undefined, { 'X-Forwarded-Proto': 'http' }), `http://HOST/v1/media/${ID}`)
    assert.equal(await urlFor('https://gateway.example/postern', {}), `https://gateway.example/postern/v1/media/${ID}`)
  })

  it('are not found under other ids or for another number, and nothing is asked for them', async () => {
    await using gw = await gateway(WORLD)
    for (const path of ['an-id', ACCOUNT, gw.phoneNumberId, `${ID}?phone_number_id=1`]) {
      const answer = await gw.get(`/graph/v23.0/${path}`)
      assert.equal(answer.status, 400)
      assert.deepInclude(errorOf(answer), { code: 100, error_subcode: 33, type: 'GraphMethodException' })
      assert.match(String(errorOf(answer)['message']), /^Unsupported get request/)
    }
    assert.isEmpty(gw.wanted)
    for (const path of [`/graph/v23.0/${ID}`, `/graph/${ID}`]) {
      const gone = await gw.get(path)
      assert.deepInclude(errorOf(gone), { code: 100, error_subcode: 33 })
      assert.include(String(errorOf(gone)['message']), `'${ID}'`)
    }
  })
})
