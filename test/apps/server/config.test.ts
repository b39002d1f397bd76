import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { type Config, type Env, readConfig, strangeVariables } from '../../../apps/server/config.js'
import { workersFor } from '../../../apps/server/worker-count.js'

const read = (env: Env): Config => {
  const config = readConfig(env)
  if (E.isLeft(config)) throw new Error(config.left.join('\n'))
  return config.right
}

const faultsOf = (env: Env): ReadonlyArray<string> => {
  const config = readConfig(env)
  return E.isLeft(config) ? config.left : []
}

const DEFAULTS: Config = {
  databaseUrl: 'sqlite:./postern.db',
  migrate: true,
  workers: 1,
  http: {
    host: '127.0.0.1', port: 3000, metricsPort: undefined, shutdownTimeoutMs: 30_000,
    maxConnections: 16_384, bodyMemoryBytes: 64 * 1024 * 1024, rateLimitPerSecond: 2_000, trustedProxies: [],
  },
  platform: {
    url: 'https://graph.facebook.com', version: 'v25.0', timeoutMs: 10_000, transport: 'undici',
    maxInFlight: 10_000, maxWaiting: 10_000, maxWaitMs: 5_000, verifyToken: undefined, appSecret: undefined,
  },
  secret: undefined,
  rateCard: undefined,
  templatePreflight: 'on',
  pairLimit: { intervalMs: 6_000, burst: 45 },
  senderLimit: 80,
  portfolioLimit: 'on',
  heldStartMs: 3_600_000,
  templateSyncMs: 900_000,
  events: { brokerUrl: undefined, allow: [], retentionMs: 2_592_000_000, content: 'on' },
  retentionMs: undefined,
  content: undefined,
  batchContentRetentionMs: 604_800_000,
  requestLog: 'on',
  limits: { unconfirmedAfterMs: 120_000, releaseAfterMs: 604_800_000 },
  reconcileEveryMs: 30_000,
  console: { isServed: true, publicUrl: undefined },
  mail: undefined,
  oidc: undefined,
  traces: false,
  logLevel: 'info',
}

