import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { assert } from 'chai'
import { compiled } from '../../support/compiled.js'
import { bareEnv, postern } from '../../support/postern.js'

describe('postern simulator', function () {
  // Processes start slowly on a busy machine.
  this.timeout(60_000)

  it('prints its address, answers there, and ends with 0 on SIGTERM', async () => {
    const child = spawn(process.execPath, [compiled('apps/cli/main.js'), 'simulator', '--port', '0'], { env: bareEnv({}), stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'close')
    try {
      const [line] = await once(createInterface(child.stdout), 'line') as [string]
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? ''
      assert.equal((await fetch(`${url}/_simulator/received`)).status, 200)
    } finally {
      child.kill('SIGTERM')
    }
    assert.deepEqual(await ended, [0, null])
  })

  it('refuses a port that is none, and a webhook without its two variables', async () => {
    assert.equal((await postern(['simulator', '--port', '99999'], {})).status, 2)
    const { status, stderr } = await postern(['simulator', '--port', '0', '--webhook', 'http://127.0.0.1:1/'], {})
    assert.equal(status, 1)
    assert.match(stderr, /PLATFORM_APP_SECRET and PLATFORM_VERIFY_TOKEN/)
    assert.match((await postern(['simulator', '--help'], {})).stdout, /PLATFORM_APP_SECRET\s+and\s+PLATFORM_VERIFY_TOKEN/)
  })
})
