import { assert } from 'chai'
import { type ConnectionPlacesOptions, makeConnectionPlaces } from '../../../adapters/webhooks/webhook-sender.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { eventually } from '../../support/eventually.js'

const settled = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve) })
const times = (count: number, name: string): ReadonlyArray<string> => Array.from({ length: count }, () => name)

describe('Places for connections', () => {
  let closing = new AbortController()
  beforeEach(() => { closing = new AbortController() })
  afterEach(() => closing.abort())

  /** Takes places for uses such as `a1`, endpoint 1 of workspace a, at the host of that name unless another is given. */
  const openPlaces = (options: Partial<ConnectionPlacesOptions> = {}) => {
    const places = makeConnectionPlaces({ places: 10, placesPerHost: 10, waitMs: 60_000, ...options })
    const begun: string[] = []
    const ends: Array<() => void> = []
    const take = async (name: string, host = name, signal = closing.signal): Promise<boolean> => {
      const giveBack = await places.take({ workspace: name.slice(0, 1) as WorkspaceId, url: `https://${name}`, host }, signal)
      if (giveBack === undefined) return false
      begun.push(name)
      ends.push(giveBack)
      return true
    }
    return { begun, ends, take, all: (names: ReadonlyArray<string>, host?: string) => { for (const name of names) take(name, host).catch(() => undefined) } }
  }

  it('are not all taken by one workspace, and the next ones of another are free at once', async () => {
    const { begun, all } = openPlaces()
    all(times(20, 'a1'))
    await settled()
    assert.deepEqual(begun, times(8, 'a1'))
    all(times(3, 'b1'))
    await settled()
    assert.deepEqual(begun, [...times(8, 'a1'), 'b1'])
    all(times(3, 'c1'))
    await settled()
    assert.deepEqual(begun, [...times(8, 'a1'), 'b1', 'c1'])
  })

  it('come to those who have fewer, as they are given back', async () => {
    const { begun, ends, all } = openPlaces()
    all(times(20, 'a1'))
    all(times(3, 'b1'))
    await settled()
    for (const end of ends.slice(0, 3)) end()
    await settled()
    assert.deepEqual(begun.slice(9), ['b1', 'b1'])
  })

  it('come to the endpoints of a workspace in turns', async () => {
    const { begun, ends, all } = openPlaces()
    all(times(8, 'a1'))
    all(['a1', 'a1', 'a1', 'a2', 'a3', 'a2'])
    await settled()
    assert.lengthOf(begun, 8)
    for (let at = 0; at < 6; at += 1) {
      ends[at]?.()
      await settled()
    }
    assert.deepEqual(begun.slice(8), ['a1', 'a2', 'a3', 'a1', 'a2', 'a1'])
  })

  it('at a host are shared, too, and those who wait for it delay no other host', async () => {
    const { begun, all } = openPlaces({ places: 100, placesPerHost: 5 })
    all(times(10, 'a1'), 'hooks.example:443')
    all(['a2', 'b1'], 'hooks.example:443')
    all(['a3'])
    await settled()
    assert.deepEqual(begun, ['a1', 'a1', 'a1', 'a1', 'b1', 'a3'])
  })

  it('come to an end of waiting', async () => {
    const { take, begun } = openPlaces({ places: 1, waitMs: 1 })
    assert.deepEqual([await take('a1'), await take('b1')], [true, false])
    assert.deepEqual(begun, ['a1'])
  })

  it('are not waited for by more than may', async () => {
    const { take, ends, begun } = openPlaces({ places: 1 })
    await take('a1')
    const waiting = Array.from({ length: 9 }, () => take('a1'))
    assert.isFalse(await waiting[8])
    const other = take('b1')
    assert.isFalse(await waiting[7], 'one of the workspace with the most makes room')
    for (let at = 0; at < 9; at += 1) {
      await eventually('the next', () => (ends.length > at ? true : undefined))
      ends[at]?.()
      ends[at]?.()
    }
    assert.isTrue(await other)
    assert.deepEqual(begun.toSorted(), [...times(8, 'a1'), 'b1'])
  })

  it('are not waited for once the call is given up', async () => {
    const { take, ends, begun } = openPlaces({ places: 1 })
    await take('a1')
    const [controller, reason] = [new AbortController(), new Error('stopping')]
    const given = take('b1', 'b1', controller.signal).catch((error: unknown) => error)
    controller.abort(reason)
    assert.equal(await given, reason)
    assert.equal(await take('c1', 'c1', controller.signal).catch((error: unknown) => error), reason)
    ends[0]?.()
    assert.isTrue(await take('d1'))
    assert.deepEqual(begun, ['a1', 'd1'])
  })
})
