import type { VNode } from 'preact'
import type { Balance } from '../../../../core/kernel/money.js'
import { DAY_MS } from '../../../../core/kernel/time.js'
import type { Workspace } from '../../../../core/kernel/workspace.js'
import type { HeldMessages } from '../../../../core/sending/show-queue.js'
import {
  LISTED, type Listed, type ListedStates, type ListedWorkspace, WORKSPACE_ORDERS, type WorkspaceNeed, type WorkspaceOrder,
} from '../../../../core/all-workspaces.js'
import { Spark, written } from '../../chart.js'
import { Icon } from '../../icons.js'
import { numberFormat } from '../../language.js'
import { writeMoney } from '../../money.js'
import { Empty, Field, Money, State, Table, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { ALL_QUEUES, HeldLine } from '../queue/queue-parts.js'

const { workspaces: texts } = TEXTS

const percent = numberFormat({ style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** From this share a failing workspace is red. */
const RED = 0.05
/** A week: money that lasts for less needs attention. */
const SOON_MS = 7 * DAY_MS

/** What an operator looks at: which workspaces, in which order, and with which name. */
export type Choice = { readonly listed: Listed; readonly order: WorkspaceOrder; readonly sought: string }

type Links = {
  /** The first page of a workspace, and other pages of it, as far as they exist. */
  readonly pathOf: (workspace: Workspace) => string | undefined
  readonly pageOf: (workspace: Workspace, end: string) => string | undefined
}

/** All workspaces, worst first: what each needs, what it has and for how long, and what it sends. */
export const AllWorkspaces = ({ states, totals, held, choice, ...links }: Links & {
  readonly states: ListedStates
  /** What holds of the queue keep. */
  readonly held: HeldMessages | undefined
  /** The balances of all wallets, by currency. */
  readonly totals: ReadonlyArray<Balance>
  readonly choice: Choice
}): VNode => {
  const { items, next, counts } = states
  const { listed, order, sought } = choice
  return (
    <>
      {held !== undefined && (
        <ul class="attention-list"><HeldLine held={held} title={TEXTS.queue.isHeld} href={ALL_QUEUES} act={TEXTS.queue.showAll} /></ul>
      )}
      {sought === '' && counts.all > 0 && (held === undefined || counts.need > 0) && <Verdict states={states} />}
      <div class="bar">
        <nav class="chips" aria-label={texts.title}>
          {LISTED.filter((one) => one === 'all' || one === listed || counts[one] > 0).map((one) => (
            <a key={one} href={addressOf({ ...choice, listed: one })} class={one === listed ? 'active' : ''} aria-current={one === listed}>
              {texts.listed[one]} <span class="soft">{written(counts[one])}</span>
            </a>
          ))}
        </nav>
        <details class="filter orders">
          <summary>{texts.orders[order]}</summary>
          <ul>
            {WORKSPACE_ORDERS.map((one) => (
              <li key={one}><a href={addressOf({ ...choice, order: one })} aria-current={one === order}>{texts.orders[one]}</a></li>
            ))}
          </ul>
        </details>
      </div>
      {(sought !== '' || counts.all + counts.archived > SEARCHED) && <Search choice={choice} />}
      {items.length === 0
        ? <Empty sentence={sought === '' ? (listed === 'all' ? texts.noneYet : texts.noneHere) : texts.noneFound} icon="workspaces" />
        : (
          <Table
            label={listed === 'archived' ? texts.archived : texts.title}
            columns={[
              texts.name, texts.needs, { number: TEXTS.wallet.available }, { number: texts.lasts }, { number: texts.sent }, texts.course,
              { number: texts.failing },
            ]}
          >
            {items.map((one) => <Row key={one.workspace.id} one={one} {...links} />)}
          </Table>
        )}
      {next !== undefined && (
        <p><a class="button plain" href={addressOf(choice, next)}>{listed === 'archived' ? texts.moreArchived : texts.more}</a></p>
      )}
      {totals.length > 0 && (
        <p class="hint">
          {texts.totals}: {totals.map(({ currency, available, held }, index) => (
            <span key={currency}>
              {index > 0 && ' · '}{texts.totalOf(writeMoney(available, currency), writeMoney(held, currency))}
            </span>
          ))}
        </p>
      )}
    </>
  )
}

/** From how many workspaces the list has a search of its own. */
const SEARCHED = 20

const Search = ({ choice }: { readonly choice: Choice }): VNode => (
  <form method="get" action="/console" role="search" class="line">
    {Object.entries(paramsOf({ ...choice, sought: '' }))
      .map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)}
    <Field id="name" label={texts.search} type="search" value={choice.sought} required={false} />
    <div><button class="plain">{texts.doSearch}</button></div>
  </form>
)

const paramsOf = ({ listed, order, sought }: Choice): Readonly<Record<string, string>> => ({
  ...(listed !== 'all' && { show: listed }), ...(order !== 'worst' && { sort: order }), ...(sought !== '' && { name: sought }),
})

const addressOf = (choice: Choice, cursor?: string): string => {
  const query = new URLSearchParams({ ...paramsOf(choice), ...(cursor !== undefined && { cursor }) }).toString()
  return query === '' ? '/console' : `/console?${query}`
}

/** One true sentence: that all is well, or how many workspaces need a person. */
const Verdict = ({ states: { counts, sent, failed } }: { readonly states: ListedStates }): VNode => {
  const day = sent === 0 ? texts.nothingSent : texts.ofDay(sent, percent().format((sent - failed) / sent))
  return counts.need === 0
    ? <p class="note" role="status">{texts.allWell(counts.all)}, {day}.</p>
    : (
      <p class="note attention" role="status">
        <Icon name="alert" />
        <span><strong>{texts.needYou(counts.need, counts.all - counts.need)}</strong> <span class="soft">{day}.</span></span>
      </p>
    )
}

const Row = ({ one, pathOf, pageOf }: Links & { readonly one: ListedWorkspace }): VNode => {
  const { workspace, balance: { available, currency }, need, lastsMs, sent, failed, hours } = one
  const path = pathOf(workspace)
  const [act, address] = need === undefined ? [] : actOf(need, (end) => pageOf(workspace, end))
  const wallet = pageOf(workspace, '/wallet?new')
  const isRed = sent > 0 && failed / sent >= RED
  return (
    <tr>
      <td class="first">
        {path === undefined ? <strong>{workspace.name}</strong> : <a href={path} title={workspace.id}>{workspace.name}</a>}
      </td>
      <td class="mark need">
        {need !== undefined && (
          <><State text={texts.need[need._tag]} tone={TONES[need._tag]} /> <span class="soft why">{reasonOf(one, need)}</span></>
        )}
        {workspace.archivedAt !== undefined && (
          <><State text={texts.archivedState} tone="quiet" /> <span class="soft why"><Time at={workspace.archivedAt} /></span></>
        )}
        {address !== undefined && <a class="act" href={address} aria-label={`${act ?? ''}: ${workspace.name}`}>{act}</a>}
      </td>
      <td data-label={TEXTS.wallet.available} class={need?._tag === 'Empty' ? 'number refused' : 'number'}>
        {wallet === undefined || workspace.archivedAt !== undefined
          ? <Money micros={available} currency={currency} />
          : <a href={wallet} title={texts.topUpOf(workspace.name)}><Money micros={available} currency={currency} /></a>}
      </td>
      <td data-label={texts.lasts} class="number">
        <span title={texts.lastsHint} {...lastsClass(one)}>
          {workspace.archivedAt !== undefined || lastsMs === undefined ? TEXTS.overview.nothing
            : lastsMs === 0 ? texts.now : TEXTS.overview.duration(lastsMs)}
        </span>
      </td>
      <td data-label={texts.sent} class="number">{written(sent)}</td>
      <td class={isRed ? 'aside refused' : 'aside'}>{sent > 0 && <Spark values={hours} />}</td>
      <td data-label={texts.failing} class={isRed ? 'number refused' : 'number'}>
        {sent === 0 ? TEXTS.overview.nothing : percent().format(failed / sent)}
      </td>
    </tr>
  )
}

const TONES = { Empty: 'bad', SenderFailing: 'bad', MessagesFailing: 'bad', Low: 'attention' } as const

const lastsClass = ({ need, lastsMs }: ListedWorkspace): { readonly class?: string } => {
  if (need?._tag === 'Empty') return { class: 'refused' }
  return lastsMs !== undefined && lastsMs < SOON_MS ? { class: 'soon' } : {}
}

const reasonOf = ({ balance: { currency }, sent, failed }: ListedWorkspace, need: WorkspaceNeed): string => {
  switch (need._tag) {
    case 'Empty': return texts.cannotPay
    case 'SenderFailing': return texts.tokenRefused
    case 'MessagesFailing': return texts.failedOf(written(failed), written(sent))
    case 'Low': return need.threshold === undefined ? '' : texts.below(writeMoney(need.threshold, currency))
  }
}

/** The one act that meets a need, and its address, if there is such a page. */
const actOf = (need: WorkspaceNeed, pageOf: (end: string) => string | undefined): readonly [string, string | undefined] => {
  switch (need._tag) {
    case 'Empty': case 'Low': return [texts.topUp, pageOf('/wallet?new')]
    case 'SenderFailing': return [texts.replaceToken, pageOf('/sender')]
    case 'MessagesFailing': return [texts.seeFailures, pageOf('/messages?state=failed')]
  }
}