/** Variable, values it takes and what they become, values it refuses. */
const VARIABLES: ReadonlyArray<readonly [
  string, ReadonlyArray<readonly [string, (config: Config) => unknown, unknown]>, ReadonlyArray<string>,
]> = [
  ['DATABASE_URL', [
    ['sqlite:/data/p.db', (c) => c.databaseUrl, 'sqlite:/data/p.db'],
    ['mysql://u:p@h/d', (c) => c.databaseUrl, 'mysql://u:p@h/d'],
    ['postgres://h/d', (c) => c.databaseUrl, 'postgres://h/d'],
    ['postgres://u:p@g,h:5433/d?target_session_attrs=read-write', (c) => c.databaseUrl, 'postgres://u:p@g,h:5433/d?target_session_attrs=read-write'],
  ], ['sqlite:', 'oracle://h', 'postern.db', ' ']],
  ['MESSAGE_CONTENT', [['off', (c) => c.content, undefined]], ['on', 'yes']],
  ['MESSAGE_CONTENT_DAYS', [['90', (c) => c.content, undefined]], ['0', '3651', 'ever']],
  ['BATCH_CONTENT_DAYS', [['1', (c) => c.batchContentRetentionMs, 86_400_000]], ['0', '3651', 'ever']],
  ['REQUEST_LOG', [['off', (c) => c.requestLog, 'off'], ['on', (c) => c.requestLog, 'on']], ['no', '7']],
  ['MIGRATE', [['off', (c) => c.migrate, false], ['on', (c) => c.migrate, true]], ['no', 'false', 'OFF']],
  ['WORKERS', [['4', (c) => c.workers, 4], ['auto', (c) => c.workers, 1]], ['0', '-1', '1.5', 'all', '257']],
  ['HOST', [['0.0.0.0', (c) => c.http.host, '0.0.0.0'], ['::1', (c) => c.http.host, '::1']], ['http://x', 'a b']],
  ['PORT', [['0', (c) => c.http.port, 0], ['65535', (c) => c.http.port, 65_535]], ['65536', '-1', '80a', '3e3', '0x50', ' 80', '１２']],
  ['METRICS_PORT', [['9090', (c) => c.http.metricsPort, 9_090]], ['x', '70000']],
  ['SHUTDOWN_TIMEOUT_MS', [['0', (c) => c.http.shutdownTimeoutMs, 0]], ['soon', '-5']],
  ['MAX_CONNECTIONS', [['1000', (c) => c.http.maxConnections, 1_000]], ['0', 'all']],
  ['BODY_MEMORY_MIB', [['256', (c) => c.http.bodyMemoryBytes, 268_435_456]], ['0', '7', '64MB']],
  ['RATE_LIMIT_PER_SECOND', [['50', (c) => c.http.rateLimitPerSecond, 50], ['0', (c) => c.http.rateLimitPerSecond, 0]], ['50/s', '-1']],
  ['PLATFORM_URL', [
    ['http://127.0.0.1:4010/', (c) => c.platform.url, 'http://127.0.0.1:4010'],
    ['https://x.test/base', (c) => c.platform.url, 'https://x.test/base'],
  ], ['ftp://x', 'graph.facebook.com', 'https://user:pw@x', 'https://x/?a=1', 'http://', 'https://x..test', 'http://.x', 'http://x:0']],
  ['PLATFORM_VERSION', [['v26.0', (c) => c.platform.version, 'v26.0']], ['25.0', 'v25', 'v25.0/x']],
  ['PLATFORM_TIMEOUT_MS', [['500', (c) => c.platform.timeoutMs, 500]], ['0', '10s']],
  ['PLATFORM_MAX_IN_FLIGHT', [['500', (c) => c.platform.maxInFlight, 500]], ['0', 'many']],
  ['PLATFORM_QUEUE', [['0', (c) => c.platform.maxWaiting, 0]], ['-1', 'long']],
  ['PLATFORM_QUEUE_MS', [['2000', (c) => c.platform.maxWaitMs, 2_000]], ['-1', '2s']],
  ['PLATFORM_TRANSPORT', [['got', (c) => c.platform.transport, 'got']], ['fetch']],
  ['PLATFORM_VERIFY_TOKEN', [['abc', (c) => c.platform.verifyToken, 'abc']], ['a b', 'é']],
  ['PLATFORM_APP_SECRET', [['0f', (c) => c.platform.appSecret, '0f']], ['a\nb']],
  ['POSTERN_SECRET', [['s'.repeat(32), (c) => c.secret, 's'.repeat(32)]], ['s'.repeat(31)]],
  ['RATE_CARD', [['./card.json', (c) => c.rateCard, './card.json']], [' ']],
  ['RECONCILE_EVERY_MS', [['60000', (c) => c.reconcileEveryMs, 60_000]], ['0', 'x']],
  ['TEMPLATE_PREFLIGHT', [['off', (c) => c.templatePreflight, 'off'], ['on', (c) => c.templatePreflight, 'on']], ['no', 'false', 'OFF']],
  ['PAIR_LIMIT',
    [['off', (c) => c.pairLimit, undefined], ['10/60s', (c) => c.pairLimit, { burst: 10, intervalMs: 60_000 }]],
    ['on', '0/6s', '45', '45/6', '45/0s', '-1/6s', '1001/1s', '1000/8s', '4.5/6s']],
  ['SENDER_LIMIT',
    [['off', (c) => c.senderLimit, undefined], ['1000', (c) => c.senderLimit, 1_000], ['79.9', (c) => c.senderLimit, 79.9]],
    ['0', '1001', 'on', '80/s', '0.5', '1000.1', '79,9']],
  ['PORTFOLIO_LIMIT', [['off', (c) => c.portfolioLimit, 'off']], ['250', 'yes']],
  ['TEMPLATE_SYNC_MINUTES',
    [['1', (c) => c.templateSyncMs, 60_000], ['0.01', (c) => c.templateSyncMs, 600], ['0', (c) => c.templateSyncMs, 0]],
    ['-1', 'off', '721']],
  ['EVENTS_URL', [
    ['nats://127.0.0.1:4222', (c) => c.events.brokerUrl, 'nats://127.0.0.1:4222'],
    ['amqp://u:p@h/v', (c) => c.events.brokerUrl, 'amqp://u:p@h/v'],
    ['amqps://h', (c) => c.events.brokerUrl, 'amqps://h'],
  ], ['http://h', 'nats://', 'kafka://user:password@h', 'amqp:h', ' ', 'nats://h:port', 'nats://h..example', 'amqp://user:password@h:0/v']],
  ['EVENTS_ALLOW', [
    ['10.0.0.0/8, ::1', (c) => c.events.allow.map(({ first, prefixLength }) => `${first}/${prefixLength}`), ['10.0.0.0/8', '::1/128']],
  ], ['10.0.0.0/33', 'localhost', '10.0.0.0/8,', '*', '10.1']],
  ['TRUSTED_PROXIES', [
    ['loopback, 10.0.0.7,fd00::/8', (c) => c.http.trustedProxies.map(({ first, prefixLength }) => `${first}/${prefixLength}`),
      ['127.0.0.0/8', '::1/128', '10.0.0.7/32', 'fd00::/8']],
    ['', (c) => c.http.trustedProxies, []],
  ], ['10.0.0.0/33', 'localhost', 'loopback,', '*', '0.0.0.0/0', '::/0', 'proxy.example.com', 'true']],
  ['EVENT_RETENTION_HOURS', [['24', (c) => c.events.retentionMs, 86_400_000]], ['0', '-1', 'month', '9999']],
  ['CONSOLE', [['off', (c) => c.console.isServed, false], ['on', (c) => c.console.isServed, true]], ['yes', 'OFF']],
  ['PUBLIC_URL', [
    ['https://postern.example.com', (c) => c.console.publicUrl, 'https://postern.example.com'],
    ['http://127.0.0.1:3000/', (c) => c.console.publicUrl, 'http://127.0.0.1:3000'],
    ['https://Bücher.example', (c) => c.console.publicUrl, 'https://xn--bcher-kva.example'],
  ], ['postern.example.com', 'ftp://a', 'https://a/console', 'https://user:pw@a', 'https://a?b', 'https://',
    'https://bücher.example/console', 'https://a..b', 'https://.a', 'https://a:0']],
  ['RETENTION_DAYS', [], ['0', '-1', '1.5', '3651', 'year']],
  ['EVENTS_CONTENT', [['off', (c) => c.events.content, 'off'], ['on', (c) => c.events.content, 'on']], ['no', 'false', 'OFF']],
  ['UNCONFIRMED_AFTER_MS', [['60000', (c) => c.limits.unconfirmedAfterMs, 60_000]], ['0', 'x', '10000']],
  ['RELEASE_AFTER_HOURS', [['0.5', (c) => c.limits.releaseAfterMs, 1_800_000], ['0', (c) => c.limits.releaseAfterMs, 0]],
    ['-1', 'week', '9999']],
  [
    'OIDC_ISSUER', [],
    ['http://id.example.com', 'https://user:hunter2@id.example.com', 'https://id.example.com/?tenant=hunter2', 'id.example.com',
      'https://id..example.com', 'https://id.example.com:0'],
  ],
  ['OIDC_CLIENT_ID', [], ['a b', 'é']],
  ['OIDC_CLIENT_SECRET', [], ['a secret of some length', 'a\nb']],
  ['TRACES', [['on', (c) => c.traces, true], ['off', (c) => c.traces, false]], ['true', 'console']],
  ['LOG_LEVEL', [['debug', (c) => c.logLevel, 'debug'], ['silent', (c) => c.logLevel, 'silent']], ['verbose', 'INFO']],
]

