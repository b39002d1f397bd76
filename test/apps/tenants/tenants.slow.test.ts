// Slow: every act of one tenant, each followed by every read of the other.
import { setTimeout as delay } from 'node:timers/promises'
import { assert } from 'chai'
import { writeCustomerId } from '../../../adapters/console/phone.js'
import { pagesOf } from '../../../adapters/console/sections.js'
import { OPERATIONS } from '../../../adapters/koa/contract.js'
import { GRAPH_OPERATIONS } from '../../../adapters/koa/graph/contract.js'
import { mcpEndpoint } from '../../../adapters/koa/mcp/endpoint.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { eventually } from '../../support/eventually.js'
import { ADDRESSES, reportsOf, type Row } from './addresses.js'
import { MADE_UP, stock } from './stock.js'
import type { Call, Names, Reply, Tenant, World } from './tenant.js'
import { makeWatch } from './watch.js'
import { startWorld } from './world.js'

/** Every address of a gateway: those of the contract, those of the Graph-compatible API, and those of the console with all its sections. */
const everyAddress = (): string[] => {
  const anything: unknown = new Proxy(() => undefined, { get: () => anything, apply: () => anything })
  const everything: unknown = { postern: anything, health: anything }
  return [
    ...OPERATIONS.map(({ method, path, isVersioned }) => `${method} ${isVersioned ? '/v1' : ''}${path}`),
    `${mcpEndpoint.method} ${mcpEndpoint.path}`,
    ...GRAPH_OPERATIONS.map(({ method, path }) => `${method} /graph${path}`),
    ...pagesOf(everything as Parameters<typeof pagesOf>[0]).flatMap(({ path, ...page }) =>
      (['get', 'post', 'live'] as const).flatMap((method) => (page[method] === undefined ? [] : [`${method} ${path}`]))),
  ]
}

const rows = <Kind extends 'reads' | 'acts'>(kind: Kind) => Object.entries(ADDRESSES).flatMap(([address, row]) =>
  kind in row
    ? [
        {
          address,
          calls: (row as Extract<Row, Record<Kind, unknown>> & Record<Kind, (tenant: Tenant, of: Names) => ReadonlyArray<Call>>)[kind],
        },
      ]
    : [])
const [READS, ACTS] = [rows('reads'), rows('acts')]
/** Each of them without filters and cursors. */
const PLAIN_READS = READS.map(({ address, calls }) => ({ address, calls: (...of: Parameters<typeof calls>) => calls(...of).slice(0, 1) }))

/** Pages of which the clock decides what they show, or a job that counts messages: they are only searched. */
const BY_THE_CLOCK = [
  // Sessions are in the order in which they were last seen, exact to a minute.
  'get /console/account', 'get /console/workspaces/:workspace', 'live /console/workspaces/:workspace', 'get /console/workspaces/:workspace/wallet/spend',
]

const titleOf = ({ method, path, form, json }: Call): string => `${method} ${path} ${JSON.stringify(form ?? json ?? {})}`

/** A reply without moments, the ids of requests and of streamed parts, and the keys of forms, which are others each time. */
const steady = (text: string): string => text
  .replace(/<time .*?<\/time>|\d{4}-\d\d-\d\dT[\d:.]+Z|\d{4}-\d\d-\d\dT\d\d%3A\d\d|<span class="left">.*?<\/span>|for another [^,<]+/g, '…')
  // The rate that the platform has reported for a number is read again after a minute.
  .replace(/"rate":\d+|\d[\d,]* a second/g, '…')
  .replace(/^id: .*$/gm, '').replace(/name="key" value="[\w-]+"|"fbtrace_id":"[\w-]+"/g, '')

/** A reply in which what was asked for has the name of its kind, as it has in the reply about another one. */
const without = (text: string, of: Names): string => Object.entries(of)
  .filter(([, value]) => value !== '')
  .sort(([, a], [, b]) => b.length - a.length)
  .reduce((shown, [name, value]) => writingsOf(value).reduce((left, written) => left.replaceAll(written, `{${name}}`), shown), text)

/** A name as it may stand on a page: as it is, in an address, and a phone number as people read it. */
const writingsOf = (value: string): ReadonlyArray<string> =>
  [value, encodeURIComponent(value), ...(/^\d{8,15}$/.test(value) ? [writeCustomerId(value as PhoneNumber)] : [])]

