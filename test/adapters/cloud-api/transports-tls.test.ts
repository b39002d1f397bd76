import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createSecureServer } from 'node:http2'
import { createServer } from 'node:https'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { assert } from 'chai'
import { makeGotTransport } from '../../../adapters/cloud-api/got-transport.js'
import { makeUndiciTransport } from '../../../adapters/cloud-api/undici-transport.js'
import { listening, withBody } from '../../support/listening.js'
import { bareEnv } from '../../support/postern.js'
import { makeScratch, type Scratch } from '../../support/scratch.js'
import { SECRET, to } from './each-transport.js'
import { untrustedCertificate } from './untrusted-certificate.js'

const sendTwice = fileURLToPath(new URL('send-twice.ts', import.meta.url))

describe('over TLS, to a server whose certificate is trusted', () => {
  let scratch: Scratch
  before(async () => {
    scratch = await makeScratch()
    await writeFile(scratch.path('trusted.pem'), untrustedCertificate.cert)
  })
  after(() => scratch.remove())

  for (const name of ['got', 'undici']) {
    it(`the ${name} transport sends as it does without, and twice over one connection`, async () => {
      const arrived: unknown[] = []
      let connections = 0
      const server = createServer(untrustedCertificate, withBody((body, { method, url: path, headers: { authorization } }, response) => {
        arrived.push({ method, path, authorization, body: body.toString() })
        response.end(`answer ${arrived.length}`)
      }))
      server.on('secureConnection', () => { connections += 1 })
      await using secure = await listening(server)
      const env = bareEnv({ NODE_EXTRA_CA_CERTS: scratch.path('trusted.pem') })
      const { stdout } = await promisify(execFile)(
        process.execPath, ['--import=tsx', sendTwice, name, secure.url], { env, timeout: 20_000 },
      )
      assert.deepEqual(JSON.parse(stdout), ['answer 1', 'answer 2'])
      const { method, path, body } = to(secure.url)
      const request = { method, path, authorization: `Bearer ${SECRET}`, body }
      assert.deepEqual(arrived, [request, request])
      assert.equal(connections, 1)
    })
  }
})

describe('over TLS, to a server that offers HTTP/2 and HTTP/1.1', () => {
  for (const [name, makeTransport] of [['got', makeGotTransport], ['undici', makeUndiciTransport]] as const) {
    it(`the ${name} transport sends and downloads over HTTP/1.1`, async () => {
      const versions: string[] = []
      await using secure = await listening(createSecureServer({ ...untrustedCertificate, allowHTTP1: true }, (request, response) => {
        versions.push(`${request.method} over ${request.httpVersion}`)
        request.resume().on('end', () => { response.end('{}') })
      }))
      const origin = secure.url
      const transport = makeTransport({ ca: untrustedCertificate.cert })
      try {
        assert.equal((await transport.send(to(origin)))._tag, 'Answered')
        const opened = await transport.download({
          origin, path: '/x', headers: {}, timeoutMs: 5_000, maxBytes: 1_000, idleMs: 5_000, totalMs: 5_000,
        })
        assert.equal(opened._tag, 'Opened')
        if (opened._tag === 'Opened') opened.close()
        assert.deepEqual(versions, ['POST over 1.1', 'GET over 1.1'])
      } finally {
        await transport.close()
      }
    })
  }
})
