import { assert } from 'chai'
import type { Log } from '../../../adapters/koa/index.js'
import { logRefusedSends } from '../../../apps/server/log-throttle.js'

const open = () => {
  const lines: Array<readonly [string, unknown]> = []
  let now = 1_000_000
  const log: Log = logRefusedSends((_, event, { count }) => lines.push([event, count]), () => now)
  const refuse = (message: string): void => log('warn', 'platform_unreachable', { request_id: 'r', cause: { type: 'Error', message } })
  return { lines, log, refuse, later: (ms: number) => { now += ms } }
}

describe('The log of refused sends', () => {
  it('has the first one at once, and then one line a second with their number', () => {
    const { lines, refuse, later } = open()
    for (let sends = 0; sends < 5_000; sends += 1) refuse(`None of ${sends} calls ended`)
    assert.deepEqual(lines, [['platform_unreachable', 1]])
    later(1_000)
    refuse('None of 7 calls ended')
    assert.deepEqual(lines.slice(1), [['platform_unreachable', 5_000]])
  })

  it('counts each cause for itself', () => {
    const { lines, refuse } = open()
    for (const message of ['None of 512 calls ended', 'ECONNREFUSED: connect', 'ECONNREFUSED: connect']) refuse(message)
    assert.deepEqual(lines, [['platform_unreachable', 1], ['platform_unreachable', 1]])
  })

  it('passes every other event on', () => {
    const { lines, log } = open()
    for (let requests = 0; requests < 3; requests += 1) log('info', 'request', {})
    assert.lengthOf(lines, 3)
  })
})
