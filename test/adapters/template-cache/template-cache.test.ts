import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { makeTemplateCache, type TemplateCacheOptions } from '../../../adapters/template-cache/template-cache.js'
import { portFailure } from '../../../core/kernel/failure.js'
import type { NamedTemplates, TemplateCatalogue } from '../../../core/templates/catalogue.js'
import type { Template } from '../../../core/templates/template.js'
import { andThen } from '../../laws-of-laws/broken-memory.js'
import { templateCatalogueLaws } from '../../laws/template-catalogue.js'
import { describeLaws } from '../../support/describe-laws.js'
import { rightOf } from '../../support/right-of.js'

const ACCOUNT = '2000001'
const NOON = Date.UTC(2026, 2, 1, 12)

const templateOf = (name: string, status = 'approved'): Template => ({
  id: '1', name, language: 'en', category: 'utility', status, quality: undefined, parameterFormat: undefined, components: [],
})

/** A cache over a catalogue in memory that counts its queries, can fail, and can be written by another process. */
const openCache = (options: TemplateCacheOptions = {}) => {
  const catalogue = makeMemoryStorage().templateCatalogue
  const queries: string[] = []
  const state = { now: 1_000, isDown: false }
  const counting: TemplateCatalogue = {
    ...catalogue,
    find: async (account, name) => {
      queries.push(name)
      return state.isDown ? E.left(portFailure('TemplateCatalogue')('down')) : catalogue.find(account, name)
    },
  }
  return { cache: makeTemplateCache(counting, { now: () => state.now, ...options }), elsewhere: catalogue, queries, state, counting }
}

const statusesOf = ({ templates }: NamedTemplates): ReadonlyArray<string> => templates.map(({ status }) => status)

