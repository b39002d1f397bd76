import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import { formatMarkup, parseMarkup, type Pricing } from '../../../../core/money/pricing.js'
import { type AlertState, NO_ALERTS } from '../../../../core/money/wallet.js'
import type { Workspace } from '../../../../core/kernel/workspace.js'
import { type Answer, type ConsolePath, redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { actIn, type ActIn, inWorkspace, type InWorkspace, type Page, type PageDeps, workspacePage } from '../../page.js'
import { Confirm, Facts, faultAt, Field, Id, Money, Panel, Tick, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import type { GatewayFacts, UsesOf } from '../../gateway.js'
import {
  ConsentPanels, consentSettingsPages, type ConsentSettingsUses, type Outcome, type ShownConsentSettings,
} from './consent-settings.js'

const { settings: texts, consentSettings: consentTexts, sections } = TEXTS
const PATH = '/console/workspaces/:workspace/settings'

/** The dependencies of these pages. */
export type SettingsSection = UsesOf<'money'> & UsesOf<'workspaces'> & Pick<GatewayFacts, 'isSecretSet' | 'retentionDays'> & {
  readonly alerts: UsesOf<'alerts'> | undefined
  /** What customers allow and stop; absent if the storage keeps none. */
  readonly consent?: ConsentSettingsUses | undefined
}

/** The settings of a workspace. */
export const settingsPages = (deps: PageDeps, section: SettingsSection): ReadonlyArray<Page> => [
  { path: PATH, get: inWorkspace(deps, 'workspace.view', (page) => show(section, page, {})) },
  { path: `${PATH}/name`, post: actIn(deps, 'workspace.rename', (acting) => rename(section, acting)) },
  ...(section.alerts === undefined ? [] : [{
    path: `${PATH}/channel`, post: actIn(deps, 'alert.set_channel', (acting) => setChannel(section, acting)),
  }]),
  { path: `${PATH}/prices`, post: actIn(deps, 'workspace.set_prices', (acting) => setPrices(section, acting)) },
  ...(section.consent === undefined
    ? []
    : consentSettingsPages(deps, PATH, section.consent, (page, outcome) => show(section, page, outcome))),
  { path: `${PATH}/archive`, post: actIn(deps, 'workspace.archive', (acting) => archive(section, acting)) },
]

const pathOf = (workspace: string): ConsolePath => `/console/workspaces/${workspace}/settings`

/** The page reports a duplicate name only to operators, who can see all workspaces; others may choose any name. */
const rename = async (section: SettingsSection, { request: { form }, by, workspace, signedIn, again }: ActIn): Promise<Answer> => {
  const seesAll = isAllowed(signedIn.principal, 'workspace.view', undefined)
  const renamed = await section.renameWorkspace({ by, workspace, name: form['name'] ?? '', again: !seesAll || form['again'] !== undefined })
  if (E.isRight(renamed)) return redirect(pathOf(workspace))
  const wrong = (problem: string) => again((page) => show(section, page, { problem, at: 'name', typed: form }))
  switch (renamed.left._tag) {
    case 'InvalidName': return wrong(texts.wrong.name(renamed.left.reason))
    case 'NameTaken': return wrong(texts.wrong.taken(renamed.left.by))
    case 'UnknownWorkspace': return failurePage({ _tag: 'NotFound' }, signedIn)
    case 'Forbidden': case 'PortFailure': return failurePage(renamed.left, signedIn)
  }
}

/** An empty field means the prices of the rate card. Cards of the workspace's own are set by the command line, and stay if the form does not name a markup. */
const setPrices = async (section: SettingsSection, { request: { form }, by, workspace, signedIn, again }: ActIn): Promise<Answer> => {
  const given = (form['markup'] ?? '').trim()
  const wrong = (reason: string) => again((page) => show(section, page, { problem: texts.wrong.markup(reason), at: 'markup', typed: form }))
  const ppm = given === '' ? E.right(undefined) : parseMarkup(given.endsWith('%') ? given : `${given}%`)
  if (E.isLeft(ppm)) return wrong(ppm.left.reason)
  const pricing = ppm.right === undefined ? undefined : { _tag: 'Markup' as const, ppm: ppm.right }
  const set = await section.setPricing({ by, workspace, pricing })
  if (E.isRight(set)) return redirect(pathOf(workspace))
  switch (set.left._tag) {
    case 'InvalidAmount': return wrong(set.left.reason)
    case 'UnknownWorkspace': case 'CardCurrency': return failurePage({ _tag: 'NotFound' }, signedIn)
    case 'Forbidden': case 'PortFailure': return failurePage(set.left, signedIn)
  }
}

const setChannel = async (section: SettingsSection, { request: { form }, by, workspace, signedIn, again }: ActIn): Promise<Answer> => {
  const set = await section.alerts?.setAlertChannel({ by, workspace, url: form['remove'] === undefined ? form['channel'] ?? '' : '' })
  if (set === undefined || E.isRight(set)) return redirect(pathOf(workspace))
  const { left } = set
  switch (left._tag) {
    case 'InvalidEndpointUrl':
      return again((page) => show(section, page, { problem: texts.wrong.channel(left.reason), at: 'channel', typed: form }))
    case 'UnknownWorkspace': return failurePage({ _tag: 'NotFound' }, signedIn)
    case 'Forbidden': case 'PortFailure': return failurePage(left, signedIn)
  }
}

/** Archiving cannot be undone, so the person types the name of the workspace. A person who may not archive it is refused without being asked. */
const archive = async (section: SettingsSection, { request: { form }, by, workspace, signedIn, again }: ActIn): Promise<Answer> => {
  const act = async (): Promise<Answer> => {
    const archived = await section.archiveWorkspace({ by, workspace })
    if (E.isRight(archived)) return redirect('/console')
    return failurePage(archived.left._tag === 'UnknownWorkspace' ? { _tag: 'NotFound' } : archived.left, signedIn)
  }
  const mayArchive = (place: Pick<Workspace, 'id' | 'archivedAt'>): boolean => isAllowed(signedIn.principal, 'workspace.archive', place)
  if (!mayArchive({ id: workspace })) return act()
  return again(async (page) => {
    const isMeant = (form['sure'] ?? '').trim() === page.workspace.name.trim()
    return isMeant || !mayArchive(page.workspace) ? act() : show(section, page, { problem: texts.wrong.sure, at: 'sure', typed: form })
  })
}

const show = async (section: SettingsSection, page: InWorkspace, outcome: Outcome): Promise<Answer> => {
  const alerts = await section.showAlerts(page.workspace.id)
  if (E.isLeft(alerts)) return failurePage(alerts.left, page.signedIn)
  const { id, name, archivedAt } = page.workspace
  const channel = await section.alerts?.showChannel(id)
  if (channel !== undefined && E.isLeft(channel) && section.isSecretSet) return failurePage(channel.left, page.signedIn)
  const hasChannel = channel !== undefined && E.isRight(channel) && O.isSome(channel.right)
  const mayArchive = archivedAt === undefined && isAllowed(page.signedIn.principal, 'workspace.archive', page.workspace)
  const consent = await section.consent?.showSettings(id)
  if (consent !== undefined && E.isLeft(consent)) return failurePage(consent.left, page.signedIn)
  const pricing = await section.showPricing(page.workspace.id)
  if (E.isLeft(pricing)) return failurePage(pricing.left, page.signedIn)
  return workspacePage(page, {
    title: sections.settings, path: pathOf(id), status: outcome.problem === undefined ? 200 : 422,
    ...(mayArchive && {
      rareActs: { content: <Archive path={pathOf(id)} name={name} outcome={outcome} />, isOpen: outcome.at === 'sure' },
    }),
    content: (
      <SettingsPage
        page={page} alerts={O.getOrElse((): AlertState => NO_ALERTS)(alerts.right)} days={section.retentionDays} outcome={outcome}
        channel={section.alerts === undefined || !section.isSecretSet ? undefined : hasChannel ? 'set' : 'none'}
        pricing={O.toUndefined(pricing.right)} consent={consent?.right}
      />
    ),
  })
}

const pricingText = (pricing: Pricing | undefined): string => {
  if (pricing === undefined) return texts.standardPrices
  return pricing._tag === 'Markup' ? texts.markedPrices(formatMarkup(pricing.ppm)) : texts.ownCards(pricing.cards.length)
}

const SettingsPage = ({ page, alerts, days, pricing, outcome, channel, consent }: {
  readonly page: InWorkspace; readonly alerts: AlertState; readonly days: number | undefined; readonly outcome: Outcome
  readonly pricing: Pricing | undefined
  readonly channel: 'none' | 'set' | undefined
  readonly consent: ShownConsentSettings | undefined
}): VNode => {
  const { workspace, signedIn: { principal } } = page
  const { id, name, currency, createdAt, archivedAt } = workspace
  const path = pathOf(id)
  const { typed = {} } = outcome
  const seesAll = isAllowed(principal, 'workspace.view', undefined)
  const { threshold } = alerts
  return (
    <>
      <Facts facts={[
        [texts.id, <Id of={id} isWhole />], [texts.name, name], [texts.currency, currency], [texts.made, <Time at={createdAt} />],
        [
          texts.threshold,
          <a href={`/console/workspaces/${id}/wallet/alerts`}>
            {threshold === undefined ? texts.noThreshold : <Money micros={threshold} currency={currency} />}
          </a>,
        ],
        ...(consent === undefined ? [] : [
          [consentTexts.needed, consent.marketingNeedsConsent ? consentTexts.isNeeded : consentTexts.isNotNeeded] as const,
        ]),
        [texts.retention, days === undefined ? texts.forEver : texts.forDays(days)],
        ...(archivedAt === undefined ? [] : [[texts.archived, <Time at={archivedAt} />] as const]),
      ]} />
      {isAllowed(principal, 'workspace.rename', workspace) && (
        <Panel id="rename" title={texts.rename}>
          <form method="post" action={`${path}/name`}>
            <Field id="name" label={texts.name} value={typed['name'] ?? name} maxLength={200} {...faultAt(outcome, 'name')} />
            {seesAll && <Tick id="again" label={texts.again} isTicked={false} />}
            <div><button>{texts.doRename}</button></div>
          </form>
        </Panel>
      )}
      {channel !== undefined && isAllowed(principal, 'alert.set_channel', workspace) && (
        <Panel id="channel-panel" title={texts.channel}>
          <form method="post" action={`${path}/channel`}>
            <Field
              id="channel" label={texts.channelUrl} hint={channel === 'set' ? texts.channelIsSet : texts.channelHint} type="url"
              value={typed['channel']} maxLength={2_048} {...faultAt(outcome, 'channel')}
            />
            <div>
              <button>{texts.save}</button>
              {channel === 'set' && <button class="plain" name="remove" value="yes" formnovalidate>{texts.channelRemove}</button>}
            </div>
          </form>
        </Panel>
      )}
      {consent !== undefined && <ConsentPanels page={page} path={path} settings={consent} outcome={outcome} />}
      {isAllowed(principal, 'workspace.set_prices', workspace) && (
        <Panel id="prices" title={texts.prices}>
          <p>{pricingText(pricing)}</p>
          <form method="post" action={`${path}/prices`}>
            <Field
              id="markup" label={texts.markup} hint={texts.markupHint} required={false} inputmode="decimal"
              value={typed['markup'] ?? (pricing?._tag === 'Markup' ? formatMarkup(pricing.ppm) : '')}
              {...faultAt(outcome, 'markup')}
            />
            <div><button>{texts.savePrices}</button></div>
          </form>
        </Panel>
      )}
    </>
  )
}

const Archive = ({ path, name, outcome }: { readonly path: string; readonly name: string; readonly outcome: Outcome }): VNode => (
  <Confirm
    title={texts.archiveThis} sentence={texts.archiveSentence} action={`${path}/archive`} verb={texts.doArchive} isDangerous
    isOpen={outcome.at === 'sure'}
  >
    <Field id="sure" label={texts.sure(name)} value={outcome.typed?.['sure']} maxLength={200} {...faultAt(outcome, 'sure')} />
  </Confirm>
)
