import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { assert } from 'chai'
import { compiled } from '../../support/compiled.js'
import { eventually } from '../../support/eventually.js'
import { bareEnv } from '../../support/postern.js'
import { makeScratch, type Scratch } from '../../support/scratch.js'

describe('The demonstration', function () {
  // Processes start slowly on a busy machine.
  this.timeout(60_000)

  let scratch: Scratch
  beforeEach(async () => { scratch = await makeScratch() })
  afterEach(() => scratch.remove())

  const perform = (...args: ReadonlyArray<string>) => {
    const child = spawn(process.execPath, [compiled('apps/demo/main.js'), ...args], { env: bareEnv({ TMPDIR: scratch.path('') }), stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => { output += chunk.toString() })
    child.stderr.on('data', (chunk: Buffer) => { output += chunk.toString() })
    return { child, output: () => output, ended: once(child, 'close') }
  }

  it('shows every step with --once, leaves with 0 and leaves nothing behind', async () => {
    const { output, ended } = perform('--once')
    assert.deepEqual(await ended, [0, null], output())
    const text = output()
    for (const code of ['window_closed', 'insufficient_balance', 'unauthenticated']) assert.include(text, `"code":"${code}"`)
    assert.include(text, '"shortfall":"0.025900"')
    // Five messages that went, and a message that was marked as read.
    assert.lengthOf(text.match(/"status":"success"/g) ?? [], 6)
    assert.match(text, /"type":"message\.received".*"content":\{"body":"Where is my order\?"\}/)
    for (const type of ['wallet.topped_up', 'wallet.exhausted', 'key.minted', 'key.revoked', 'message.accepted', 'message.delivered', 'window.opened']) {
      assert.match(text, new RegExp(`^\\S+  ${type.replace('.', '\\.')} +evt_`, 'm'))
    }
    assert.isAtLeast((text.match(/^\$ curl -sS /gm) ?? []).length, 10)
    assert.include(text, 'Every reply was the expected one.')
    assert.notInclude(text, '\u001b')
    assert.deepEqual(await readdir(scratch.path('')), [])
  })

  it('stays up for its lines to be pasted, until it is interrupted', async () => {
    const { child, output, ended } = perform()
    try {
      await eventually('the end of the story', () => output().includes('Ctrl-C ends it') || undefined)
      const url = /curl -sS (http\S+\/v1\/wallet) -H 'Authorization: (Bearer \S+)'/.exec(output())
      const reply = await fetch(url?.[1] ?? '', { headers: { Authorization: url?.[2] ?? '' } })
      assert.equal(reply.status, 200)
      const simulator = /a stand-in for the platform at (\S+)\.$/m.exec(output())?.[1] ?? ''
      const written = await fetch(`${simulator}/_simulator/customers/33639980002/messages`, { method: 'POST', body: '{"text":"Is it open?"}' })
      assert.equal(written.status, 200)
      await eventually('an answer to the customer', () => /"to":"33639980002","text":"We have your message[^]*"status":"success"/.test(output()) || undefined)
    } finally {
      child.kill('SIGINT')
    }
    assert.deepEqual(await ended, [0, null])
    assert.deepEqual(await readdir(scratch.path('')), [])
  })
})
