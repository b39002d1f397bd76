import { assert } from 'chai'
import { sorted, sortingIn } from '../../../adapters/console/sorting.js'

type Item = { readonly name: string; readonly at?: number }

const ITEMS: ReadonlyArray<Item> = [{ name: 'b', at: 2 }, { name: 'Ä' }, { name: 'c', at: 1 }, { name: 'a', at: 3 }]
const ORDERS = { name: ({ name }: Item) => name, at: ({ at }: Item) => at }
const sortingOf = (query: string) => sortingIn('/list', new URLSearchParams(query), Object.keys(ORDERS), [['of', 'x']])
const inOrder = (query: string) => sorted(ITEMS, sortingOf(query), ORDERS).map(({ name }) => name)

describe('The order of a short list', () => {
  it('is that of the address, with missing values last in both directions', () => {
    assert.deepEqual(inOrder('sort=name'), ['a', 'Ä', 'b', 'c'])
    assert.deepEqual(inOrder('sort=-name'), ['c', 'b', 'Ä', 'a'])
    assert.deepEqual(inOrder('sort=at'), ['c', 'b', 'a', 'Ä'])
    assert.deepEqual(inOrder('sort=-at'), ['a', 'b', 'c', 'Ä'])
  })

  it('is the given one without a known column', () => {
    for (const query of ['', 'sort=', 'sort=price', 'sort=--name', 'sort=constructor']) {
      assert.deepEqual(inOrder(query), ['b', 'Ä', 'c', 'a'], query)
      assert.equal(sortingOf(query).here, '/list')
    }
  })

  it('is reversed by a second click on its column, and kept in the address', () => {
    assert.equal(sortingOf('').addressOf('name'), '/list?of=x&sort=name')
    assert.equal(sortingOf('sort=name').addressOf('name'), '/list?of=x&sort=-name')
    assert.equal(sortingOf('sort=-name').addressOf('name'), '/list?of=x&sort=name')
    assert.equal(sortingOf('sort=-name').addressOf('at'), '/list?of=x&sort=at')
    assert.equal(sortingOf('sort=-name').here, '/list?sort=-name')
  })
})