describe('The cache of templates', () => {
  describeLaws('is a catalogue', templateCatalogueLaws, async () => ({
    templateCatalogue: makeTemplateCache(makeMemoryStorage().templateCatalogue),
  }))

  it('asks once for a name, whether it has templates or not, until the answer is two seconds old', async () => {
    const { cache, elsewhere, queries, state } = openCache()
    await elsewhere.replaceAll(ACCOUNT, [templateOf('order')], NOON)
    for (const _ of [1, 2, 3]) assert.deepEqual(statusesOf(rightOf(await cache.find(ACCOUNT, 'order'))), ['approved'])
    for (const _ of [1, 2, 3]) assert.deepEqual(rightOf(await cache.find(ACCOUNT, 'unknown')), { templates: [], listedAt: NOON })
    assert.deepEqual(queries, ['order', 'unknown'])

    await elsewhere.replaceAll(ACCOUNT, [templateOf('order', 'paused')], NOON + 1)
    state.now += 2_000
    assert.deepEqual(statusesOf(rightOf(await cache.find(ACCOUNT, 'order'))), ['approved'])
    state.now += 1
    assert.deepEqual(statusesOf(rightOf(await cache.find(ACCOUNT, 'order'))), ['paused'])
    assert.deepEqual(queries, ['order', 'unknown', 'order'])
  })

  it('keeps names and accounts apart, whatever texts they are', async () => {
    const { cache, elsewhere } = openCache()
    await elsewhere.replaceAll('a b', [templateOf('c')], NOON)
    await elsewhere.replaceAll('a', [templateOf('b c', 'paused')], NOON)
    assert.deepEqual(statusesOf(rightOf(await cache.find('a b', 'c'))), ['approved'])
    assert.deepEqual(statusesOf(rightOf(await cache.find('a', 'b c'))), ['paused'])
    assert.deepEqual(statusesOf(rightOf(await cache.find('a b', '__proto__'))), [])
  })

  it('shares one query between finds at the same time', async () => {
    const { cache, elsewhere, queries } = openCache()
    await elsewhere.replaceAll(ACCOUNT, [templateOf('order'), templateOf('sale')], NOON)
    const found = await Promise.all(Array.from({ length: 500 }, (_, index) => cache.find(ACCOUNT, index % 2 === 0 ? 'order' : 'sale')))
    assert.isTrue(found.every((outcome) => statusesOf(rightOf(outcome))[0] === 'approved'))
    assert.deepEqual(queries, ['order', 'sale'])
  })

  it('forgets what it knows of an account at each of its own writes, and nothing of other accounts', async () => {
    const { cache, elsewhere, queries } = openCache()
    for (const account of [ACCOUNT, 'other']) await elsewhere.replaceAll(account, [templateOf('order')], NOON)
    const writes = [
      { status: 'paused', write: () => cache.change(ACCOUNT, { name: 'order', language: 'en', status: 'paused', at: NOON + 1 }) },
      { status: 'rejected', write: () => cache.replaceNamed(ACCOUNT, 'order', [templateOf('order', 'rejected')], NOON + 2) },
      { status: 'approved', write: () => cache.replaceAll(ACCOUNT, [templateOf('order', 'approved')], NOON + 3) },
    ]
    await cache.find('other', 'order')
    for (const { status, write } of writes) {
      await cache.find(ACCOUNT, 'order')
      await write()
      assert.deepEqual(statusesOf(rightOf(await cache.find(ACCOUNT, 'order'))), [status])
      await cache.find('other', 'order')
    }
    assert.lengthOf(queries, 2 + writes.length)
  })

  it('forgets a find that began before a write ended', async () => {
    const { cache, elsewhere, counting } = openCache()
    await elsewhere.replaceAll(ACCOUNT, [templateOf('order')], NOON)
    const before = await counting.find(ACCOUNT, 'order')
    let answer: (found: typeof before) => void = () => undefined
    const slow = makeTemplateCache({ ...counting, find: () => new Promise((resolve) => { answer = resolve }) })
    const found = slow.find(ACCOUNT, 'order')
    await slow.replaceAll(ACCOUNT, [templateOf('order', 'paused')], NOON + 1)
    answer(before)
    assert.deepEqual(statusesOf(rightOf(await found)), ['approved'])
    const again = slow.find(ACCOUNT, 'order')
    answer(await counting.find(ACCOUNT, 'order'))
    assert.deepEqual(statusesOf(rightOf(await again)), ['paused'])
    assert.deepEqual(statusesOf(rightOf(await cache.find(ACCOUNT, 'order'))), ['paused'])
  })

  it('forgets an account even if the write failed, because it may have been written', async () => {
    const { elsewhere, counting } = openCache()
    await elsewhere.replaceAll(ACCOUNT, [templateOf('order')], NOON)
    const lost = makeTemplateCache({
      ...counting,
      change: (account, change) =>
        andThen(elsewhere.change(account, change), async () => E.left(portFailure('TemplateCatalogue')('the answer is lost'))),
    })
    await lost.find(ACCOUNT, 'order')
    assert.isTrue(E.isLeft(await lost.change(ACCOUNT, { name: 'order', language: 'en', status: 'paused', at: NOON + 1 })))
    assert.deepEqual(statusesOf(rightOf(await lost.find(ACCOUNT, 'order'))), ['paused'])
  })

  it('keeps no failure', async () => {
    const { cache, elsewhere, queries, state } = openCache()
    await elsewhere.replaceAll(ACCOUNT, [templateOf('order')], NOON)
    state.isDown = true
    const failed = await Promise.all([cache.find(ACCOUNT, 'order'), cache.find(ACCOUNT, 'order')])
    assert.isTrue(failed.every(E.isLeft))
    state.isDown = false
    assert.deepEqual(statusesOf(rightOf(await cache.find(ACCOUNT, 'order'))), ['approved'])
    assert.lengthOf(queries, 2)
  })

  it('reads the names of an account once for all who ask, until a write or until they are two seconds old', async () => {
    const { elsewhere, counting, state } = openCache()
    let lists = 0
    const names: TemplateCatalogue['names'] = async (account) => {
      lists += 1
      return state.isDown ? E.left(portFailure('TemplateCatalogue')('down')) : elsewhere.names(account)
    }
    const cache = makeTemplateCache({ ...counting, names }, { now: () => state.now })
    const namesNow = async (): Promise<ReadonlyArray<string>> => rightOf(await cache.names(ACCOUNT))
    await cache.replaceAll(ACCOUNT, [templateOf('order')], NOON)
    const [first, ...others] = await Promise.all(Array.from({ length: 50 }, namesNow))
    // The same list, so that what is known of it can be remembered.
    assert.isTrue(others.every((other) => other === first))
    assert.equal(lists, 1)
    await cache.replaceAll(ACCOUNT, [templateOf('sale')], NOON + 1)
    assert.deepEqual(await namesNow(), ['sale'])
    await elsewhere.replaceAll(ACCOUNT, [templateOf('welcome')], NOON + 2)
    state.now += 2_001
    state.isDown = true
    assert.isTrue(E.isLeft(await cache.names(ACCOUNT)))
    state.isDown = false
    assert.deepEqual(await namesNow(), ['welcome'])
    assert.equal(lists, 4)
  })

  it('does not read the names again if the platform has no template of a name that is not among them, as after each wrong name', async () => {
    const { counting, state } = openCache()
    let lists = 0
    const names: TemplateCatalogue['names'] = (account) => {
      lists += 1
      return counting.names(account)
    }
    const cache = makeTemplateCache({ ...counting, names }, { now: () => state.now })
    await cache.replaceAll(ACCOUNT, [templateOf('order')], NOON)
    assert.deepEqual(rightOf(await cache.names(ACCOUNT)), ['order'])
    await cache.replaceNamed(ACCOUNT, 'ordr', [], NOON + 1)
    assert.deepEqual([rightOf(await cache.names(ACCOUNT)), lists], [['order'], 1])
    await cache.replaceNamed(ACCOUNT, 'sale', [templateOf('sale')], NOON + 2)
    assert.deepEqual([rightOf(await cache.names(ACCOUNT)), lists], [['order', 'sale'], 2])
    await cache.replaceNamed(ACCOUNT, 'order', [], NOON + 3)
    assert.deepEqual([rightOf(await cache.names(ACCOUNT)), lists], [['sale'], 3])
  })

  it('keeps a limited number of names', async () => {
    const { cache, queries } = openCache({ maxNames: 10 })
    const names = Array.from({ length: 11 }, (_, index) => `name_${index}`)
    for (const name of names) await cache.find(ACCOUNT, name)
    for (const name of names.slice(1)) await cache.find(ACCOUNT, name)
    assert.lengthOf(queries, 11)
    await cache.find(ACCOUNT, 'name_0')
    assert.lengthOf(queries, 12)
  })
})
