import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { h, type VNode } from 'preact'
import { makeThrottle, throttled } from '../../../adapters/console/limits.js'
import { makeLiveParts } from '../../../adapters/console/live.js'
import type { Watcher } from '../../../core/access/member-use-cases.js'
import { sessionIdOf } from '../../../core/access/members.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import { eventually } from '../../support/eventually.js'

const UUID = '0199c3a8-7c2e-7b1f-9d5a-4e6b8c0d2f41'
const watcher: Watcher = {
  session: sessionIdOf(UUID), isOperator: false, workspace: workspaceIdOf(UUID), role: 'viewer', isArchived: false,
}

describe('a throttle', () => {
  it('runs one piece of work after another, and gives to each its result', async () => {
    const throttle = makeThrottle(0.5)
    let running = 0
    let most = 0
    const results = await Promise.all([1, 2, 3].map((result) => throttle(async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => { setTimeout(resolve, 1) })
      running -= 1
      return result
    })))
    assert.deepEqual(results, [1, 2, 3])
    assert.equal(most, 1)
  })

  it('goes on after a piece that failed', async () => {
    const throttle = makeThrottle(1)
    const failed = throttle(() => Promise.reject(new Error('no')))
    assert.equal(await throttle(async () => 'yes'), 'yes')
    assert.instanceOf(await failed.catch((error: unknown) => error), Error)
  })

  it('lets two downloads take turns', async () => {
    const throttle = makeThrottle(1)
    const made: string[] = []
    async function* download(name: string): AsyncGenerator<string> {
      for (let part = 1; part <= 3; part += 1) {
        made.push(name)
        yield name
      }
    }
    const take = async (name: string): Promise<void> => {
      for await (const part of throttled(download(name), throttle)) assert.equal(part, name)
    }
    await Promise.all([take('a'), take('b')])
    assert.deepEqual(made, ['a', 'b', 'a', 'b', 'a', 'b'])
  })

  it('ends a download that is not taken to its end', async () => {
    let hasEnded = false
    async function* download(): AsyncGenerator<string> {
      try {
        for (;;) yield 'more'
      } finally {
        hasEnded = true
      }
    }
    for await (const part of throttled(download(), makeThrottle(1))) {
      assert.equal(part, 'more')
      break
    }
    assert.isTrue(hasEnded)
  })
})

describe('a live part', () => {
  it('is read and rendered once for all who watch it', async () => {
    const live = makeLiveParts(async () => E.right(new Set()))
    let [reads, renders] = [0, 0]
    const Part = (_: object): VNode => {
      renders += 1
      return h('p', {}, 'now')
    }
    const received = Array.from({ length: 50 }, () => '')
    const streams = received.map((_, index) => {
      const stream = live.watch({ watcher, key: 'one', everyMs: 60_000, read: async () => {
        reads += 1
        return E.right(h(Part, {}))
      } }, undefined)
      stream.on('data', (chunk: Buffer) => { received[index] = `${received[index] ?? ''}${chunk.toString()}` })
      return stream
    })
    await eventually('all to be shown', () => (received.every((text) => text.includes('data: <p>now</p>')) ? true : undefined))
    assert.deepEqual([reads, renders], [1, 1])
    live.close()
    for (const stream of streams) stream.destroy()
  })

  it('is read one after another with all others', async () => {
    const live = makeLiveParts(async () => E.right(new Set()))
    let [reading, most, reads] = [0, 0, 0]
    const streams = Array.from({ length: 10 }, (_, index) => live.watch({ watcher, key: String(index), read: async () => {
      reading += 1
      most = Math.max(most, reading)
      await new Promise((resolve) => { setTimeout(resolve, 1) })
      reading -= 1
      reads += 1
      return E.right(h('p', {}, 'now'))
    } }, undefined))
    await eventually('every part to be read', () => (reads >= 10 ? true : undefined))
    assert.equal(most, 1)
    live.close()
    for (const stream of streams) stream.destroy()
  })
})
