import { existsSync } from 'node:fs'
import { copyFile, rm, writeFile } from 'node:fs/promises'
import { assert } from 'chai'
import { signatureOf } from '../../../adapters/cloud-api/index.js'
import type { ReceivedMessage } from '../../../apps/simulator/control/logs.js'
import { formatMicros, parseMicros } from '../../../core/kernel/money.js'
import { freePort } from '../../support/free-port.js'
import { request } from '../../support/gateway.js'
import { type Ended, type Env, postern, posternJson } from '../../support/postern.js'
import { rightOf } from '../../support/right-of.js'
import { type ServerProcess, startServer } from '../../support/server-process.js'
import { changeOf, notificationOf, statusOf } from '../server/notifications.js'
import { type CommandLine, openCommandLine, TOKEN } from './support.js'

const PHONE_NUMBER_ID = '1000'
const FUNDS = '5.000000'
const PRICES: Readonly<Record<string, string>> = { service: '0.0071', marketing: '0.0613', utility: '0.0103', authentication: '0.0211' }
const CARD = { currency: 'USD', effective: '2026-01-01', default: PRICES, markets: {}, template_category: 'marketing' }
const SUFFIXES = ['', '-wal', '-shm']
/** Numbers of the simulator whose messages have unusual statuses. */
const [FAILS, SENT_THEN_FAILS, IN_ANOTHER_ORDER, TWICE] = ['15550100026', '15550100808', '15550100801', '15550100803'] as const

type Audit = {
  readonly broken: ReadonlyArray<unknown>
  readonly lost: ReadonlyArray<{ readonly workspace: string; readonly messages: number }>
  readonly lost_messages: ReadonlyArray<{
    readonly id: string
    readonly platform_id: string
    readonly to: string
    readonly state: string
    readonly category: string
    readonly billable: boolean
  }>
  readonly more_lost_messages: number
}

/** Copies a SQLite file that no process has open, with what it may have beside it. */
const copyDatabase = async (from: string, to: string): Promise<void> => {
  for (const suffix of SUFFIXES.filter((one) => one === '' || existsSync(from + one))) await copyFile(from + suffix, to + suffix)
}

/** What the platform bills: the messages that it accepted and that did not fail. */
const billOf = (messages: ReadonlyArray<ReceivedMessage>): bigint => messages
  .filter(({ outcome, statuses }) => outcome === 'accepted' && !statuses.includes('failed'))
  .reduce((sum, { pricing }) => sum + rightOf(parseMicros(PRICES[pricing?.category ?? ''] ?? 'no price')), 0n)

