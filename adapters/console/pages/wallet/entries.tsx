import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import type { Currency } from '../../../../core/kernel/money.js'
import type { Page as ListPage } from '../../../../core/kernel/page.js'
import { type Entry, STATEMENT_CSV_HEADER, statementCsvLine } from '../../../../core/money/ledger.js'
import type { StatementQuery } from '../../../../core/money/statement.js'
import { ENTRY_KINDS } from '../../../../core/money/wallet.js'
import type { Answer } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { cursorIn, type InWorkspace, workspacePage } from '../../page.js'
import { TEXTS } from '../../texts.js'
import { parseDay } from '../../zone.js'
import { Entries, WalletTabs } from './wallet-parts.js'
import { pathOf, type WalletSection } from './wallet-section.js'

const { wallet: texts } = TEXTS
const SHOWN_AT_ONCE = 50
const READ_AT_ONCE = 1_000

/** The filters of the entries. */
export const FILTERS = { kind: ENTRY_KINDS, from: 'day', to: 'day' } as const

/** Every entry of the wallet, including those that do not change the balance. */
export const entries = async (section: WalletSection, page: InWorkspace): Promise<Answer> => {
  const { workspace: { id, currency }, request: { query }, signedIn } = page
  const cursor = cursorIn(page.request)
  const read = await section.readStatement(id, { ...filtersOf(query), limit: SHOWN_AT_ONCE, ...(cursor !== undefined && { cursor }) })
  if (E.isLeft(read)) return failurePage(read.left, signedIn)
  const path = pathOf(page)
  return workspacePage(page, {
    title: texts.tabs.entries, path,
    content: (
      <>
        <WalletTabs path={path} current="entries" />
        <Entries
          path={path} base={`/console/workspaces/${id}`} query={query} entries={read.right}
          isFull={read.right.items.length === SHOWN_AT_ONCE} currency={currency}
        />
      </>
    ),
  })
}

const filtersOf = (query: URLSearchParams): Omit<StatementQuery, 'limit' | 'cursor'> => {
  const kind = ENTRY_KINDS.find((one) => one === query.get('kind'))
  const [since, last] = [parseDay(query.get('from')), parseDay(query.get('to'))]
  return {
    ...(kind !== undefined && { kind }), ...(since !== undefined && { since: since.from }), ...(last !== undefined && { until: last.to }),
  }
}

/** The entries as a file. */
export const download = async (section: WalletSection, page: InWorkspace): Promise<Answer> => {
  const { workspace: { id }, request: { query }, signedIn } = page
  const filters = { ...filtersOf(query), limit: READ_AT_ONCE }
  const [balance, first] = await Promise.all([section.showBalance(id), section.readStatement(id, filters)])
  if (E.isLeft(balance)) return failurePage(balance.left, signedIn)
  if (E.isLeft(first)) return failurePage(first.left, signedIn)
  if (O.isNone(balance.right)) return failurePage({ _tag: 'NotFound' }, signedIn)
  const read = { section, workspace: id, filters, currency: balance.right.value.currency }
  return { _tag: 'Csv', name: 'statement.csv', parts: csvParts(read, first.right) }
}

type Reading = {
  readonly section: WalletSection
  readonly workspace: WorkspaceId
  readonly filters: StatementQuery
  readonly currency: Currency
}

/** Continues reading while the browser receives the data. A failure aborts the download, so that an incomplete file does not look complete. */
async function* csvParts({ section, workspace, filters, currency }: Reading, first: ListPage<Entry>): AsyncGenerator<string> {
  yield STATEMENT_CSV_HEADER
  let page = first
  for (;;) {
    if (page.items.length > 0) yield page.items.map((entry) => statementCsvLine(entry, currency)).join('')
    if (page.next === undefined) return
    const next = await section.readStatement(workspace, { ...filters, cursor: page.next })
    if (E.isLeft(next)) throw new Error('The statement could not be read to its end.', { cause: next.left })
    page = next.right
  }
}
