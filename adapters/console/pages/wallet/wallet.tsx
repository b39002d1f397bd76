import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type Forbidden, isAllowed } from '../../../../core/access/access.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import { type Currency, formatMicros, type InvalidAmount, parseCorrection, parseCredit } from '../../../../core/kernel/money.js'
import { type InvalidNote, type InvalidReference, parseNote, parseReference } from '../../../../core/kernel/text.js'
import type { UnknownWorkspace } from '../../../../core/kernel/workspace.js'
import type { ReferenceReused } from '../../../../core/money/ledger.js'
import type { ToppedUp } from '../../../../core/money/use-cases.js'
import { addToBalance, type BalanceOutOfRange } from '../../../../core/money/wallet.js'
import { type Answer, redirectWithFlash } from '../../answer.js'
import { readingsOf } from '../../amount.js'
import { failurePage } from '../../failure-page.js'
import { writeMoney } from '../../money.js'
import {
  actIn, type ActIn, choosing, inWorkspace, type InWorkspace, listed, type Page, type PageDeps, workspacePage,
} from '../../page.js'
import type { Entry as NavigationEntry } from '../../navigation.js'
import { OPEN_PANEL, type Refused } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { download, entries, FILTERS } from './entries.js'
import { books, day, month, months, readCounting, spend, templatesCsv } from './reports.js'
import { setAlert, showAlert } from './wallet-alerts.js'
import { Asking, Done, HOLDS_SHOWN, type ShownForm } from './wallet-parts.js'
import { WalletPage } from './wallet-page.js'
import { pathOf, WALLET_PATH as PATH, type WalletSection } from './wallet-section.js'

const { wallet: texts, sections } = TEXTS
/** From 1,000 units of the currency, an amount must be confirmed before it is added or removed. */
const LARGE_MICROS = 1_000_000_000n

/** Whether a statement shows movements of zero. */
const FREE = { free: ['show'] } as const

/** The wallet of a workspace: its balance, its statement, its spend and the proof of its books. */
export const walletPages = (deps: PageDeps, section: WalletSection): ReadonlyArray<Page> => {
  const shown = (handle: (section: WalletSection, page: InWorkspace) => Promise<Answer>) =>
    inWorkspace(deps, 'workspace.view', (page) => handle(section, page))
  return [
    { path: PATH, get: shown((_, page) => show(section, page, {})) },
    { path: `${PATH}/entries`, get: choosing(FILTERS, listed('entries', shown(entries))) },
    { path: `${PATH}/statement.csv`, kind: 'export', get: choosing(FILTERS, shown(download)) },
    { path: `${PATH}/spend`, kind: 'report', get: shown(spend) },
    { path: `${PATH}/months`, get: shown(months) },
    { path: `${PATH}/months/:month`, kind: 'report', get: choosing(FREE, shown(month)) },
    { path: `${PATH}/days/:day`, kind: 'report', get: choosing(FREE, listed('entries', shown(day))) },
    { path: `${PATH}/months/:month/templates.csv`, kind: 'report', get: shown(templatesCsv) },
    { path: `${PATH}/books`, kind: 'report', get: shown(books) },
    {
      path: `${PATH}/alerts`, get: shown((_, page) => showAlert(section, page, {})),
      post: actIn(deps, 'wallet.set_alert', (acting) => setAlert(section, acting)),
    },
    { path: `${PATH}/top-up`, post: actIn(deps, 'wallet.top_up', (acting) => topUp(section, acting)) },
    { path: `${PATH}/adjust`, post: actIn(deps, 'wallet.adjust', (acting) => adjust(section, acting)) },
  ]
}