/** A gateway whose database is a file that can be put back, and the platform that reports to it. */
const openShop = async (cli: CommandLine) => {
  await writeFile(cli.scratch.path('card.json'), JSON.stringify(CARD))
  const port = await freePort()
  const env: Env = { ...cli.env, RATE_CARD: cli.scratch.path('card.json'), PORT: String(port), RECONCILE_EVERY_MS: '3600000' }
  const { id: workspace } = await posternJson(['workspace', 'create', 'Shop'], env) as { readonly id: string }
  await posternJson(['sender', 'set', 'Shop', '--phone-number-id', PHONE_NUMBER_ID, '--business-account-id', '200000000000001'], env, TOKEN)
  await posternJson(['wallet', 'top-up', 'Shop', FUNDS], env)
  await posternJson(['template', 'sync', 'Shop'], env)
  const { key } = await posternJson(['key', 'mint', 'Shop'], env) as { readonly key: string }
  const url = `http://127.0.0.1:${port}`
  const reportTo = (webhook: string): void => cli.simulator.setWebhook({
    url: webhook, appSecret: env['PLATFORM_APP_SECRET'] ?? '', verifyToken: env['PLATFORM_VERIFY_TOKEN'] ?? '', retryMs: 5,
    retryAtMostMs: 50,
  })
  cli.simulator.change({ freeTier: 0, delays: { sent: 1, delivered: 5, read: 10, failed: 3 } })
  const file = (env['DATABASE_URL'] ?? '').slice('sqlite:'.length)
  const send = async (path: string, body: object): Promise<void> => {
    const { status, text } = await request(`${url}/v1/messages/${path}`, 'POST', key, { json: body })
    assert.equal(status, 200, text)
  }
  return {
    env, workspace,
    start: (): Promise<ServerProcess> => startServer(env),
    /** Reports reach the gateway, also those that have waited. */
    allowReports: () => { reportTo(`${url}/webhooks/platform`) },
    /** Nothing listens where the platform reports to, so its reports wait. */
    blockReports: () => { reportTo('http://127.0.0.1:1/') },
    keepCopy: () => copyDatabase(file, `${file}.copy`),
    restore: async () => {
      for (const suffix of SUFFIXES) await rm(file + suffix, { force: true })
      await copyDatabase(`${file}.copy`, file)
    },
    sendText: async (to: string) => {
      await posternJson(['window', 'record', 'Shop', to], env)
      await send('send-text', { to, text: 'Hello' })
    },
    sendUtility: (to: string) => send('send-template', { to, template_name: 'hello_world', language: 'en_US' }),
    sendMarketing: (to: string) => send('send-template', {
      to, template_name: 'welcome', language: 'en', components: [{ type: 'body', parameters: [
        { type: 'text', parameter_name: 'first_name', text: 'Ada' }, { type: 'text', parameter_name: 'shop_name', text: 'Shop' },
      ] }],
    }),
    /** Reports a message that another program has sent through the same number an hour ago. */
    reportForeign: async () => {
      const hourAgo = String(Math.floor(Date.now() / 1_000) - 3_600)
      const body = notificationOf(['sent', 'delivered'].map((state) =>
        changeOf(PHONE_NUMBER_ID, { statuses: [statusOf('order-17', state, { timestamp: hourAgo })] })))
      const headers = {
        'content-type': 'application/json', 'X-Hub-Signature-256': signatureOf(env['PLATFORM_APP_SECRET'] ?? '', Buffer.from(body)),
      }
      assert.equal((await request(`${url}/webhooks/platform`, 'POST', undefined, { body, headers })).status, 200)
    },
    audit: async (): Promise<Audit & { readonly status: number | null }> => {
      const { status, stdout } = await postern(['wallet', 'audit', '--json'], env)
      return { ...(JSON.parse(stdout) as Audit), status }
    },
    settle: (id: string, ...how: ReadonlyArray<string>): Promise<Ended> =>
      postern(['message', 'settle-lost', id, '--workspace', 'Shop', '--note', 'lost at the failover', ...how], env),
    available: async (): Promise<string> =>
      (await posternJson(['wallet', 'show', 'Shop'], env) as { readonly available: string }).available,
  }
}

