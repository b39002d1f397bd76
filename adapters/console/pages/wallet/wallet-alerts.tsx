import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import { parseMicros } from '../../../../core/kernel/money.js'
import { type AlertState, NO_ALERTS } from '../../../../core/money/wallet.js'
import { type Answer, redirect } from '../../answer.js'
import { readingsOf, WhichAmount } from '../../amount.js'
import { failurePage } from '../../failure-page.js'
import { typedAmount } from '../../money.js'
import { type ActIn, type InWorkspace, workspacePage } from '../../page.js'
import { Facts, faultAt, Field, Money, Panel, type Refused, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { WalletTabs } from './wallet-parts.js'
import { pathOf, type WalletSection } from './wallet-section.js'

const { settings: settingsTexts, wallet: texts } = TEXTS

/** The result of the form, if it was submitted. */
type Outcome = Refused & { readonly typed?: Readonly<Record<string, string>> }

/** The amount below which the wallet is low, and whether it is now. */
export const showAlert = async (section: WalletSection, page: InWorkspace, outcome: Outcome): Promise<Answer> => {
  const alerts = await section.showAlerts(page.workspace.id)
  if (E.isLeft(alerts)) return failurePage(alerts.left, page.signedIn)
  return workspacePage(page, {
    title: texts.tabs.alerts, path: pathOf(page), status: outcome.problem === undefined ? 200 : 422,
    content: (
      <>
        <WalletTabs path={pathOf(page)} current="alerts" />
        <Alert page={page} alerts={O.getOrElse((): AlertState => NO_ALERTS)(alerts.right)} outcome={outcome} />
      </>
    ),
  })
}

const Alert = ({ page, alerts: { threshold, lowSince, exhaustedSince }, outcome }: {
  readonly page: InWorkspace; readonly alerts: AlertState; readonly outcome: Outcome
}): VNode => {
  const { workspace, signedIn: { principal } } = page
  return (
    <>
      <Facts facts={[
        [texts.threshold, threshold === undefined ? texts.noThreshold : <Money micros={threshold} currency={workspace.currency} />],
        ...(lowSince === undefined ? [] : [[texts.low, <Time at={lowSince} />] as const]),
        ...(exhaustedSince === undefined ? [] : [[texts.exhausted, <Time at={exhaustedSince} />] as const]),
      ]} />
      {isAllowed(principal, 'wallet.set_alert', workspace) && (
        <Panel id="alert" title={settingsTexts.alert}>
          <form method="post" action={`${pathOf(page)}/alerts`}>
            <Field
              id="threshold" label={settingsTexts.thresholdIn(workspace.currency)} hint={settingsTexts.thresholdHint} required={false}
              inputmode="decimal" value={outcome.typed?.['threshold'] ?? (threshold === undefined ? '' : typedAmount(threshold))}
              {...faultAt(outcome, 'threshold')}
            />
            <div><button>{settingsTexts.save}</button></div>
          </form>
        </Panel>
      )}
    </>
  )
}

/** Sets the threshold, or removes it if the field is empty. */
export const setAlert = async (section: WalletSection, { request: { form }, by, workspace, signedIn, again }: ActIn): Promise<Answer> => {
  const given = (form['threshold'] ?? '').trim()
  const wrong = (reason: string) =>
    again((page) => showAlert(section, page, { problem: settingsTexts.wrong.threshold(reason), at: 'threshold', typed: form }))
  if (form['change'] !== undefined) return again((page) => showAlert(section, page, { typed: form }))
  const readings = readingsOf(given)
  if (readings.length > 0) return again(async (page) => whichThreshold(page, form, readings))
  const threshold = given === '' ? E.right(undefined) : parseMicros(given)
  if (E.isLeft(threshold)) return wrong(threshold.left.reason)
  const set = await section.setWalletAlert({ by, workspace, threshold: threshold.right })
  if (E.isRight(set)) return redirect(`/console/workspaces/${workspace}/wallet/alerts`)
  switch (set.left._tag) {
    case 'InvalidAmount': return wrong(set.left.reason)
    case 'UnknownWorkspace': return failurePage({ _tag: 'NotFound' }, signedIn)
    case 'Forbidden': case 'PortFailure': return failurePage(set.left, signedIn)
  }
}

const whichThreshold = (page: InWorkspace, form: ActIn['request']['form'], readings: ReadonlyArray<bigint>): Answer => workspacePage(page, {
  title: settingsTexts.alert, path: pathOf(page),
  content: (
    <WhichAmount
      action={`${pathOf(page)}/alerts`} typed={form['threshold'] ?? ''} readings={readings} currency={page.workspace.currency} values={form}
      field="threshold"
    />
  ),
})
