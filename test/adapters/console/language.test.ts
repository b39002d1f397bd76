import { assert } from 'chai'
import { type Language, LANGUAGES } from '../../../core/kernel/language.js'
import { languageOf, negotiate } from '../../../adapters/console/language.js'
import { CATALOGUES } from '../../../adapters/console/texts.js'
import { cookieOf, openConsole, type OpenConsole } from './browser.js'
import { type Leaf, leavesOf } from './leaves.js'
import { objectsOf } from './objects.js'

describe('the language of a request', () => {
  const ASKED: ReadonlyArray<readonly [accepted: string, language: Language]> = [
    ['', 'en'], ['de', 'de'], ['de-AT', 'de'], ['DE-ch', 'de'], ['es-419,es;q=0.9', 'es'], ['pt', 'pt-BR'], ['pt-PT', 'pt-BR'],
    ['pt-br', 'pt-BR'], ['en-GB', 'en'], ['fr,de;q=0.7,en;q=0.3', 'de'], ['en;q=0.3,es;q=0.8', 'es'], ['de;q=0.5,es;q=0.5', 'de'],
    ['fr, ja;q=0.9', 'en'], ['de;q=0', 'en'], ['de;q=0,*', 'en'], ['*', 'en'], ['es ; q=0.9 , de ; q=1.0', 'de'],
    ['nonsense;;q=x,, de', 'de'], ['de;q=2', 'en'], [`${'fr,'.repeat(40)}de`, 'en'], ['dev', 'en'],
  ]
  for (const [accepted, expected] of ASKED) {
    it(`is ${expected} for ${JSON.stringify(accepted.slice(0, 40))}`, () => {
      assert.equal(negotiate(accepted), expected)
    })
  }

  it('is the one that was chosen, whatever the browser asks for', () => {
    assert.equal(languageOf({ cookie: 'a=b; postern_lang=es', 'accept-language': 'de' }), 'es')
    assert.equal(languageOf({ cookie: 'postern_lang=pt-BR; a=b', 'accept-language': 'de' }), 'pt-BR')
    for (const cookie of ['postern_lang=fr', 'postern_lang=', 'xpostern_lang=es', 'postern_lang=es-MX', 'postern_lang=__proto__']) {
      assert.equal(languageOf({ cookie, 'accept-language': 'de' }), 'de', cookie)
    }
  })
})