const topUp = async (section: WalletSection, acting: ActIn): Promise<Answer> => {
  const { by, workspace, request: { form: { amount = '', reference = '' } } } = acting
  const { text, readings } = meantBy(acting, amount)
  const micros = parseCredit(text)
  if (E.isLeft(micros)) return answer(section, acting, { name: 'top-up', micros: 0n }, micros)
  const asked = {
    name: 'top-up', act: 'wallet.top_up', micros: micros.right, readings, isRead: E.isRight(parseReference(reference.trim())),
  } as const
  return askFirst(section, acting, asked, async () =>
    answer(section, acting, asked, await section.topUp({ by, workspace, micros: micros.right, reference: reference.trim() })))
}

const adjust = async (section: WalletSection, acting: ActIn): Promise<Answer> => {
  const { by, workspace, request: { form: { amount = '', reference = '', note = '' } } } = acting
  const { text, readings } = meantBy(acting, amount)
  const micros = parseCorrection(text)
  if (E.isLeft(micros)) return answer(section, acting, { name: 'adjust', micros: 0n }, micros)
  const asked = {
    name: 'adjust',
    act: 'wallet.adjust',
    micros: micros.right,
    readings,
    isRead: E.isRight(parseReference(reference.trim())) && E.isRight(parseNote(note.trim())),
  } as const
  return askFirst(section, acting, asked, async () =>
    answer(
      section, acting, asked,
      await section.adjustWallet({ by, workspace, micros: micros.right, note: note.trim(), reference: reference.trim() }),
    ))
}

/** The amount as it is read, and both possible amounts while the person has not chosen one of them. */
const meantBy = ({ request: { form } }: ActIn, amount: string): { readonly text: string; readonly readings: ReadonlyArray<bigint> } => {
  const readings = readingsOf(amount)
  const [first] = readings
  if (first === undefined) return { text: amount.trim(), readings }
  const chosen = readings.find((micros) => form['sure'] === formatMicros(micros))
  return chosen === undefined ? { text: formatMicros(first), readings } : { text: formatMicros(chosen), readings: [] }
}

/** The request of a form; `isRead`: all its other fields are valid. */
type Asked = {
  readonly name: ShownForm['name']; readonly act: 'wallet.top_up' | 'wallet.adjust'; readonly micros: bigint; readonly isRead: boolean
  /** The possible amounts; empty if the amount is known. */
  readonly readings: ReadonlyArray<bigint>
}

/**
 * Asks before a large or ambiguous amount is moved: the page shows it, and its buttons repeat it. An impossible movement is not asked about: the use case refuses it, and records
 * who tried. A confirmation applies to one amount.
 */
const askFirst = async (
  section: WalletSection, { request: { form }, workspace: id, signedIn: { principal }, again }: ActIn, asked: Asked,
  act: () => Promise<Answer>,
): Promise<Answer> => {
  if (form['change'] !== undefined) return again((page) => show(section, page, { shownForm: { name: asked.name, values: form } }))
  const isAsked = asked.micros >= LARGE_MICROS || asked.micros <= -LARGE_MICROS || asked.readings.length > 0
  if (!isAsked || !asked.isRead || form['sure'] === formatMicros(asked.micros) || !isAllowed(principal, asked.act, { id })) return act()
  return again(async (page) => {
    if (!isAllowed(principal, asked.act, page.workspace)) return act()
    const balance = await section.showBalance(id)
    if (E.isLeft(balance)) return failurePage(balance.left, page.signedIn)
    if (O.isNone(balance.right) || E.isLeft(addToBalance(balance.right.value, asked.micros))) return act()
    return workspacePage(page, {
      title: asked.name === 'top-up' ? texts.topUp : texts.adjust, path: pathOf(page),
      content: (
        <Asking
          path={pathOf(page)} name={asked.name} workspace={page.workspace} micros={asked.micros} readings={asked.readings} values={form}
          balance={balance.right.value}
        />
      ),
    })
  })
}

type Refusal =
  | InvalidAmount | InvalidNote | InvalidReference | UnknownWorkspace | ReferenceReused | BalanceOutOfRange | Forbidden | PortFailure

