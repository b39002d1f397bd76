import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { VNode } from 'preact'
import { type Forbidden, isAllowed } from '../../../../core/access/access.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import { categoryNamed } from '../../../../core/kernel/money.js'
import type { Instant } from '../../../../core/kernel/time.js'
import { type RateCard, ratesOf } from '../../../../core/money/rate-card.js'
import { catalogueFault } from '../../../../core/templates/catalogue.js'
import { previewOf } from '../../../../core/templates/parts.js'
import type { SyncTemplatesError } from '../../../../core/templates/sync.js'
import { type SenderId, senderIdOf } from '../../../../core/senders/sender.js'
import { isSendable, type TemplateRecord } from '../../../../core/templates/template.js'
import type { BrowsedTemplates } from '../../../../core/templates/use-cases.js'
import type { Answer } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { writeMoney } from '../../money.js'
import { choosing, cursorIn, inWorkspace, type InWorkspace, listed, type Page, type PageDeps, workspacePage } from '../../page.js'
import { ChoiceField, Empty, Facts, Field, Money, Problem, State, Table, Time, type Tone } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { wordFor } from '../../words.js'
import { byAccount, nameIn, type Numbers, type NumbersDeps, readNumbers } from '../numbers/names.js'
import { Preview } from '../sending/preview.js'
import { readResults, Results, resultsCsv } from './template-results.js'
import type { UsesOf } from '../../gateway.js'

const { templates: texts, sections, parts } = TEXTS
const SHOWN_AT_ONCE = 50
const VARIANTS_AT_ONCE = 100
const PATH = '/console/workspaces/:workspace/templates'
/** The platform's statuses by which people filter templates. */
const STATUSES = ['approved', 'pending', 'rejected', 'paused', 'disabled', 'in_appeal', 'limit_exceeded']

/** The dependencies of these pages. */
export type TemplatesSection = UsesOf<'templates'> & Pick<UsesOf<'money'>, 'showRateCard'> & Pick<UsesOf<'clock'>, 'now'> & NumbersDeps

/** The catalogue of a workspace's templates, and one of them in all its languages. */
export const templatesPages = (deps: PageDeps, section: TemplatesSection): ReadonlyArray<Page> => [
  {
    path: PATH,
    get: choosing({ status: STATUSES }, listed('templates', inWorkspace(deps, 'workspace.view', (page) => list(section, page)))),
  },
  { path: `${PATH}/sync`, post: inWorkspace(deps, 'template.sync', async (page) => sync(section, page)) },
  { path: `${PATH}/:name`, get: inWorkspace(deps, 'workspace.view', (page) => one(section, page)) },
  {
    path: `${PATH}/:name/results.csv`, kind: 'report',
    get: inWorkspace(deps, 'workspace.view', async (page) => {
      const { showResults, now } = section
      return showResults === undefined ? failurePage({ _tag: 'NotFound' }, page.signedIn) : resultsCsv({ showResults, now }, page)
    }),
  },
]

/** Reads the list while the page is being sent: leaving the page stops the reading. */
const sync = (section: TemplatesSection, page: InWorkspace): Answer => {
  const { by, workspace, signedIn, request: { form } } = page
  const sender = namedSender(form['sender'])
  const part = (content: VNode) => workspacePage(page, { title: texts.syncing, path: pathOf(page), content })
  return {
    _tag: 'Progress',
    page: part(<><p>{texts.leave}</p><p><a class="button plain" href={withSender(pathOf(page), sender)}>{texts.back}</a></p></>),
    run: async (show, isStopped) => {
      const onPage = (templates: number): void => show(<p>{texts.soFar(templates)}</p>)
      const synced = await section.syncByHand({ by, workspace: workspace.id, sender, reading: { onPage, isStopped } })
      if (E.isRight(synced)) return part(<p class="note" role="status">{texts.synced(synced.right.templates)}</p>)
      const { left } = synced
      if (left._tag === 'Forbidden' || left._tag === 'PortFailure') return failurePage(left, signedIn)
      return part(<Problem sentence={syncProblem(left)} />)
    },
  }
}

const syncProblem = (failure: Exclude<SyncTemplatesError | Forbidden, Forbidden | PortFailure>): string => {
  switch (failure._tag) {
    case 'SenderNotConfigured': case 'UnknownSender': case 'BusinessAccountNotConfigured': case 'SyncStopped':
      return texts.syncProblems[failure._tag]
    case 'PlatformRejected': case 'CredentialsRefused': case 'PlatformThrottled': case 'PlatformUnreachable':
      return parts.reason(catalogueFault(failure))
  }
}

