import { createServer } from 'node:http'
import Koa from 'koa'
import { Spark, StackedBars } from '../../adapters/console/chart.js'
import { routesOf } from '../../adapters/console/console.js'
import { makeConsoleLimits, makeThrottle } from '../../adapters/console/limits.js'
import { makeLiveParts } from '../../adapters/console/live.js'
import { NEW_MESSAGE } from '../../adapters/console/navigation.js'
import { publicRoute } from '../../adapters/console/page.js'
import {
  Behind, ChoiceField, Confirm, Empty, Facts, Field, Id, LinesField, Money, Once, Panel, Problem, Stat, State, Stats, Table, Tick, Time,
  type Tone,
} from '../../adapters/console/parts.js'
import { PAGE_HEADERS } from '../../adapters/console/request.js'
import type { Authenticated } from '../../core/access/sign-in.js'
import type { MemberId, WorkspaceId } from '../../core/kernel/ids.js'
import { makeByteBudget } from '../../adapters/shared/byte-budget.js'
import type { Currency } from '../../core/kernel/money.js'
import type { Workspace } from '../../core/kernel/workspace.js'
import { type Listening, listening } from '../support/listening.js'

/** Where the page of all parts is. */
export const PARTS_PATH = '/console/_parts'

const AT = Date.parse('2026-11-26T00:00:00Z')
const MESSAGE = 'msg_01a215b9a98d737ea05bc567418f3a1c'
const TONES: ReadonlyArray<Tone> = ['good', 'moving', 'attention', 'bad', 'quiet']
const AMOUNTS = [0n, 7_700n, 12_500_000n, 1_234_567n, -5_000_000n, 10n ** 18n]
const WORKSPACE: Workspace = { id: 'ws_1' as WorkspaceId, name: 'Meridian Clinics', currency: 'USD' as Currency, createdAt: AT }
const SIGNED_IN: Authenticated = {
  session: {
    id: 's' as Authenticated['session']['id'], member: 'm' as MemberId, openedBy: 'password', createdAt: AT, lastSeenAt: AT, expiresAt: AT,
  },
  principal: {
    _tag: 'Member', member: 'm' as MemberId, email: 'ada.lovelace@meridian-clinics.example', isOperator: true, roles: new Map(),
  },
  hasPassword: true,
}
const PATTERNS = new Set([
  '/console/health', '/console/members', '/console/audit',
  ...['', '/messages', '/customers', '/send', '/templates', '/wallet', '/wallet/spend', '/keys', '/endpoints', '/sender', '/settings']
    .map((end) => `/console/workspaces/:workspace${end}`),
])

/** Every part in every state. */
const Parts = () => (
  <>
    <Problem sentence="The amount is wrong: an amount must be a decimal number." />
    <Once sentence="This is the key. It is shown this once." secret="pst_4f1c0e2ab7d94c5f8e6a">And what to do with it.</Once>
    <Stats>
      <Stat name="Sent" value="12,480" href="#chart" spark={<Spark values={[3, 5, 4, undefined, 8]} />}>
        <b>+8.2 %</b> than the 30 days before
      </Stat>
      <Stat name="Delivered" value="97.2 %">of those that the platform accepted</Stat>
      <Stat name="Spend" value={<Money micros={184_210_000n} currency="USD" />} />
      <Stat name="Available" value={<Money micros={10n ** 18n - 1n} currency="USD" />}>lasts about 49 days</Stat>
    </Stats>
    <Panel id="states" title="States">{TONES.map((tone) => <><State key={tone} text={tone} tone={tone} /> </>)}</Panel>
    <Panel id="chart" title="Messages">
      <StackedBars
        id="parts" label="Messages by state" series={['read', 'delivered', 'sent', 'open', 'failed'].map((key) => ({ key, name: key }))}
        bars={Array.from(
          { length: 30 },
          (_, day) => ({
            name: `day ${day}`,
            tick: `${day}`,
            href: '#chart',
            values: { read: 300 + 7 * day, delivered: 120, sent: day, open: day % 3, failed: day % 7 },
          }),
        )}
        table={{ summary: 'The same figures as a table', name: 'Day', total: 'All', before: 'Before', hint: 'As of now' }}
      />
    </Panel>
    <Table label="Amounts" columns={['What', 'Moment', 'Id', 'Address', { number: 'Amount' }, { number: 'Movement' }]}>
      {AMOUNTS.map((micros) => (
        <tr key={String(micros)}>
          <td data-label="What" class="whole">endpoint.add</td>
          <td data-label="Moment"><Time at={Date.now() - 5 * 60_000} as="ago" /></td>
          <td data-label="Id"><Id of={`key_01a215b9a98d737ea05bc5674${micros}`} href="#amounts" /></td>
          <td data-label="Address" class="long">https://erp.meridian.example/a-very-long-address/that-does-not-break-anywhere-by-itself</td>
          <td data-label="Amount" class="number"><Money micros={micros} currency="USD" /></td>
          <td data-label="Movement" class="number"><Money micros={micros} currency="USD" isMovement /></td>
        </tr>
      ))}
    </Table>
    <Empty sentence="There are no messages." icon="messages" />
    <Facts facts={[
      ['Message', <Id of={MESSAGE} />], ['Whole', <Id of="msg_01a215b9a98d737ea05bc56741000000" isWhole />], ['Moment', <Time at={AT} />],
      ['To the second', <Time at={AT} as="second" />], ['Price', <Money micros={46_200n} currency="EUR" />],
    ]} />
    <Panel id="form" title="Fields">
      <form method="post" action="/console">
        <Field id="email" label="Email" type="email" hint="Where the link is sent." />
        <Field id="amount" label="Amount" inputmode="decimal" value="12,50" hint="Such as 12.50." fault="This is no amount." />
        <ChoiceField id="role" label="Role"><option>owner</option><option>viewer</option></ChoiceField>
        <LinesField id="text" label="Text" value="Hello" hint={undefined} fault={undefined} required maxLength={100} />
        <Tick id="sure" label="Another workspace may have this name" hint="It is shown in lists." isTicked />
        <button>Add money</button><button class="plain">Back</button>
      </form>
    </Panel>
    <Behind title="What is behind" isOpen><p>It is open.</p></Behind>
    <Confirm
      title="Revoke…" sentence="Every application that uses this key is refused from now on." action="/console" verb="Revoke the key"
      isDangerous
    />
  </>
)

/** Serves the page of all parts, with the headers and the files of every page. */
export const servePartsPage = async (): Promise<Listening> => {
  const app = new Koa()
  app.use(async (ctx, next) => {
    ctx.set(PAGE_HEADERS)
    await next()
  })
  const page = {
    path: PARTS_PATH,
    get: publicRoute(async () => ({
      _tag: 'Html', title: 'Parts', path: '/console/workspaces/ws_1', signedIn: SIGNED_IN, workspace: WORKSPACE, firstAct: NEW_MESSAGE,
      content: <Parts />,
    })),
  }
  app.use(routesOf([page], {
    publicOrigin: undefined, log: () => undefined, live: makeLiveParts(async () => { throw new Error('Nothing is live') }),
    patterns: PATTERNS, isShown: () => false, clientAddress: () => undefined, bodyMemory: makeByteBudget(0),
    limits: makeConsoleLimits(Date.now), downloads: makeThrottle(1),
  }).routes())
  const answer = app.callback()
  return listening(createServer((request, response) => void answer(request, response)))
}