/** The words of English that a page in another language must not have: of each text the parts of three words or more. */
const ENGLISH = leavesOf(CATALOGUES.en).flatMap(([, text]) => fragmentsOf(text)).filter((text) =>
  /^\P{L}*(?:\p{L}[\p{L}’']*\P{L}+){2,}\p{L}/u.test(text))

/** The texts of a leaf without what is put into them. */
function fragmentsOf(text: Leaf): ReadonlyArray<string> {
  if (typeof text === 'string') return [text]
  try {
    return text(GIVEN, GIVEN, GIVEN).split(GIVEN).map((part) => part.trim())
  } catch {
    // What takes no text has figures in it, and English words that others have, too.
    return []
  }
}

const GIVEN = '\u0001'

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** What a page says in its own language: without what is marked as English. */
const saidIn = (html: string): string => html.replace(/<(span|option) lang="en"[^>]*>.*?<\/\1>/gs, '')

const englishIn = (html: string): ReadonlyArray<string> => ENGLISH.filter((text) => saidIn(html).includes(escaped(text)))

/** What a page says is wrong with a form. */
const saidWrong = (html: string): ReadonlyArray<string> =>
  Array.from(saidIn(html).matchAll(/<p class="(?:note bad|fault)"[^>]*>(.*?)<\/p>/gs), ([, said = '']) => said)

/** Words that no other language of the console has: with them a reason of the core would be told by. */
const ENGLISH_WORDS = /\b(?:the|is|must|with|least|most|more than|such as|characters|names)\b/i

/** Pages that a GET shows; what is left out is a file. */
const shownPages = ({ pages }: OpenConsole) => pages.filter(({ path, get }) => get !== undefined && !path.endsWith('.csv'))

/** Forms that are refused, each with a sentence of its own. */
const REFUSED: ReadonlyArray<readonly [end: string, form: Readonly<Record<string, string>>]> = [
  ['/keys', { name: '' }], ['/keys', { name: 'shop' }], ['/keys', { name: 'shop', 'scope-send': 'on', expires: 'soon' }],
  ['/keys', { name: 'shop', 'scope-send': 'on', expires: '2020-01-01' }], ['/keys', { name: 'shop', 'scope-send': 'on', limit: '1,5' }],
  ['/keys', { name: 'shop', 'scope-send': 'on', limit: '0' }], ['/endpoints', { url: 'shop' }],
  ['/endpoints', { url: 'https://shop.example/', types: 'a,a' }], ['/endpoints', { url: 'https://shop.example/', types: 'nothing.at_all' }],
  ['/settings/name', { name: '' }], ['/settings/name', { name: 'ws_1' }], ['/wallet/alerts', { threshold: '-1' }],
  ['/wallet/alerts', { threshold: '0' }], ['/settings/archive', {}], ['/sender', { phone: 'x', token: 'y' }],
  ['/sender', { phone: '1', account: '2', token: 'bad' }], ['/sender/:number/remove', {}],
  ['/sender/:number', { account: 'x', token: 'y' }], ['/sender/:number/replace', { phone: 'x', token: 'y' }],
  ['/wallet/top-up', { amount: '0', reference: 'a' }],
  ['/wallet/top-up', { amount: '1', reference: '' }], ['/wallet/adjust', { amount: '0', reference: 'a', note: 'b' }],
  ['/send/compose', { to: 'x', what: 'text' }], ['/send/compose', { to: '4915123456789', what: 'template' }],
  ['/send/check', { to: '4915123456789', what: 'text', text: '' }],
  ['/send/check', { to: '4915123456789', what: 'link', body: 'a', label: 'b', url: 'c' }],
  ['/send/check', { to: '4915123456789', what: 'location', latitude: '91', longitude: 'x' }],
  ['/send/check', { to: '4915123456789', what: 'buttons', body: 'a', 'button-1': 'x', 'button-2': 'x' }],
  ['/send/check', { to: '4915123456789', what: 'json', json: '{"type":"text","text":{}}' }],
  ...['image', 'audio', 'document', 'contact', 'reaction', 'list', 'ask-location', 'json'].map((what) =>
    ['/send/compose', { to: '4915123456789', what }] as const),
]

describe('a page of the console in another language', () => {
  let console: OpenConsole
  let cookie: string
  before(async () => {
    console = await openConsole()
    cookie = `postern_session=${(await console.join('ann@example.com')).token}`
  })
  after(() => console.close())

  it('would be found out by what follows: the English one has hundreds of texts, and its pages show them', async () => {
    assert.isAbove(ENGLISH.length, 300)
    assert.includeMembers(
      [...englishIn((await console.send('GET', '/console/account', { headers: { Cookie: cookie } })).text)],
      ['You are signed in as', 'Sign out everywhere'],
    )
  })

  for (const language of LANGUAGES.filter((one) => one !== 'en')) {
    it(`is in ${language} to the last sentence, on every page`, async () => {
      const objects = await objectsOf(console, console.workspace)
      const shown = shownPages(console).map(({ path }) =>
        path.replace(':workspace', console.workspace).replace(/:(\w+)/g, (_all, name: string) =>
          objects[name] ?? { month: '2026-11', name: 'none' }[name] ?? 'unknown'))
      assert.isAbove(shown.length, 25)
      const left = await Promise.all(shown.flatMap((path) => [{}, { Cookie: cookie }].map(async (headers) => {
        const { text, headers: { location } } = await console.send('GET', path, {
          headers: { ...headers, 'Accept-Language': `${language},en;q=0.5` },
        })
        return location === undefined
          ? [
              // The rows of the palette, and a price, are parts of a page.
              ...(text.includes(`<html lang="${language}">`) || /\/(?:palette|price)$/.test(path) ? [] : [`${path}: of another language`]),
              ...englishIn(text).map((english) => `${path}: ${english}`),
            ]
          : []
      })))
      assert.deepEqual(left.flat(), [])
    })

    it(`says in ${language} what is wrong with a form`, async () => {
      const headers = { Cookie: cookie, Origin: console.origin, 'Accept-Language': language }
      const left: Array<string> = []
      const { number = '' } = await objectsOf(console, console.workspace)
      for (const [end, form] of REFUSED) {
        const path = `/console/workspaces/${console.workspace}${end.replace(':number', number)}`
        const { status, text } = await console.send('POST', path, { form, headers })
        if (end !== '/send/compose' && status !== 422) left.push(`${end} ${JSON.stringify(form)}: ${status}`)
        left.push(
          ...[...englishIn(text), ...saidWrong(text).filter((said) => ENGLISH_WORDS.test(said))].map((english) => `${end}: ${english}`),
        )
      }
      assert.deepEqual(left, [])
    })
  }

  it('writes money, numbers and dates as its language does', async () => {
    const walletIn = (accepted: string) =>
      console.send('GET', `/console/workspaces/${console.workspace}/wallet/entries`, {
        headers: { Cookie: cookie, 'Accept-Language': accepted },
      })
    const nextTopUp = { workspace: console.workspace, micros: 12_345_500_000n, reference: 'a large one', at: console.clock.at }
    await console.storage.ledger.topUp(nextTopUp)
    assert.match((await walletIn('en')).text, />\+\$12,345\.50</)
    assert.match((await walletIn('de')).text, />\+12\.345,50\u00a0\$</)
    assert.match((await walletIn('pt')).text, />\+US\$\u00a012\.345,50</)
    assert.match((await walletIn('es')).text, />\+12\.345,50\u00a0US\$</)
    const spend = await console.send('GET', `/console/workspaces/${console.workspace}/wallet/spend`, {
      headers: { Cookie: cookie, 'Accept-Language': 'pt-BR' },
    })
    assert.include(spend.text, 'novembro de 2026')
  })

  it('marks as English what Postern has in English alone', async () => {
    const { text } = await console.send('GET', '/console/health/checks', { headers: { Cookie: cookie, 'Accept-Language': 'de' } })
    assert.include(text, '<span lang="en">it is &lt;not> set.</span>')
  })

  it('is never in the language of another request that is under way', async () => {
    const asked = Array.from({ length: 16 }, (_, at) => LANGUAGES[at % LANGUAGES.length] ?? 'en')
    const got = await Promise.all(
      asked.map((language) => console.send('GET', '/console', { headers: { Cookie: cookie, 'Accept-Language': language } })),
    )
    assert.deepEqual(got.map(({ text }) => /<html lang="(.*?)">/.exec(text)?.[1]), asked)
    assert.deepEqual(
      got.map(({ text }, at) => text.includes(`>${CATALOGUES[asked[at] ?? 'en'].workspaces.title}</h1>`)), asked.map(() => true),
    )
  })

  it('is watched in the language of who watches, though others watch the same part', async () => {
    const path = `/console/workspaces/${console.workspace}/customers`
    const watching = await Promise.all(['de', 'pt-BR'].map((language) => console.watch(path, `${cookie}; postern_lang=${language}`)))
    await Promise.all([watching[0]?.shows(CATALOGUES.de.customers.wrote), watching[1]?.shows(CATALOGUES['pt-BR'].customers.wrote)])
    for (const { close } of watching) close()
  })
})

describe('the choice of a language', () => {
  const open = async () => {
    const console = await openConsole()
    const session = `postern_session=${(await console.join('ann@example.com')).token}`
    const choose = (language: string, cookie = '') =>
      console.send('POST', '/console/language', { form: { language }, headers: { Origin: console.origin, Cookie: cookie } })
    const langOf = async (path: string, cookie: string): Promise<string | undefined> =>
      /<html lang="(.*?)">/.exec((await console.send('GET', path, { headers: { Cookie: cookie, 'Accept-Language': 'de' } })).text)?.[1]
    return { console, session, choose, langOf }
  }

  it('is made in the account, wins over the browser, and lasts when the session ends', async () => {
    const { console, session, choose, langOf } = await open()
    assert.equal(await langOf('/console/account', session), 'de')
    const chosen = await choose('es', session)
    assert.deepEqual([chosen.status, chosen.headers['location']], [303, '/console/account'])
    assert.match(chosen.cookies[0] ?? '', /^postern_lang=es; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/)
    const kept = cookieOf(chosen)
    assert.equal(await langOf('/console/account', `${session}; ${kept}`), 'es')
    const left = await console.send('POST', '/console/sign-out', { headers: { Origin: console.origin, Cookie: `${session}; ${kept}` } })
    assert.isFalse(left.cookies.some((set) => set.startsWith('postern_lang')))
    assert.equal(await langOf('/console/sign-in', kept), 'es')
    await console.close()
  })

  it('is made on the sign-in page, and given back to the browser', async () => {
    const { console, choose, langOf } = await open()
    const chosen = await choose('pt-BR')
    assert.equal(chosen.headers['location'], '/console/sign-in')
    assert.equal(await langOf('/console/sign-in', cookieOf(chosen)), 'pt-BR')
    const back = await choose('browser', cookieOf(chosen))
    assert.match(back.cookies[0] ?? '', /^postern_lang=; Path=\/; Max-Age=0;/)
    assert.equal(await langOf('/console/sign-in', cookieOf(back)), 'de')
    await console.close()
  })

  it('is made at the side of every page, and leads back to it, and nowhere else', async () => {
    const { console, session } = await open()
    const wallet = `/console/workspaces/${console.workspace}/wallet`
    const { text } = await console.get(wallet, session)
    assert.match(text, new RegExp(`<details class="speaks">[^]*name="back" value="${wallet}"[^]*value="pt-BR"`))
    const leadsTo = async (back: string) =>
      (await console.send('POST', '/console/language', {
        form: { language: 'de', back }, headers: { Origin: console.origin, Cookie: session },
      })).headers['location']
    for (const shown of [wallet, '/console', `/console/members?workspace=${console.workspace}`]) assert.equal(await leadsTo(shown), shown)
    for (const other of [
      '//other.example', 'https://other.example/console', '/console/../docs', '/console//other.example', `${wallet}/top-up`,
      '/console/nothing', '/console\n', '',
    ]) {
      assert.equal(await leadsTo(other), '/console/account', other)
    }
    await console.close()
  })

  it('is of a language that the console speaks', async () => {
    const { console, choose } = await open()
    for (const language of ['fr', '', 'en-GB', '__proto__']) {
      const { status, cookies } = await choose(language)
      assert.deepEqual([status, cookies], [400, []])
    }
    await console.close()
  })
})