/** Where a reply is another one than before, with what stands around that. */
const differenceOf = (title: string, before: string, now = ''): ReadonlyArray<string> => {
  if (before === now) return []
  const at = Array.from(before).findIndex((letter, index) => letter !== now[index])
  const around = (text: string): string => text.slice(Math.max(0, at - 80), at + 200)
  return [`${title}: ${around(before)} … is now ${around(now)}`]
}

describe('Two tenants of one gateway', () => {
  let world: World
  let [ann, bea]: Tenant[] = []
  /** What Bea reads, everywhere, as long as nobody but Ann does anything. */
  let hers: ReadonlyMap<string, string>

  before(async () => {
    world = await startWorld();
    ({ ann, bea } = world)
    for (const tenant of [ann, bea]) await stock(world, tenant)
    // Passwords cost time by design, and her session is none of theirs.
    for (const { calls } of ACTS.filter(({ address }) => !/password|sign-in/.test(address))) await perform(bea, calls(bea, bea.names))
    for (const report of reportsOf(bea, bea.names)) assert.equal((await world.notify(bea, report)).status, 200)
    await stock(world, bea)
    // All who watch one page share its readings, so Ann watches while Bea reads.
    await Promise.all(READS.flatMap(({ calls }) => calls(ann!, ann!.names))
      .filter(({ method, status }) => method === 'LIVE' && status !== 403)
      .map((call) => world.follow(ann!, call)))
    hers = await settled()
  })
  after(() => world.close())
  afterEach(() => assert.deepEqual(world.watch.findings(), []))

  const perform = async (tenant: Tenant, calls: ReadonlyArray<Call>): Promise<void> => {
    for (const call of calls) expectStatus(call, await world.ask(tenant, call))
  }
  const expectStatus = (call: Call, { status, text }: Reply): void => assert.equal(status, call.status, `${titleOf(call)}\n${text.slice(0, 2_000)}`)

  /** What a tenant reads everywhere, by what she asked. */
  const readAll = async (tenant: Tenant, reads = READS): Promise<ReadonlyMap<string, string>> =>
    new Map(await Promise.all(reads.flatMap(({ address, calls }) => calls(tenant, tenant.names).map((call) => ({ address, call }))).map(
      async ({ address, call }) => {
        const reply = await world.ask(tenant, call)
        expectStatus(call, reply)
        return [titleOf(call), BY_THE_CLOCK.includes(address) ? '' : steady(reply.text)] as const
      },
    )))

  /** What Bea reads once her events are delivered. */
  const settled = async (): Promise<ReadonlyMap<string, string>> => {
    let before: ReadonlyMap<string, string> | undefined
    return eventually('that two readings of everything are the same', async () => {
      const last = before
      before = await readAll(bea!)
      const isDelivered = ![...before.values()].some((text) => /"Waiting events">[1-9]/.test(text))
      if (isDelivered && last !== undefined && [...last].every(([title, text]) => before?.get(title) === text)) return before
      await delay(250)
      return undefined
    }, 30_000)
  }

  /** Bea reads what she has read before, and nothing of Ann. */
  const changedNothing = async (): Promise<void> => {
    const now = await readAll(bea!, PLAIN_READS)
    assert.deepEqual([...now].flatMap(([title, text]) => differenceOf(title, hers.get(title) ?? '', text)), [])
  }

  it('have every address of the gateway in the table', () => {
    assert.sameMembers(Object.keys(ADDRESSES), everyAddress())
  })

  it('read much that is their own, so that there is something to find', async () => {
    const watch = makeWatch()
    watch.add(bea!, [bea!.mark, bea!.id])
    const found = (await Promise.all(READS.flatMap(({ calls }) => calls(bea!, bea!.names)).map(async (call) => {
      watch.look(ann!, titleOf(call), (await world.ask(bea!, call)).text)
      return watch.findings().length > 0
    }))).filter((isFound) => isFound)
    assert.isAbove(found.length, 50)
    assert.isAbove(world.delivered(bea!).filter((body) => body.includes(bea!.mark)).length, 10)
  })

  describe('what one of them does shows the other nothing and changes nothing there:', () => {
    for (const { address, calls } of ACTS) {
      it(address, async () => {
        await perform(ann!, calls(ann!, ann!.names))
        await changedNothing()
      })
    }

    it('reports of the platform on the other tenant', async () => {
      for (const report of reportsOf(ann!, ann!.names)) assert.equal((await world.notify(ann!, report)).status, 200)
      await changedNothing()
    })

    it('what the platform reports of both in one notification', async () => {
      const [theirs, own] = [reportsOf(ann!, ann!.names)[0], reportsOf(bea!, { message: MADE_UP.message })[4]]
      assert.equal((await world.notify(ann!, theirs, own)).status, 200)
      await stock(world, ann!)
      hers = await settled()
      await readAll(ann!)
    })
  })

  describe('on one business account', () => it('are distinguished if a token loses the business account of the other, which both could read', async () => {
    const { platform } = world
    world.unfollow()
    const own = platform.tokens.get(ann!.token)!
    const set = (account: string): Call => ({
      method: 'POST', path: `/console/workspaces/${ann!.id}/sender`, form: { phone: ann!.phone, account, token: ann!.token }, status: 303,
    })
    const sync: Call = { method: 'POST', path: `/console/workspaces/${bea!.id}/templates/sync`, form: {}, status: 200 }
    const shown = async (): Promise<ReadonlyArray<string>> => {
      const watch = makeWatch()
      watch.add(bea!, [bea!.mark])
      for (const call of READS.flatMap(({ calls }) => calls(ann!, ann!.names))) {
        watch.look(ann!, titleOf(call), (await world.ask(ann!, call, false)).text)
      }
      return watch.findings()
    }
    platform.tokens.set(ann!.token, { ...own, accounts: new Set([bea!.account]) })
    await world.ask(ann!, set(bea!.account), false)
    assert.isAbove((await shown()).length, 3)
    platform.tokens.set(ann!.token, own)
    await world.ask(bea!, sync)
    const delivered = world.delivered(ann!).length
    for (const report of reportsOf(bea!, bea!.names)) await world.notify(bea!, report)
    // Of a streamed part a browser may still get a reading that is a second old.
    await eventually('that nothing of the account is shown', async () => ((await shown()).length === 0 ? true : undefined))
    await world.ask(ann!, set(ann!.account), false)
    hers = await settled()
    assert.notInclude(world.delivered(ann!).slice(delivered).join(), bea!.mark)
  }))

  describe('are answered about what is the other\'s as about what does not exist:', () => {
    for (const { address, calls } of [...READS, ...ACTS]) {
      /** The requests that name something; a link may be used by whoever has it. */
      const naming = () => calls(ann!, bea!.names).flatMap((call, index) => {
        const [own, madeUp] = [calls(ann!, ann!.names)[index], calls(ann!, MADE_UP)[index]]
        return madeUp === undefined || titleOf(call) === titleOf(own ?? call) || call.as === 'anyone' ? [] : [[call, madeUp] as const]
      })
      it(address, async () => {
        for (const [call, madeUp] of naming()) {
          const [theirs, none] = [await world.ask(ann!, call, false), await world.ask(ann!, madeUp, false)]
          const text = without(steady(theirs.text), bea!.names)
          world.watch.look(ann!, titleOf(call), text)
          // A cursor is a place in a list: it shows what is Ann's from there on.
          if (!/ursor=|message_templates\?after=/.test(call.path)) {
            assert.deepEqual([theirs.status, text], [none.status, without(steady(none.text), MADE_UP)], titleOf(call))
          }
        }
      })
    }

    it('the addresses of the other workspace', async () => {
      for (const call of [...READS, ...ACTS].flatMap(({ calls }) => calls(ann!, ann!.names))
        .filter(({ path, as }) => path.includes(ann!.id) && as === undefined)) {
        const [theirs, none] = [bea!.id, MADE_UP.workspace].map((id) => ({ ...call, path: call.path.replace(ann!.id, id) })) as [Call, Call]
        const [refused, other] = [await world.ask(ann!, theirs, false), await world.ask(ann!, none, false)]
        assert.deepEqual(
          [refused.status, without(steady(refused.text), bea!.names)], [403, without(steady(other.text), MADE_UP)], titleOf(theirs),
        )
      }
    })
  })

  describe('keep what they had', () => {
    /** All but the audit log, which says who has tried to reach into her workspace, and how. */
    const keepsAll = async (): Promise<void> => {
      const now = await readAll(bea!, READS.filter(({ address }) => !address.includes('/audit')))
      assert.deepEqual([...now].flatMap(([title, text]) => differenceOf(title, hers.get(title) ?? '', text)), [])
    }
    it('after all that the other has tried', keepsAll)

    it('when the workspace of the other is archived', async () => {
      await perform(ann!, [
        {
          method: 'POST', path: `/console/workspaces/${ann!.id}/settings/archive`, form: { sure: `The shop of ${ann!.mark}` },
          as: 'operator', status: 303,
        },
      ])
      await keepsAll()
    })
  })
})