describe('Messages that the database has lost', () => {
  let cli: CommandLine
  const servers: ServerProcess[] = []
  before(async () => { cli = await openCommandLine() })
  after(async () => {
    await Promise.all(servers.map((server) => server.kill()))
    await cli[Symbol.asyncDispose]()
  })

  it('are listed by the audit and settled one by one, until the wallet was charged what the platform bills', async () => {
    const shop = await openShop(cli)
    const { simulator } = cli
    const start = async (): Promise<ServerProcess> => {
      const server = await shop.start()
      servers.push(server)
      return server
    }

    const first = await start()
    shop.allowReports()
    for (const to of ['33639980001', '33639980002']) await shop.sendUtility(to)
    await shop.sendMarketing('33639980001')
    await shop.sendText('33639980003')
    await simulator.idle()
    assert.deepInclude(await shop.audit(), { status: 0, broken: [], lost: [], lost_messages: [], more_lost_messages: 0 })
    first.signal('SIGTERM')
    assert.equal((await first.ended).status, 0)
    await shop.keepCopy()

    // What comes now is lost: the process is killed, and the copy takes the place of the database.
    shop.blockReports()
    const second = await start()
    const before = simulator.received().length
    for (const to of ['33639980004', IN_ANOTHER_ORDER]) await shop.sendMarketing(to)
    for (const to of ['33639980005', TWICE, FAILS, SENT_THEN_FAILS]) await shop.sendUtility(to)
    await shop.sendText('33639980006')
    const gone = simulator.received().slice(before)
    await second.kill()
    await shop.restore()

    await start()
    assert.deepInclude(await shop.audit(), { status: 0, lost: [] })
    shop.allowReports()
    await simulator.idle()
    await shop.reportForeign()
    await shop.sendUtility('33639980007')
    await simulator.idle()

    const found = await shop.audit()
    const due = gone.filter(({ to }) => to !== FAILS && to !== SENT_THEN_FAILS)
    assert.deepInclude(found, { status: 1, broken: [], lost: [{ workspace: shop.workspace, messages: 5 }], more_lost_messages: 0 })
    assert.sameDeepMembers(
      found.lost_messages.map(({ id, platform_id: wamid, to, state, category, billable }) => ({
        id, wamid, to, state, category, billable,
      })),
      simulator.received().filter(({ wamid }) => due.some((one) => one.wamid === wamid))
        .map(({ callback, wamid, to, pricing }) => ({
          id: callback, wamid, to, state: 'read', category: pricing?.category, billable: true,
        })),
    )
    const shown = await postern(['wallet', 'audit', '--limit', '2'], shop.env)
    assert.equal(shown.status, 1)
    assert.match(shown.stdout, /^The books of one workspace are exact\.\n/)
    assert.match(shown.stdout, new RegExp(`\n${shop.workspace}: 5 messages\n`))
    assert.match(shown.stdout, /\nand 3 more; --limit lists more of them\n/)

    // Two at once: one of them settles.
    const [one, ...others] = found.lost_messages as [Audit['lost_messages'][number], ...Audit['lost_messages']]
    const charge = PRICES[one.category] ?? ''
    const both = await Promise.all([shop.settle(one.platform_id, '--charge', charge), shop.settle(one.id, '--charge', charge)])
    assert.sameMembers(both.map(({ status }) => status), [0, 1])
    assert.match(both.map(({ stderr }) => stderr).join(''), /^postern: The lost message "[^"]+" has already been settled; nothing was changed\.\n$/)
    for (const [index, { id, platform_id: wamid, category }] of others.entries()) {
      assert.equal((await shop.settle(index % 2 === 0 ? wamid : id, '--charge', PRICES[category] ?? '')).status, 0)
    }
    for (const [id, how, status, sentence] of [
      [one.platform_id, ['--waive'], 1, /has already been settled/], ['wamid.none', ['--waive'], 1, /The workspace has no lost message "wamid\.…"; `postern wallet audit` shows them/],
      [one.id, [], 2, /Give --charge with an amount, or --waive/], [one.id, ['--waive', '--charge', '1'], 2, /cannot be used with option/],
    ] as const) {
      const refused = await shop.settle(id, ...how)
      assert.equal(refused.status, status, refused.stderr)
      assert.match(refused.stderr, sentence)
    }

    assert.deepInclude(await shop.audit(), { status: 0, broken: [], lost: [], lost_messages: [] })
    assert.equal(await shop.available(), formatMicros(rightOf(parseMicros(FUNDS)) - billOf(simulator.received())))
    const statement = await posternJson(['wallet', 'statement', 'Shop'], shop.env) as ReadonlyArray<{
      readonly kind: string
      readonly reference?: string
    }>
    assert.sameMembers(
      statement.filter(({ kind }) => kind === 'adjustment').map(({ reference }) => reference),
      found.lost_messages.map(({ id }) => `lost ${id}`),
    )
    assert.lengthOf(
      (await postern(['wallet', 'statement', 'Shop'], shop.env)).stdout.match(/adjustment +-0\.\d{6} +lost at the failover/g) ?? [], 5,
    )
    const entries = await posternJson(['audit', 'list', '--workspace', 'Shop'], shop.env) as ReadonlyArray<{
      readonly act: string
      readonly outcome: string
      readonly subject: string
    }>
    assert.sameMembers(
      entries.filter(({ act, outcome }) => act === 'message.settle_lost' && outcome === 'done').map(({ subject }) => subject),
      found.lost_messages.map(({ id }) => id),
    )
  })
})