const answer = async (
  section: WalletSection, { workspace, request: { form }, signedIn, again }: ActIn, { name, micros }: Pick<Asked, 'name' | 'micros'>,
  done: E.Either<Refusal, ToppedUp>,
): Promise<Answer> => {
  if (E.isRight(done)) {
    const { isNew, currency } = done.right
    return redirectWithFlash(
      `/console/workspaces/${workspace}/wallet`,
      <Done micros={micros} currency={currency} reference={(form['reference'] ?? '').trim()} isNew={isNew} />,
    )
  }
  const { left } = done
  if (left._tag === 'UnknownWorkspace') return failurePage({ _tag: 'NotFound' }, signedIn)
  if (left._tag === 'Forbidden' || left._tag === 'PortFailure') return failurePage(left, signedIn)
  return again((page) => show(section, page, { shownForm: { name, values: form, ...problemOf(left, page.workspace.currency, name) } }))
}

const problemOf = (
  failure: Exclude<Refusal, UnknownWorkspace | Forbidden | PortFailure>, currency: Currency, form: ShownForm['name'],
): Refused => {
  switch (failure._tag) {
    case 'InvalidAmount': return { problem: texts.problems.InvalidAmount(failure.reason), at: `${form}-amount` }
    case 'BalanceOutOfRange': return { problem: texts.problems.BalanceOutOfRange, at: `${form}-amount` }
    case 'InvalidNote': return { problem: texts.problems.InvalidNote, at: `${form}-note` }
    case 'InvalidReference': return { problem: texts.problems.InvalidReference, at: `${form}-reference` }
    case 'ReferenceReused':
      return { problem: texts.problems.ReferenceReused(writeMoney(failure.credited, currency)), at: `${form}-reference` }
  }
}

/** Opens the form that adds money. */
export const ADD_MONEY: NavigationEntry = {
  path: `${PATH}?${OPEN_PANEL}`, get text() { return texts.topUp }, icon: 'plus', act: 'wallet.top_up', keys: 'a m',
}

const show = async (section: WalletSection, page: InWorkspace, { shownForm }: { readonly shownForm?: ShownForm }): Promise<Answer> => {
  const { workspace, request: { query }, signedIn } = page
  const { id } = workspace
  const [runway, alerts, holds, latest, months, isCounting, scheduled] = await Promise.all([
    section.showRunway(id), section.showAlerts(id), section.showHolds(id, HOLDS_SHOWN + 1), section.showLatest(id), section.listMonths(id),
    readCounting(section), section.showScheduled(id),
  ])
  if (E.isLeft(runway)) return failurePage(runway.left, signedIn)
  if (E.isLeft(alerts)) return failurePage(alerts.left, signedIn)
  if (E.isLeft(holds)) return failurePage(holds.left, signedIn)
  if (E.isLeft(latest)) return failurePage(latest.left, signedIn)
  if (E.isLeft(months)) return failurePage(months.left, signedIn)
  if (E.isLeft(isCounting)) return failurePage(isCounting.left, signedIn)
  if (E.isLeft(scheduled)) return failurePage(scheduled.left, signedIn)
  const { balance, rates } = runway.right
  if (balance === undefined || O.isNone(latest.right)) return failurePage({ _tag: 'NotFound' }, signedIn)
  return workspacePage(page, {
    title: sections.wallet, path: pathOf(page), firstAct: ADD_MONEY, zone: 'UTC',
    ...(isAllowed(page.by.principal, 'wallet.adjust', workspace) && {
      rareActs: { content: <a href={`${pathOf(page)}?${OPEN_PANEL}=adjust`}>{texts.adjust}</a> },
    }),
    ...(shownForm?.problem !== undefined && { status: 422 }),
    content: (
      <WalletPage
        path={pathOf(page)} principal={page.by.principal} workspace={workspace} opened={query.get(OPEN_PANEL)} balance={balance}
        rates={rates} alerts={O.toUndefined(alerts.right)} holds={holds.right} latest={latest.right.value} months={months.right}
        isCounting={isCounting.right} scheduled={scheduled.right} now={section.now()} shownForm={shownForm}
      />
    ),
  })
}
