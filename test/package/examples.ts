import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { assert } from 'chai'
import { ROOT } from '../architecture/tree.js'
import { listening } from '../support/listening.js'
import type { Installed, Outcome } from './install.js'
import { installed } from './installed.js'

/** The packages that the examples, their type check and their runners need besides Postern and its dependencies. */
const OWN = [
  'better-sqlite3', 'express', '@types/express', 'mocha', 'vitest', 'typescript', '@types/better-sqlite3', '@types/mocha', '@types/node',
  '@opentelemetry/api', '@opentelemetry/context-async-hooks', '@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/sdk-trace-base',
]

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2022', module: 'nodenext', strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true, skipLibCheck: false, noEmitOnError: true, rootDir: 'examples', outDir: 'out', types: ['node', 'mocha'],
  },
  include: ['examples'],
  // vitest's own declarations need libraries of a browser, and the simulator is not published; both are checked with this repository.
  exclude: ['examples/window-clock/vitest.test.ts', 'examples/simulator.ts'],
}

describe('the examples, with the packed package installed', function () {
  this.timeout(180_000)

  let pack: Installed
  const run = (name: string, env?: Readonly<Record<string, string>>): Promise<Outcome> =>
    pack.node(['--no-warnings', join('out', name.includes('.') ? name : `${name}.js`)], env)
  const printed = async (name: string, env?: Readonly<Record<string, string>>): Promise<ReadonlyArray<string>> => {
    const { status, stdout, stderr } = await run(name, env)
    assert.equal(status, 0, stderr)
    return stdout.trimEnd().split('\n')
  }
  const tool = (path: string, ...args: ReadonlyArray<string>): Promise<Outcome> =>
    pack.node([join(ROOT, 'node_modules', path), ...args], { NO_COLOR: '1', CI: 'true' })

  before(async () => {
    pack = await installed()
    await pack.add(...OWN)
    await cp(join(ROOT, 'docs/examples'), join(pack.app, 'examples'), { recursive: true })
    await writeFile(join(pack.app, 'tsconfig.json'), JSON.stringify(TSCONFIG))
    const { status, stdout } = await tool('typescript/bin/tsc', '-p', '.')
    assert.equal(status, 0, stdout)
    await cp(join(ROOT, 'docs/examples/window-clock/vitest.test.ts'), join(pack.app, 'out/window-clock/vitest.test.ts'))
  })

  after(async () => {
    await Promise.all(['examples', 'out', 'tsconfig.json'].map((name) => rm(join(pack.app, name), { recursive: true, force: true })))
  })

  describe('are programs:', () => {
    it('a text is sent without a container in fifteen lines', async () => {
      assert.deepEqual(await printed('send-text'), ['sent as wamid.sandbox.1'])
      const lines = (await readFile(join(ROOT, 'docs/examples/send-text.ts'), 'utf8')).split('\n').filter((line) => line.trim() !== '')
      assert.isAtMost(lines.length, 15)
    })

    it('a template is sent from CommonJS', async () => {
      assert.deepEqual(await printed('common-js.cjs'), ['sent as wamid.sandbox.1'])
    })

    it('a text goes over another network, whose report moves it', async () => {
      assert.deepEqual(await printed('send-sms'), ['the network got 33639980001 Your code is 1234', 'sms-1 delivered', '9970000n 0n'])
    })

    it('events go to a sink of the app, and the gateway stops when its calls have ended', async () => {
      assert.deepEqual(await printed('event-sink'), ["Right [ 'accepted', '0.030000' ]"])
    })

    it('a template is sent out of a container with a wallet of the app', async () => {
      assert.deepEqual(await printed('with-inversify'), ['sent as wamid.sandbox.1'])
    })

    it('each act names who acts, and is noted', async () => {
      assert.deepEqual(await printed('who-acts'), ['Forbidden', 'key.mint refused member', 'workspace.create done system'])
    })

    it('a storage is kept up by one call', async () => {
      assert.deepEqual(await printed('upkeep'), ['retention_run { messages: 0, customers: 0, windows: 1 }'])
    })

    it('the HTTP app is mounted under a prefix beside other routes', async () => {
      assert.deepEqual(await printed('mount-http-app'), [
        "/orders 200 the shop's own /orders",
        '/messaging/v1/wallet 200 {"currency":"USD","available":"10.000000","held":"0.000000",'
          + '"scheduled":{"next_24_h":"0.000000","all":"0.000000"}}',
        '/messaging/health/live 200 {"status":"ok"}',
        '/messaging/v1/messages/msg_0 404 {"status":"error","message":"No message can have this id: the id of a message is msg_… or the id of the platform, such as wamid.…, URL-encoded",'
          + '"code":"not_found","doc_url":"/messaging/errors/not_found","retry":{"when":"changed"}}',
        "/v1/wallet 200 the shop's own /v1/wallet",
      ])
    })

    it('a gateway of one call answers over HTTP, and stops after its server', async () => {
      assert.deepEqual(await printed('gateway-over-http'), ['200 {"status":"success","message_id":"wamid.sandbox.1"}', 'stopped'])
    })

    it('the HTTP app is a plain request listener', async () => {
      assert.deepEqual(await printed('request-listener'), ['200 {"status":"success","message_id":"wamid.sandbox.1"}'])
    })

    it('notifications are received with Express, and a text is checked before it is sent', async () => {
      assert.deepEqual(await printed('express-app'), [
        '123 200 401', '400 text must be a string of 1 to 4096 characters', '409 WindowClosed',
      ])
    })

    it('messages are paid out of tables of the app', async () => {
      assert.deepEqual(await printed('own-billing'), [
        'order_update sent',
        'order_shipped InsufficientBalance',
        "[ { state: 'captured', micros: 30000n } ] { available: 20000n, held: 0n }",
      ])
    })

    it('users who share one number pay for their own messages, and a message that failed is refunded to the one who paid', async () => {
      assert.deepEqual(await printed('shared-number'), [
        "[ 'wamid.sandbox.1', 'wamid.sandbox.2', 'wamid.sandbox.2' ]",
        "[ { id: 'ann', available: 70000n }, { id: 'bob', available: 70000n } ]",
        "[ { id: 'ann', available: 100000n }, { id: 'bob', available: 70000n } ]",
      ])
    })

    it('a template goes to the platform over HTTP, and the books are in a database', async () => {
      const asked: string[] = []
      await using platform = await listening(createServer((request, response) => {
        asked.push(`${request.method ?? ''} ${request.url ?? ''} ${request.headers.authorization ?? ''}`)
        request.resume()
        response.setHeader('Content-Type', 'application/json').end('{"messages":[{"id":"wamid.loopback"}]}')
      }))
      const file = join(pack.app, 'messages.db')
      try {
        const lines = await printed('real-platform', {
          PLATFORM_URL: platform.url, ACCESS_TOKEN: 'token',
          DATABASE_URL: `sqlite:${file}`, POSTERN_SECRET: 'a-secret-of-examples-that-is-long-enough',
        })
        assert.equal(lines[0], 'sent as wamid.loopback')
        assert.include(lines.join(' '), 'available: 24937500n, held: 0n')
        assert.deepEqual(asked, ['POST /v25.0/1000001/messages Bearer token'])
      } finally {
        await Promise.all(['', '-wal', '-shm'].map((suffix) => rm(`${file}${suffix}`, { force: true })))
      }
    })
  })

  describe('prove themselves by the laws:', () => {
    /** Runs laws under node:test, fails if one is broken, and returns the number of laws. */
    const kept = async (name: string): Promise<number> => {
      const { status, stdout, stderr } = await pack.node(['--test-reporter=tap', join('out', `${name}.js`)])
      assert.equal(status, 0, stdout + stderr)
      return Number(/^# pass (\d+)$/m.exec(stdout)?.[1])
    }

    it("an app's own wallet", async () => {
      const { walletLaws } = await import('../laws/index.js')
      assert.equal(await kept('billing-wallet.laws'), walletLaws.length)
    })

    it('a wallet of users who share one number', async () => {
      const { walletLaws } = await import('../laws/index.js')
      assert.equal(await kept('user-wallet.laws'), walletLaws.length)
    })

    it('a platform of another network, for what it carries', async () => {
      const { platformLawsFor } = await import('../laws/index.js')
      assert.equal(await kept('sms-platform.laws'), platformLawsFor({ carries: ['text'] }).length)
    })

    it('five ports over the SQLite of Node.js, which know the published package alone', async () => {
      const laws = await import('../laws/index.js')
      const { messageLog, senders, wallet, windowClock } = laws.lawsFor('sending')
      const more = [
        laws.keyStoreLaws, laws.keyStoreAtRestLaws, laws.messageLogAtRestLaws, laws.senderHealthLaws, laws.sendersAtRestLaws,
        laws.spendingLimitLaws,
      ]
      const lists = [messageLog, senders, wallet, windowClock, ...more]
      assert.equal(await kept('sqlite-storage.laws'), lists.flat().length)
      const text = await readFile(join(ROOT, 'docs/examples/sqlite-storage.ts'), 'utf8')
      const imports = Array.from(text.matchAll(/ from '([^']+)'/g), ([, from]) => from ?? '')
      assert.deepEqual(imports.filter((from) => !/^(postern|fp-ts\/lib\/\w+\.js|node:\w+)$/.test(from)), [])
      assert.isAtMost(text.trimEnd().split('\n').length, 300)
    })
  })

  describe('run the same laws', () => {
    const RUNNERS: Readonly<Record<string, () => Promise<Outcome>>> = {
      'node:test': () => pack.node(['--test-reporter=tap', 'out/window-clock/node.test.js']),
      mocha: () => tool('mocha/bin/mocha.js', 'out/window-clock/mocha.test.js'),
      vitest: () => tool('vitest/vitest.mjs', 'run', 'out/window-clock/vitest.test.ts', '--reporter=verbose'),
    }
    const LAW = 'an earlier inbound message, or the same again, changes nothing'

    const SENTENCE = /a late duplicate never moves the moment back: expected \{"_tag":"Some","value":\d+\}, saw \{"_tag":"Some","value":\d+\}/
    const DIFFERENCE = /a late duplicate never moves the moment back\s+\+ expected - actual[^+]+-\s+"value": \d+\s+\+\s+"value": \d+/

    for (const [name, laws] of Object.entries(RUNNERS)) {
      it(`under ${name}, and all are kept`, async () => {
        const { windowClockLaws } = await import('../laws/index.js')
        const { status, stdout, stderr } = await laws()
        assert.equal(status, 0, stdout + stderr)
        for (const law of windowClockLaws) assert.include(stdout, law.name)
      })

      it(`under ${name}, and a broken one is reported with its promise and what was seen`, async () => {
        const path = join(pack.app, 'out/window-clock/store-window-clock.js')
        const sound = await readFile(path, 'utf8')
        try {
          await writeFile(path, sound.replace('markInbound(markIn(before), at, statedAt)', '{ lastInbound: at }'))
          const { status, stdout, stderr } = await laws()
          assert.notEqual(status, 0)
          assert.include(stdout, LAW)
          // mocha shows the difference between what was expected and seen; the others print the law's message.
          assert.match(stdout + stderr, name === 'mocha' ? DIFFERENCE : SENTENCE)
        } finally {
          await writeFile(path, sound)
        }
      })
    }
  })
})