const list = async (section: TemplatesSection, page: InWorkspace): Promise<Answer> => {
  const { query } = page.request
  const [named, status] = ['name', 'status'].map((key) => query.get(key) || undefined)
  const cursor = cursorIn(page.request)
  const sender = senderIn(page)
  const browsed = await section.browseTemplates({ workspace: page.workspace.id, sender }, {
    limit: SHOWN_AT_ONCE, ...(named !== undefined && { named }), ...(status !== undefined && { status }),
    ...(cursor !== undefined && { cursor }),
  })
  if (E.isLeft(browsed)) return failurePage(browsed.left, page.signedIn)
  const card = await section.showRateCard(page.workspace.id)
  if (E.isLeft(card)) return failurePage(card.left, page.signedIn)
  return workspacePage(page, {
    title: sections.templates, path: pathOf(page),
    content: (
      <Templates
        page={page} numbers={await readNumbers(section, page.workspace.id)} sender={sender} browsed={browsed.right} named={named}
        status={status} card={card.right}
      />
    ),
  })
}

const namedSender = (named: string | null | undefined): SenderId | undefined => (named ? senderIdOf(named) : undefined)

/** The number whose templates are shown; the default number if the address names none. */
const senderIn = ({ request: { query } }: InWorkspace): SenderId | undefined => namedSender(query.get('sender'))

const withSender = (path: string, sender: SenderId | undefined, more: ReadonlyArray<readonly [string, string]> = []): string => {
  const values = [...(sender === undefined ? [] : [['sender', sender]]), ...more].map(([name = '', value = '']) => [name, value])
  return values.length === 0 ? path : `${path}?${new URLSearchParams(values).toString()}`
}

const pathOf = ({ workspace }: InWorkspace): string => `/console/workspaces/${workspace.id}/templates`

const Templates = ({ page, numbers, sender, browsed: { account, refusedSince, state, page: { items, next } }, named, status, card }: {
  readonly page: InWorkspace; readonly numbers: Numbers; readonly sender: SenderId | undefined; readonly browsed: BrowsedTemplates
  readonly named: string | undefined; readonly status: string | undefined; readonly card: RateCard
}): VNode => {
  const path = pathOf(page)
  const filters = Object.entries({ name: named, status }).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
  const ofSender = sender !== undefined && <input type="hidden" name="sender" value={sender} />
  return (
    <>
      <Accounts path={path} numbers={numbers} sender={sender} />
      {account === undefined ? <NoAccount refusedSince={refusedSince} /> : (
        <>
          <p>{state.listedAt === undefined ? texts.neverListed : <>{texts.listedAt} <Time at={state.listedAt} />.</>}</p>
          {state.fault !== undefined && (
            <p class="note bad">{texts.fault} {parts.reason(state.fault.sentence)} (<Time at={state.fault.at} />)</p>
          )}
          {isAllowed(page.by.principal, 'template.sync', page.workspace) && (
            <form method="post" action={`${path}/sync`}>
              {ofSender}
              <p class="hint" id="sync-hint">{texts.syncHint}</p><button class="plain" aria-describedby="sync-hint">{texts.sync}</button>
            </form>
          )}
          <form method="get" action={path}>
            {ofSender}
            <div class="row">
              <Field
                id="name" label={texts.name} hint={texts.nameHint} type="search" value={named ?? ''} required={false} maxLength={512}
              />
              <ChoiceField id="status" label={texts.status}>
                <option value="">{texts.anyStatus}</option>
                {STATUSES.map((one) => <option key={one} value={one} selected={one === status}>{wordFor('statuses', one)}</option>)}
              </ChoiceField>
            </div>
            <button>{texts.show}</button>
          </form>
          {items.length === 0 ? <Empty sentence={texts.none} icon="templates" /> : (
            <Table
              label={sections.templates} isCompact
              columns={[texts.name, texts.status, texts.language, texts.category, { fit: texts.quality }, { number: texts.price }]}
            >
              {items.map((template) => (
                <tr key={`${template.name} ${template.language}`}>
                  <td class="first">
                    <a href={withSender(`${path}/${encodeURIComponent(template.name)}`, sender)}>
                      <code class="cut" title={template.name}>{template.name}</code>
                    </a>
                  </td>
                  <td class="mark"><Status template={template} /></td>
                  <td class="what">{template.language}</td>
                  <td>{wordFor('categories', template.category)}</td>
                  <td class="fit">{template.quality === undefined ? '' : wordFor('qualities', template.quality)}</td>
                  <td class="number sent">{priceRange(card, template)}</td>
                </tr>
              ))}
            </Table>
          )}
          {next !== undefined && (
            <p><a class="button plain" href={withSender(path, sender, [...filters, ['cursor', next]])}>
              {items.length < SHOWN_AT_ONCE ? texts.lookFurther : texts.more}
            </a></p>
          )}
        </>
      )}
    </>
  )
}

/** The choice of the numbers whose templates are shown, if not all numbers have the same ones. */
const Accounts = ({ path, numbers, sender }: {
  readonly path: string; readonly numbers: Numbers; readonly sender: SenderId | undefined
}): VNode | null => {
  const groups = byAccount(numbers)
  if (groups.length < 2) return null
  const chosen = groups.find((group) => group.some((one) => one.sender.phoneNumberId === sender)) ?? groups[0]
  return (
    <nav class="bar" aria-label={texts.whose}><div class="chips">
      {groups.map((group, index) => (
        <a
          key={index} href={withSender(path, index === 0 ? undefined : group[0]?.sender.phoneNumberId)}
          {...(group === chosen && { 'class': 'active', 'aria-current': 'true' })}
        >
          {group.map((one) => nameIn(numbers, one.sender.phoneNumberId)).join(', ')}
        </a>
      ))}
    </div></nav>
  )
}

