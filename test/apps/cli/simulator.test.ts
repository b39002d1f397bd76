import { spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { assert } from 'chai'
import { compiled } from '../../support/compiled.js'
import { makeCertificate } from '../../support/certificate.js'
import { listening } from '../../support/listening.js'
import { bareEnv, postern, posternProcess } from '../../support/postern.js'
import { startProgram } from '../../support/program.js'
import { makeScratch } from '../../support/scratch.js'
import { assertFailed } from './support.js'

describe('postern simulator', () => {
  it('prints its address, answers there, and ends with 0 on SIGTERM', async () => {
    const simulator = startProgram(process.execPath, [compiled('apps/cli/main.js'), 'simulator', '--port', '0'], bareEnv({}))
    try {
      const [url] = await simulator.logged(/http:\/\/127\.0\.0\.1:\d+/)
      assert.equal((await fetch(`${url}/_simulator/received`)).status, 200)
    } finally {
      simulator.signal('SIGTERM')
    }
    assert.equal(await simulator.ended, 0)
  })

  it('ends with the shell that npm started it in', async () => {
    const command = `"${process.execPath}" "${compiled('apps/cli/main.js')}" simulator --port 0 & echo $!; wait`
    const shell = spawn('sh', ['-c', command], { env: bareEnv({ npm_command: 'exec' }), stdio: ['ignore', 'pipe', 'inherit'] })
    // The simulator has the same output, so it is closed once both have ended.
    const ended = once(shell, 'close')
    const lines = on(createInterface(shell.stdout), 'line')
    const [simulator] = (await lines.next()).value as [string]
    try {
      assert.match(((await lines.next()).value as [string])[0], /^Simulator/)
      shell.kill('SIGTERM')
      await ended
    } finally {
      kill(Number(simulator))
    }
  })

  it('serves TLS with the certificate of two files', async () => {
    const scratch = await makeScratch()
    try {
      const { cert, certFile, keyFile } = await makeCertificate(scratch)
      const args = [compiled('apps/cli/main.js'), 'simulator', '--port', '0', '--tls-cert', certFile, '--tls-key', keyFile]
      const simulator = startProgram(process.execPath, args, bareEnv({}))
      try {
        const [url] = await simulator.logged(/https:\/\/127\.0\.0\.1:\d+/)
        const [response] = await once(get(`${url}/_simulator/received`, { ca: cert, agent: false }), 'response') as [IncomingMessage]
        response.resume()
        assert.equal(response.statusCode, 200)
      } finally {
        simulator.signal('SIGTERM')
      }
      assert.equal(await simulator.ended, 0)
    } finally {
      await scratch.remove()
    }
  })

  it('refuses a certificate without its key, and files that it cannot read', async () => {
    const alone = await postern(['simulator', '--port', '0', '--tls-cert', 'cert.pem'], {})
    assert.equal(alone.status, 1)
    assert.match(alone.stderr, /Give --tls-cert and --tls-key together/)
    const unreadable = await postern(['simulator', '--port', '0', '--tls-cert', '/none.pem', '--tls-key', '/none.pem'], {})
    assert.equal(unreadable.status, 1)
    assert.match(unreadable.stderr, /\/none\.pem cannot be read/)
  })

  it('says in one sentence that it cannot listen, and that a certificate is invalid', async () => {
    const scratch = await makeScratch()
    await using occupant = await listening(createServer())
    try {
      const sentence = async (...args: ReadonlyArray<string>): Promise<string> => {
        const ended = await posternProcess(['simulator', ...args], {})
        assertFailed(ended, 1, /./)
        return ended.stderr
      }
      assert.equal(await sentence('--port', String(occupant.port)), `postern: Port ${occupant.port} on 127.0.0.1 is already in use; choose another port.\n`)
      assert.equal(await sentence('--port', '0', '--host', '203.0.113.9'), 'postern: This machine has no address 203.0.113.9; set --host to one of its addresses.\n')
      await writeFile(scratch.path('letter.pem'), 'Dear sir or madam')
      assert.match(
        await sentence('--port', '0', '--tls-cert', scratch.path('letter.pem'), '--tls-key', scratch.path('letter.pem')),
        /not a certificate and its key in PEM/,
      )
    } finally {
      await scratch.remove()
    }
  })

  it('refuses an invalid port, and a webhook without its two variables', async () => {
    assert.equal((await postern(['simulator', '--port', '99999'], {})).status, 2)
    const { status, stderr } = await postern(['simulator', '--port', '0', '--webhook', 'http://127.0.0.1:1/'], {})
    assert.equal(status, 1)
    assert.match(stderr, /PLATFORM_APP_SECRET and PLATFORM_VERIFY_TOKEN/)
    assert.match((await postern(['simulator', '--help'], {})).stdout, /PLATFORM_APP_SECRET\s+and\s+PLATFORM_VERIFY_TOKEN/)
  })
})

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
