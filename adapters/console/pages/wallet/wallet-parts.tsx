import type { ComponentChildren, VNode } from 'preact'
import type { Page as ListPage } from '../../../../core/kernel/page.js'
import { type Balance, formatMicros } from '../../../../core/kernel/money.js'
import type { Workspace } from '../../../../core/kernel/workspace.js'
import type { Entry, OpenHold, WalletTotals } from '../../../../core/money/ledger.js'
import type { CategorySpend, KeySpend, SpendReport, SpendShare, TemplateSpend } from '../../../../core/money/use-cases.js'
import { ENTRY_KINDS } from '../../../../core/money/wallet.js'
import { WhichAmount } from '../../amount.js'
import { written } from '../../chart.js'
import { Icon } from '../../icons.js'
import { writeMoney } from '../../money.js'
import { ChoiceField, Empty, English, Facts, faultAt, Field, Id, Money, type Refused, Table, Tabs, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { wordFor } from '../../words.js'
import { ErrorCode } from '../messages/message-table.js'

const { wallet: texts } = TEXTS

/** A form that was submitted and refused, or that is to be changed, with the typed values. */
export type ShownForm = { readonly name: 'top-up' | 'adjust'; readonly values: Readonly<Record<string, string>> } & Refused

/** How many open holds are shown. */
export const HOLDS_SHOWN = 20

/** The pages of a wallet, as tabs. */
export const WalletTabs = ({ path, current }: { readonly path: string; readonly current: keyof typeof TABS }): VNode => (
  <Tabs
    label={TEXTS.sections.wallet} current={current}
    tabs={TAB_NAMES.map((name) => ({ name, text: texts.tabs[name], href: path + TABS[name] }))}
  />
)

/** The ends of the addresses of the tabs. */
const TABS = { statement: '', months: '/months', alerts: '/alerts', books: '/books', entries: '/entries' } as const
const TAB_NAMES = Object.keys(TABS) as ReadonlyArray<keyof typeof TABS>

/** The prices that are reserved now, oldest first. */
export const Holds = ({ holds, hasMore, base, currency }: {
  readonly holds: ReadonlyArray<OpenHold>; readonly hasMore: boolean; readonly base: string; readonly currency: string
}): VNode => (
  <>
    <h2 id="holds">{texts.openHolds}</h2>
    {holds.length === 0 ? <Empty sentence={texts.noHolds} icon="wallet" /> : (
      <>
        <p class="soft">{texts.heldHint}{hasMore && ` ${texts.oldest(holds.length)}`}</p>
        <Table label={texts.openHolds} columns={[texts.since, texts.message, { number: texts.amount }]}>
          {holds.map(({ message, batch, micros, at }) => (
            <tr key={message ?? batch}>
              <td data-label={texts.since}><Time at={at} as="ago" /></td>
              <td data-label={texts.message}>
                {message === undefined ? <Id of={batch} /> : <Id of={message} href={`${base}/messages/${message}`} />}
              </td>
              <td data-label={texts.amount} class="number"><Money micros={micros} currency={currency} /></td>
            </tr>
          ))}
        </Table>
      </>
    )}
  </>
)

/** A form that moves money. */
export const MoneyForm = ({ path, name, title, shown }: {
  readonly path: string; readonly name: ShownForm['name']; readonly title: string; readonly shown: ShownForm | undefined
}): VNode => {
  const mine = shown?.name === name ? shown : undefined
  return (
    <>
      <form method="post" action={`${path}/${name}`}>
        <AmountFields prefix={name} values={mine?.values ?? {}} hasNote={name === 'adjust'} refused={mine ?? {}} />
        <button {...(name === 'adjust' && { class: 'danger' })}>{title}</button>
      </form>
    </>
  )
}

/** Asks whether a large amount is intended, or which of two: it shows the effect, a button with each amount, and a button that leads back to the form. */
export const Asking = ({ path, name, workspace, micros, readings, values, balance: { available, currency } }: {
  readonly path: string; readonly name: ShownForm['name']; readonly workspace: Workspace; readonly micros: bigint
  /** The possible amounts; empty if the amount is known. */
  readonly readings: ReadonlyArray<bigint>
  readonly values: ShownForm['values']; readonly balance: Balance
}): VNode => {
  const fields = Object.fromEntries(
    ['amount', 'reference', ...(name === 'adjust' ? ['note'] : [])].map((field) => [field, values[field] ?? '']),
  )
  const entered: ReadonlyArray<readonly [string, string]> = [
    [texts.reference, values['reference']?.trim() ?? ''],
    ...(name === 'adjust' ? [[texts.note, values['note']?.trim() ?? ''] as const] : []),
  ]
  if (readings.length > 0) {
    return (
      <WhichAmount action={`${path}/${name}`} typed={values['amount']
        ?? ''} readings={readings} currency={currency} values={fields} field="sure"
        verb={(amount, one) => (one < 0n ? texts.asking.take(amount) : texts.asking.add(amount))}>
        <Facts facts={[...entered, [texts.asking.now, <Money micros={available} currency={currency} />]]} />
      </WhichAmount>
    )
  }
  const takes = micros < 0n
  const amount = writeMoney(takes ? -micros : micros, currency)
  return (
    <>
      <p>{takes ? texts.asking.takes(amount, workspace.name) : texts.asking.adds(amount, workspace.name)}</p>
      <Facts facts={[
        [texts.amount, <Money micros={micros} currency={currency} isMovement />],
        ...entered,
        [texts.asking.now, <Money micros={available} currency={currency} />],
        [texts.asking.afterwards, <Money micros={available + micros} currency={currency} />],
      ]} />
      <form method="post" action={`${path}/${name}`}>
        {Object.entries(fields).map(([field, value]) => <input type="hidden" key={field} name={field} value={value} />)}
        <button name="sure" value={formatMicros(micros)} {...(takes && { class: 'danger' })}>
          {takes ? texts.asking.take(amount) : texts.asking.add(amount)}
        </button>
        <button name="change" value="on" class="plain">{texts.asking.change}</button>
      </form>
    </>
  )
}

/** The result of a form that moves money. */
export const Done = ({ micros, currency, reference, isNew }: {
  readonly micros: bigint
  readonly currency: string
  readonly reference: string
  readonly isNew: boolean
}): VNode => {
  const amount = writeMoney(micros < 0n ? -micros : micros, currency)
  const said = micros < 0n ? texts.done.taken : texts.done.added
  return <p class="note" role="status">
    {isNew ? said(amount, reference) : texts.done.before(writeMoney(micros, currency, true), reference)}
  </p>
}

/** There are two forms on one page: the ids of the fields differ, their names do not. */
const AmountFields = ({ prefix, values, hasNote, refused }: {
  readonly prefix: string
  readonly values: Readonly<Record<string, string>>
  readonly hasNote: boolean
  readonly refused: Refused
}): VNode => (
  <>
    <Field
      id={`${prefix}-amount`} name="amount" label={texts.amount} hint={texts.amountHint} value={values['amount']} inputmode="decimal"
      isFirst={refused.at === undefined} {...faultAt(refused, `${prefix}-amount`)}
    />
    <Field
      id={`${prefix}-reference`} name="reference" label={texts.reference} hint={texts.referenceHint} value={values['reference']}
      {...faultAt(refused, `${prefix}-reference`)}
    />
    {hasNote && (
      <Field id={`${prefix}-note`} name="note" label={texts.note} value={values['note']} {...faultAt(refused, `${prefix}-note`)} />
    )}
  </>
)

/** The entries of a wallet, newest first, with their filters. */
export const Entries = ({ path, base, query, entries: { items, next }, isFull, currency }: {
  readonly path: string; readonly base: string; readonly query: URLSearchParams; readonly entries: ListPage<Entry>
  readonly isFull: boolean; readonly currency: string
}): VNode => {
  const [kind, from, to] = ['kind', 'from', 'to'].map((name) => query.get(name) ?? '')
  const filters = Object.entries({ kind, from, to }).flatMap(([name, value]): Array<[string, string]> => (value ? [[name, value]] : []))
  return (
    <>
      <form method="get" action={`${path}/entries`}>
        <div class="row">
          <ChoiceField id="kind" label={texts.kind}>
            <option value="">{texts.anyKind}</option>
            {ENTRY_KINDS.map((one) => <option key={one} value={one} selected={one === kind}>{texts.kinds[one]}</option>)}
          </ChoiceField>
          <Field id="from" label={texts.from} type="date" value={from} required={false} />
          <Field id="to" label={texts.to} type="date" value={to} required={false} />
        </div>
        <div class="row">
          <button>{texts.show}</button>
          <a class="button plain" href={`${path}/statement.csv?${new URLSearchParams(filters).toString()}`}>
            <Icon name="download" />{texts.csv}
          </a>
        </div>
      </form>
      {items.length === 0 ? <Empty sentence={next === undefined ? texts.none : texts.noneYet} icon="wallet" /> : (
        <Table
          label={texts.tabs.entries} columns={[texts.at, texts.kind, texts.message, texts.reference, texts.note, { number: texts.amount }]}
        >
          {items.map((entry) => (
            <tr key={entry.id}>
              <td data-label={texts.at} class="soft"><Time at={entry.at} as="ago" /></td>
              <td data-label={texts.kind}>{texts.kinds[entry.kind]}<ErrorCode message={{ error: entry.error }} /></td>
              <td data-label={texts.message}>
                {entry.message === undefined ? '' : <Id of={entry.message} href={`${base}/messages/${entry.message}`} />}
              </td>
              <td data-label={texts.reference}>{entry.reference ?? ''}</td>
              <td data-label={texts.note} class="long">{entry.note ?? ''}</td>
              <td data-label={texts.amount} class="number"><Movement entry={entry} currency={currency} /></td>
            </tr>
          ))}
        </Table>
      )}
      {next !== undefined && (
        <p>
          <a class="button plain" href={`${path}/entries?${new URLSearchParams([...filters, ['cursor', next]]).toString()}`}>
            {isFull ? texts.older : texts.lookFurther}
          </a>
        </p>
      )}
    </>
  )
}

/** A movement that changes the balance has a sign; a hold and its release have none. */
export const Movement = ({ entry: { kind, micros }, currency }: { readonly entry: Entry; readonly currency: string }): VNode => {
  switch (kind) {
    case 'hold': case 'release': return <span class="soft"><Money micros={micros} currency={currency} /></span>
    case 'capture': return <Money micros={-micros} currency={currency} isMovement />
    case 'top_up': case 'refund': case 'adjustment': return <Money micros={micros} currency={currency} isMovement />
  }
}

/** The spending of the last days, by category, market, template and key. */
export const Spend = ({
  path, report: { categories, shares, templates, keys, messages, reachedBack }, currency, days, isCounting, children,
}: {
  readonly path: string
  readonly report: SpendReport
  readonly currency: string
  readonly days: number
  readonly isCounting: boolean
  readonly children: ComponentChildren
}): VNode => (
  <>
    {children}
    <h2>{texts.spendByCategory}</h2>
    <p class="soft">{texts.spendSince(days)}</p>
    {categories.length === 0
      ? <Empty sentence={isCounting ? TEXTS.overview.pastMissing : texts.spendNothing} icon="spend" />
      : <CategoryTable categories={categories} currency={currency} />}
    <h2>{texts.spendByMarket}</h2>
    <p class="soft">{texts.spendAll(written(messages))}</p>
    {reachedBack !== undefined && <p class="note">{texts.spendPart} <Time at={reachedBack} />.</p>}
    {shares.length > 0 && (
      <>
        <MarketTable shares={shares} currency={currency} />
        <h2>{texts.spendByTemplate}</h2>
        <TemplateTable templates={templates} currency={currency} />
        <h2>{texts.spendByKey}</h2>
        <KeyTable keys={keys} currency={currency} />
      </>
    )}
    <p><a href={path}>{TEXTS.sections.wallet}</a></p>
  </>
)

/** Spending by category. */
export const CategoryTable = ({ categories, currency }: {
  readonly categories: ReadonlyArray<CategorySpend>
  readonly currency: string
}): VNode => (
  <Table label={texts.spendByCategory} columns={[texts.category, { number: texts.messages }, { number: texts.cost }]}>
    {categories.map(({ category, messages: count, micros }) => (
      <tr key={category}>
        <td data-label={texts.category}>{wordFor('categories', category)}</td>
        <td data-label={texts.messages} class="number">{written(count)}</td>
        <td data-label={texts.cost} class="number"><Money micros={micros} currency={currency} /></td>
      </tr>
    ))}
  </Table>
)

/** Spending by category and market. */
export const MarketTable = ({ shares, currency }: { readonly shares: ReadonlyArray<SpendShare>; readonly currency: string }): VNode => (
  <Table label={texts.spendByMarket} columns={[texts.category, texts.market, { number: texts.messages }, { number: texts.cost }]}>
    {shares.map(({ category, market, messages: count, micros }) => (
      <tr key={`${category} ${market ?? ''}`}>
        <td data-label={texts.category}>{wordFor('categories', category)}</td>
        <td data-label={texts.market}>{marketName(market)}</td>
        <td data-label={texts.messages} class="number">{written(count)}</td>
        <td data-label={texts.cost} class="number"><Money micros={micros} currency={currency} /></td>
      </tr>
    ))}
  </Table>
)

/** Spending by template. */
export const TemplateTable = ({ templates, currency }: {
  readonly templates: ReadonlyArray<TemplateSpend>
  readonly currency: string
}): VNode => (
  <Table label={texts.spendByTemplate} columns={[texts.template, { number: texts.messages }, { number: texts.cost }]}>
    {templates.map(({ template, messages, micros }) => (
      <tr key={template ?? ''}>
        <td data-label={texts.template}>{template ?? <span class="soft">{texts.noTemplate}</span>}</td>
        <td data-label={texts.messages} class="number">{written(messages)}</td>
        <td data-label={texts.cost} class="number"><Money micros={micros} currency={currency} /></td>
      </tr>
    ))}
  </Table>
)

/** Spending by the API key that sent the messages. */
export const KeyTable = ({ keys, currency }: { readonly keys: ReadonlyArray<KeySpend>; readonly currency: string }): VNode => (
  <Table label={texts.spendByKey} columns={[texts.key, { number: texts.messages }, { number: texts.cost }]}>
    {keys.map(({ key, messages, micros }) => (
      <tr key={key?.id ?? ''}>
        <td data-label={texts.key}>
          {key === undefined ? <span class="soft">{texts.noKey}</span> : key.name === '' ? <Id of={key.id} /> : key.name}
        </td>
        <td data-label={texts.messages} class="number">{written(messages)}</td>
        <td data-label={texts.cost} class="number"><Money micros={micros} currency={currency} /></td>
      </tr>
    ))}
  </Table>
)

/** The name of a market of the rate card. */
export const marketName = (market: string | undefined): string => {
  if (market === undefined) return texts.unknownMarket
  return market === 'default' ? TEXTS.templates.everyOther : `+${market}`
}

/** The sums of the books and the wallet, and whether they agree, in words. */
export const Books = ({ totals: { available, held, entries, holds }, faults, currency }: {
  readonly totals: WalletTotals; readonly faults: ReadonlyArray<string>; readonly currency: string
}): VNode => {
  const spent = (entries.capture ?? 0n) - (entries.refund ?? 0n)
  const amount = (micros: bigint): VNode => <Money micros={micros} currency={currency} />
  return (
    <>
      {faults.length === 0 ? <p class="note" role="status">{texts.proof.good}</p> : (
        <div class="note bad" role="alert">
          <p>{texts.proof.bad}</p><ul>{faults.map((fault) => <li key={fault}><English>{fault}</English></li>)}</ul>
        </div>
      )}
      <Facts facts={[
        [texts.proof.paidIn, amount((entries.top_up ?? 0n) + (entries.adjustment ?? 0n))],
        [texts.proof.total, amount(available + held + spent)], [texts.held, amount(held)],
        [texts.proof.openHolds, amount(holds.held ?? 0n)], [texts.proof.spent, amount(spent)],
        [texts.proof.capturedHolds, amount(holds.captured ?? 0n)],
        [texts.proof.difference, amount(available + held + spent - (entries.top_up ?? 0n) - (entries.adjustment ?? 0n))],
      ]} />
    </>
  )
}