describe('The configuration', () => {
  it('has the documented default for every variable', () => assert.deepEqual(read({}), DEFAULTS))

  it('takes an empty variable for one that is not set', () =>
    assert.deepEqual(read(Object.fromEntries(VARIABLES.map(([name]) => [name, '']))), DEFAULTS))

  for (const [name, takes, refuses] of VARIABLES) {
    if (takes.length > 0) it(`reads ${name}`, () => {
      for (const [value, part, expected] of takes) assert.deepEqual(part(read({ [name]: value })), expected)
    })

    it(`refuses a wrong ${name} in one line that names it and keeps its value to itself`, () => {
      for (const value of refuses) {
        const lines = faultsOf({ [name]: value })
        assert.lengthOf(lines, 1, `${name}=${value}`)
        assert.match(lines[0] ?? '', new RegExp(`^${name} must be .+\\.$`))
        if (value.length > 12) assert.notInclude(lines[0], value)
      }
    })
  }

  it('lists every wrong variable together, one line each', () => {
    const lines = faultsOf({ PORT: 'x', LOG_LEVEL: 'x', PLATFORM_URL: 'x' })
    assert.sameMembers(lines.map((line) => line.split(' ')[0]), ['PORT', 'LOG_LEVEL', 'PLATFORM_URL'])
  })

  it('never prints a secret', () => {
    const lines = faultsOf({ POSTERN_SECRET: 'hunter2', PLATFORM_APP_SECRET: 'hunter2 ', DATABASE_URL: 'mysqll://root:hunter2@db/x' })
    assert.lengthOf(lines, 3)
    assert.notInclude(lines.join('\n'), 'hunter2')
  })

  it('ignores variables that are not its own', () => assert.deepEqual(read({ PATH: '/bin', PORTS: 'x' }), DEFAULTS))

  it('names variables that look like its own and are not, with the one that was meant, and no others', () => {
    const env = {
      POSTERN_SECRE: '', POSTERNN_SECRET: '', POSTERN_SERCET: '', RATE_CARDS: '', WORKER: '', PLATFORM_URI: '', POSTERN_TOKEN: '',
      TRUSTED_PROXY: '', TRUSTED_PROXYS: '', DATABASE_URL: '', PORTS: '', HOSTS: '', PATH: '', PG_DATABASE_URL: '', PLATFORM_BRANCH: '',
      POSTERN_SERVICE_HOST: '', POSTERN_PORT: '', POSTERN_KEY: '', POSTERN_ACCESS_TOKEN: '', PLATFORM_QUEUE: '', PLATFORM_QUEUE_MS: '',
    }
    assert.deepEqual(strangeVariables(env).map(({ name, meant }) => [name, meant]), [
      ['POSTERN_SECRE', 'POSTERN_SECRET'], ['POSTERNN_SECRET', 'POSTERN_SECRET'], ['POSTERN_SERCET', 'POSTERN_SECRET'],
      ['RATE_CARDS', 'RATE_CARD'], ['WORKER', 'WORKERS'], ['PLATFORM_URI', 'PLATFORM_URL'], ['POSTERN_TOKEN', undefined],
      ['TRUSTED_PROXY', 'TRUSTED_PROXIES'], ['TRUSTED_PROXYS', 'TRUSTED_PROXIES'],
    ])
  })

  it('runs as many workers as the machine is good for, unless a number is set', () => {
    const here = workersFor('mysql://127.0.0.1/postern')
    for (const WORKERS of ['auto', '', undefined]) assert.equal(read({ WORKERS, DATABASE_URL: 'mysql://127.0.0.1/postern' }).workers, here)
    assert.equal(read({ WORKERS: '7', DATABASE_URL: 'mysql://127.0.0.1/postern' }).workers, 7)
  })

  it('takes an identity provider with all that it needs, or none', () => {
    const all = {
      OIDC_ISSUER: 'https://id.example.com/realms/a/', OIDC_CLIENT_ID: 'postern', OIDC_CLIENT_SECRET: 'hunter2',
      POSTERN_SECRET: 's'.repeat(32),
    }
    assert.deepEqual(read(all).oidc, {
      issuer: 'https://id.example.com/realms/a/', clientId: 'postern', clientSecret: 'hunter2', emailVerified: 'claimed',
    })
    assert.equal(read({ ...all, OIDC_EMAIL_VERIFIED: 'trusted' }).oidc?.emailVerified, 'trusted')
    assert.isNotEmpty(faultsOf({ ...all, OIDC_EMAIL_VERIFIED: 'true' }))
    for (const name of ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET']) {
      assert.deepEqual(faultsOf({ ...all, [name]: '' }), ['OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together, or not at all.'])
    }
    assert.match(faultsOf({ ...all, POSTERN_SECRET: '' }).join('\n'), /^POSTERN_SECRET must be set if OIDC_ISSUER is set, .+\.$/)
  })

  it('forgets people only with the secret by which it is done', () => {
    const secret = 's'.repeat(32)
    for (const [days, ms] of [['1', 86_400_000], ['3650', 315_360_000_000]] as const) {
      assert.equal(read({ RETENTION_DAYS: days, POSTERN_SECRET: secret }).retentionMs, ms)
      assert.match(faultsOf({ RETENTION_DAYS: days }).join('\n'), /^POSTERN_SECRET must be set if RETENTION_DAYS is set, .+\.$/)
    }
  })

  it('refuses one port for the gateway and its metrics, and lets the system choose both', () => {
    assert.match(faultsOf({ METRICS_PORT: '3000' })[0] ?? '', /^METRICS_PORT must differ from PORT/)
    assert.deepEqual(faultsOf({ PORT: '0', METRICS_PORT: '0' }), [])
  })

  it('refuses limits by which a send that waits for its answer would count as lost', () => {
    assert.match(faultsOf({ PLATFORM_TIMEOUT_MS: '120000' })[0] ?? '', /^UNCONFIRMED_AFTER_MS must be more than PLATFORM_TIMEOUT_MS/)
    assert.deepEqual(faultsOf({ PLATFORM_TIMEOUT_MS: '119999' }), [])
  })
})