const NoAccount = ({ refusedSince }: { readonly refusedSince: Instant | undefined }): VNode =>
  refusedSince === undefined
    ? <p>{texts.noAccount}</p>
    : <p class="note bad">{texts.accountRefused} <Time at={refusedSince} />. {texts.notShared}</p>

const Status = ({ template: { status } }: { readonly template: TemplateRecord }): VNode =>
  <State text={wordFor('statuses', status)} tone={TONES[status] ?? (isSendable({ status }) ? 'quiet' : 'bad')} />

const TONES: Readonly<Partial<Record<string, Tone>>> = {
  approved: 'good', pending: 'moving', in_appeal: 'moving', paused: 'attention', limit_exceeded: 'attention',
}

/** The lowest and highest price of a template across all markets. */
export const priceRange = (card: RateCard, { category }: Pick<TemplateRecord, 'category'>): string => {
  const known = categoryNamed(category)
  const prices = known === undefined ? [] : ratesOf(card, known).map(({ micros }) => micros).sort((a, b) => (a < b ? -1 : 1))
  const [least, most] = [prices[0], prices.at(-1)]
  if (least === undefined || most === undefined) return ''
  const [from, to] = [writeMoney(least, card.currency), writeMoney(most, card.currency)]
  return least === most ? from : `${from} – ${to}`
}

const one = async (section: TemplatesSection, page: InWorkspace): Promise<Answer> => {
  const { name = '' } = page.request.params
  const sender = senderIn(page)
  const listed = await section.listTemplates({ workspace: page.workspace.id, sender }, { limit: VARIANTS_AT_ONCE, name })
  if (E.isLeft(listed)) return failurePage(listed.left, page.signedIn)
  const { items } = listed.right
  if (items.length === 0) return failurePage({ _tag: 'NotFound' }, page.signedIn)
  const card = await section.showRateCard(page.workspace.id)
  if (E.isLeft(card)) return failurePage(card.left, page.signedIn)
  const { showResults, now } = section
  const results = showResults === undefined ? E.right(O.none) : await readResults({ showResults, now }, page)
  if (E.isLeft(results)) return failurePage(results.left, page.signedIn)
  return workspacePage(page, {
    title: name, path: pathOf(page),
    content: (
      <>
        {O.isSome(results.right) && (
          <Results
            page={page} base={`/console/workspaces/${page.workspace.id}`} languages={items.map(({ language }) => language)}
            results={results.right.value}
          />
        )}
        {items.map((variant) => <Variant key={variant.language} page={page} template={variant} card={card.right} />)}
        <p><a href={withSender(pathOf(page), sender)}>{texts.all}</a></p>
      </>
    ),
  })
}

const Variant = ({ page, template, card }: {
  readonly page: InWorkspace
  readonly template: TemplateRecord
  readonly card: RateCard
}): VNode => {
  const { name, language, category, quality, status } = template
  const known = categoryNamed(category)
  const send = `/console/workspaces/${page.workspace.id}/send`
  const maySend = isSendable(template) && isAllowed(page.by.principal, 'message.send', page.workspace)
  return (
    <section aria-label={language}>
      <h2>{language}</h2>
      {status === 'rejected' && <p class="note bad">{texts.rejected}</p>}
      <Facts facts={[
        [texts.status, <Status template={template} />], [texts.quality, quality === undefined ? '–' : wordFor('qualities', quality)],
        [texts.category, wordFor('categories', category)], [texts.listedAt, <Time at={template.listedAt} />],
      ]} />
      <h3>{texts.preview}</h3>
      <Preview preview={{ ...previewOf(template, undefined), isPattern: true }} />
      {maySend && (
        <p>
          <a class="button" href={withSender(send, senderIn(page), [['template', `${language} ${name}`]])}>{texts.send}</a>
        </p>
      )}
      <details class="behind">
        <summary>{texts.pricePerMarket}</summary>
        {known === undefined ? <p>{texts.notPriced}</p> : (
          <Table label={`${texts.pricePerMarket} ${language}`} columns={[texts.market, texts.category, { number: texts.price }]}>
            {ratesOf(card, known).map(({ market = '', micros, currency, category: charged }) => (
              <tr key={market}>
                <td data-label={texts.market}>{market === 'default' ? texts.everyOther : `+${market}`}</td>
                <td data-label={texts.category}>{wordFor('categories', charged)}</td>
                <td data-label={texts.price} class="number"><Money micros={micros} currency={currency} /></td>
              </tr>
            ))}
          </Table>
        )}
      </details>
    </section>
  )
}
