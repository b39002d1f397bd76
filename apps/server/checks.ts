import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type CheckSender, makeCheckSender } from '../../adapters/cloud-api/cloud-api.js'
import { makeTemplateSource } from '../../adapters/cloud-api/templates.js'
import { versionEnd } from '../../adapters/cloud-api/transport.js'
import { type HostState, type KnexStorage, openStorage } from '../../adapters/knex/index.js'
import { SecretUnusable } from '../../adapters/knex/secret-box.js'
import { makeOidcProvider, OIDC_CALLBACK_PATH } from '../../adapters/oidc/index.js'
import type { EventEndpoint, EventEndpoints } from '../../core/events/endpoint.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from '../../core/kernel/time.js'
import type { Workspace } from '../../core/kernel/workspace.js'
import { cardAt, hasBegun, type RateCards } from '../../core/money/rate-card.js'
import { makeAuditBooks } from '../../core/money/use-cases.js'
import type { AccountField } from '../../core/reports/account.js'
import type { NumberHealth } from '../../core/senders/number-health.js'
import { readableAccount, type Sender, type TemplateAccount } from '../../core/senders/sender.js'
import { type Apps, type PlatformApp, webhookPathOf } from '../../core/workspaces/apps.js'
import {
  ANY_TEMPLATE, catalogueFault, type CatalogueState, isTooOld, type TemplateCatalogue, type TemplateSource, type TemplateSourceError,
} from '../../core/templates/catalogue.js'
import type { TemplateRecord } from '../../core/templates/template.js'
import { checkHolds } from './check-queue.js'
import { type CheckResult, failed, passed, warned } from './check-result.js'
import { type Config, type Env, readConfig, strangeVariables } from './config.js'
import { causeOf } from './package.js'
import { loadRateCards } from './rate-card.js'
import { openTransport } from './transport.js'
import { everyItem, listed, numberSummary, printable, statusCounts, stored, summaryOf } from './summary.js'

/** Names the endpoints of a workspace that fail, whose secrets cannot be decrypted, or that are disabled; no line if there are no endpoints. */
export const checkEndpoints = async (
  eventEndpoints: Pick<EventEndpoints, 'list' | 'secretsOf'>, workspace: WorkspaceId,
): Promise<ReadonlyArray<CheckResult>> => {
  const endpoints = await stored(eventEndpoints.list(workspace))
  if (endpoints.length === 0) return []
  const check = `endpoints of ${workspace}`
  const enabled = endpoints.filter(({ status }) => status === 'enabled')
  const failing = listed('failing', enabled.flatMap(failureOf))
  const disabled = listed('disabled', endpoints.filter(({ status }) => status === 'disabled').map(({ id }) => id))
  const closed: string[] = []
  for (const { id } of enabled) {
    const secrets = await eventEndpoints.secretsOf(id)
    if (E.isLeft(secrets) && secrets.left.cause instanceof SecretUnusable) closed.push(id)
  }
  if (closed.length > 0) {
    return [failed(check, [...listed('whose secret cannot be decrypted', closed), ...failing, ...disabled].join('; '), SECRETS_REMEDY)]
  }
  return [
    failing.length === 0
      ? passed(check, [`${enabled.length} enabled`, ...disabled].join('; '))
      : failed(check, [...failing, ...disabled].join('; '), ENDPOINT_REMEDY),
  ]
}

const SECRETS_REMEDY = 'Set POSTERN_SECRET to the secret with which they were stored, or create a new secret for each endpoint with `postern endpoint rotate ID`.'

const ENDPOINT_REMEDY = 'List the errors with `postern endpoint deliveries ID`; an endpoint that fails for five days is disabled.'

const failureOf = ({ id, failingSince }: EventEndpoint): ReadonlyArray<string> => (failingSince === undefined ? [] : [`${id} since ${new Date(failingSince).toISOString()}`])

/** How long before the end of a version the check reports it. */
const NOTICE_MS = 183 * DAY_MS

/** Reports a version of the platform's API that ends within six months or has ended; no line for other versions. */
export const checkApiVersion = (version: string, now: Instant): ReadonlyArray<CheckResult> => {
  const end = versionEnd(version)
  if (end === undefined || end - now > NOTICE_MS) return []
  const day = new Date(end).toISOString().slice(0, 10)
  return [warned('PLATFORM_VERSION', `version ${version} of the platform's API ${end > now ? 'ends' : 'ended'} on ${day}; choose a later one`)]
}

/** Why a list of templates cannot be read, without a full stop, and how to fix it. */
export const readingFault = (error: TemplateSourceError): { readonly fault: string; readonly remedy: string } =>
  ({ fault: catalogueFault(error).replace(/\.$/, ''), remedy: remedyOf(error) })

const remedyOf = (error: TemplateSourceError): string => {
  switch (error._tag) {
    case 'PlatformRejected':
      return 'Check that it is the id of the WhatsApp business account, not of a number or an app; `postern sender set` stores another one.'
    case 'CredentialsRefused': return 'Give the access token the permission whatsapp_business_management, or store another one with `postern sender set`.'
    case 'PlatformThrottled':
      return error.retryAfterSeconds === undefined ? 'Try again in an hour.' : `Try again in ${error.retryAfterSeconds} seconds.`
    case 'PlatformUnreachable': return 'Check that PLATFORM_URL is right and the platform can be reached.'
  }
}

/** Checks that a sender may read the templates of its business account, which costs one call; no line if it may. */
export const checkTemplateAccess = async (
  workspace: string, account: TemplateAccount, templateSource: TemplateSource,
): Promise<ReadonlyArray<CheckResult>> => {
  const answer = await templateSource.list(account, ANY_TEMPLATE)
  if (E.isRight(answer)) return []
  const { fault, remedy } = readingFault(answer.left)
  const outcome = 'without the list, templates are neither checked nor priced by their own category, but messages are still sent'
  return [failed(`templates of ${workspace}`, `business account ${account.businessAccountId}: ${fault}; ${outcome}`, remedy)]
}

/** Shows how old the catalogue of a business account is, and which templates the platform has paused or disabled. */
export const showCatalogue = async (
  workspace: string, accountId: string, templateCatalogue: Pick<TemplateCatalogue, 'stateOf' | 'list'>, now: Instant,
): Promise<CheckResult> => {
  const state = await stored(templateCatalogue.stateOf(accountId))
  const templates = await everyItem((query) => stored(templateCatalogue.list(accountId, query)))
  const isOld = state.listedAt !== undefined && isTooOld(state.listedAt, now)
  return (isOld ? warned : passed)(`catalogue of ${workspace}`, [ageOf(state, now, templates), ...saidOf(templates)].join('; '))
}

/** Reports that the workspace cannot see the catalogue of its business account. */
export const showRefused = (workspace: string, accountId: string, since: Instant): CheckResult =>
  passed(
    `catalogue of ${workspace}`,
    `not used since ${new Date(since).toISOString()}: business account ${accountId} could not be read with this token, but it could with the token of another workspace; `
      + 'a gateway tries again when it next reads the list, and so does `postern template sync`',
  )

const ageOf = ({ listedAt, fault }: CatalogueState, now: Instant, templates: ReadonlyArray<TemplateRecord>): string => {
  const failure = fault === undefined ? [] : [`the last read failed ${agoOf(now - fault.at)}: ${printable(fault.sentence).replace(/\.$/, '')}`]
  if (listedAt === undefined) return ['the list was never read; a gateway reads it when it starts', ...failure].join('; ')
  const read = `${statusCounts(templates)} read ${agoOf(now - listedAt)}`
  const old = isTooOld(listedAt, now)
    ? ['a list older than a day is not used for checks; make sure that a gateway is running, and check TEMPLATE_SYNC_MINUTES']
    : []
  return [read, ...old, ...failure].join('; ')
}

const agoOf = (ms: number): string => {
  if (ms < 2 * MINUTE_MS) return ms < MINUTE_MS ? 'less than a minute ago' : 'a minute ago'
  if (ms < 2 * HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} minutes ago`
  return ms < 2 * DAY_MS ? `${Math.floor(ms / HOUR_MS)} hours ago` : `${Math.floor(ms / DAY_MS)} days ago`
}

/** The platform pauses and disables approved templates, and lowers the quality of templates that it is about to pause. */
const saidOf = (templates: ReadonlyArray<TemplateRecord>): ReadonlyArray<string> => [
  ...['paused', 'disabled'].flatMap((status) => listed(status, namesOf(templates.filter((template) => template.status === status)))),
  ...['red', 'yellow'].flatMap((quality) =>
    listed(
      `of ${quality} quality`, namesOf(templates.filter((template) => template.status === 'approved' && template.quality === quality)),
    )),
]

const namesOf = (templates: ReadonlyArray<TemplateRecord>): ReadonlyArray<string> =>
  templates.map(({ name, language }) => printable(`${name} (${language})`))

/** Reads the metadata of the identity provider; no line if none is configured. Only a sign-in shows whether the provider knows the client and accepts the secret. */
export const checkIdentityProvider = async ({ oidc, secret }: Config): Promise<ReadonlyArray<CheckResult>> => {
  if (oidc === undefined || secret === undefined) return []
  const begun = await makeOidcProvider({ ...oidc, secret }).begin(`http://127.0.0.1${OIDC_CALLBACK_PATH}`)
  return E.isRight(begun)
    ? [passed('identity provider', 'its metadata was read; only a sign-in shows whether it accepts the client and its secret')]
    : [failed('identity provider', causeOf(begun.left.cause).message, PROVIDER_REMEDY)]
}

const PROVIDER_REMEDY = "Check that OIDC_ISSUER is the issuer that the provider's metadata names, and that this machine can reach it. Other ways of signing in still work."

/** Connects to the mail server of alerts and signs in; no line if none is set. */
export const checkMail = async ({ mail }: Pick<Config, 'mail'>): Promise<ReadonlyArray<CheckResult>> => {
  if (mail === undefined) return []
  const { makeMailCarrier } = await import('../../adapters/mail/mail-carrier.js')
  const carrier = makeMailCarrier(mail)
  const fault = await carrier.check()
  carrier.close()
  return [fault === undefined ? passed('mail server') : failed('mail server', withoutFullStop(fault), MAIL_REMEDY)]
}

const MAIL_REMEDY = 'Check that SMTP_URL has the right host, port, user and password, and that this machine can reach it.'

/** Says which of several rate cards applies now, and warns if none of the cards applies yet. */
export const checkRateCards = (cards: RateCards, now: Instant): CheckResult => {
  const card = cardAt(cards, now)
  if (!hasBegun(card, now)) return warned('rate card', `its prices start on ${card.effective} but are in effect already, because there is no earlier card; add one`)
  const next = cards.map(({ effective }) => effective).filter((day) => day > card.effective).sort()[0]
  const until = next === undefined ? '' : ` until the card of ${next} starts`
  return passed('rate card', cards.length === 1 ? undefined : `the card of ${card.effective} is in effect${until}`)
}

/** Checks variables whose values decode but are unsafe or incomplete. */
export const checkVariables = ({ secret, platform }: Config): ReadonlyArray<CheckResult> => [
  checkSecret(secret),
  ...(hasWebhook(platform) ? [passed('webhook')] : []),
  ...checkAppSecret(platform),
  ...(isPlainHttpAcrossNetwork(platform.url)
    ? [
        failed(
          'PLATFORM_URL', 'it is an http:// address of another machine, so access tokens and messages cross the network unencrypted',
          'Use https://.',
        ),
      ]
    : []),
]

const NEW_SECRET = 'Set it to at least 32 random characters, for example from `openssl rand -hex 32`, and keep it.'

/** Random text of 32 characters has about 20 different characters, and random hexadecimal digits about 14. */
const LEAST_DIFFERENT = 8

const checkSecret = (secret: string | undefined): CheckResult => {
  if (secret === undefined) return failed('POSTERN_SECRET', 'it is not set, so no sender can be stored or read', NEW_SECRET)
  const different = new Set(secret).size
  if (different === 1) return failed('POSTERN_SECRET', 'all its characters are equal, so it can be guessed', NEW_SECRET)
  return different < LEAST_DIFFERENT
    ? failed('POSTERN_SECRET', `it has only ${different} different characters, so it can be guessed`, NEW_SECRET)
    : passed('POSTERN_SECRET')
}

const hasWebhook = ({ verifyToken, appSecret }: Config['platform']): boolean => verifyToken !== undefined && appSecret !== undefined

const NO_WEBHOOK = failed(
  'webhook', "PLATFORM_VERIFY_TOKEN or PLATFORM_APP_SECRET is not set, so customers' messages do not open windows and the platform's reports are refused",
  "Set both as in the platform's app settings.",
)

/** The format of the platform's app secrets. */
const APP_SECRET = /^[0-9a-f]{32}$/

const WHERE_REFUSALS_SHOW = 'a notification with a wrong signature is logged as webhook_signature_rejected and counted in postern_webhook_rejected_total'

/** A simulator on this machine accepts any secret. */
const checkAppSecret = ({ appSecret, url }: Config['platform']): ReadonlyArray<CheckResult> => {
  if (appSecret === undefined) return []
  return APP_SECRET.test(appSecret) || isLoopback(new URL(url).hostname)
    ? [passed('PLATFORM_APP_SECRET', `only notifications show whether it is right: ${WHERE_REFUSALS_SHOW}`)]
    : [failed('PLATFORM_APP_SECRET', "it is not 32 hexadecimal digits in lower case, as the platform's app secrets are, so every notification may be refused",
      `Copy the app secret from the app's settings. It is wrong if ${WHERE_REFUSALS_SHOW}.`)]
}

/** Checks the stored apps. If there are any, the environment may leave out its own. */
const checkApps = async (
  { platform }: Pick<Config, 'platform'>, apps: Pick<Apps, 'list' | 'secretsOf'>,
): Promise<ReadonlyArray<CheckResult>> => {
  const all = await stored(apps.list())
  const results: CheckResult[] = []
  for (const app of all) results.push(await checkApp(app, await apps.secretsOf(app.id), platform))
  if (hasWebhook(platform)) return results
  return [all.length === 0 ? NO_WEBHOOK : passed('webhook', 'the environment has none; those of the apps are used'), ...results]
}

const checkApp = async (
  app: PlatformApp, secrets: Awaited<ReturnType<Apps['secretsOf']>>, { url }: Config['platform'],
): Promise<CheckResult> => {
  const check = `app ${app.name}`
  if (E.isLeft(secrets)) {
    return failed(check, `its secrets cannot be read: ${causeOf(secrets.left.cause).message}`,
      `Set POSTERN_SECRET to the secret with which they were stored, or store new ones with \`postern app rotate ${app.name}\`, then --finish, and with --verify-token.`)
  }
  const known = O.isSome(secrets.right) ? [secrets.right.value.appSecret, secrets.right.value.secondAppSecret ?? ''] : []
  if (!known.every((secret) => secret === '' || APP_SECRET.test(secret)) && !isLoopback(new URL(url).hostname)) {
    return failed(check, "an app secret is not 32 hexadecimal digits in lower case, as the platform's app secrets are",
      `Copy the app secret from the app's settings to \`postern app rotate ${app.name}\`.`)
  }
  const since = app.rotatingSince === undefined ? '' : `; two app secrets are valid since ${new Date(app.rotatingSince).toISOString()}`
  return passed(check, `its webhook is ${webhookPathOf(app)}${since}`)
}

const isPlainHttpAcrossNetwork = (address: string): boolean => {
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && !isLoopback(hostname)
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127(\.[0-9]{1,3}){3}$/.test(hostname)

/** Checks everything that a gateway with this environment needs. A fault that hides others ends the later checks. */
export const runChecks = async (env: Env): Promise<ReadonlyArray<CheckResult>> => {
  const config = readConfig(env)
  if (E.isLeft(config)) return config.left.map((line) => failed('configuration', withoutFullStop(line), 'Correct the variable.'))
  const cards = await loadRateCards(config.right.rateCard)
  const results: CheckResult[] = strangeVariables(env).map(({ name, meant }) => warned(name, `this variable does not exist${meant === undefined ? '' : `; ${meant} does`}`))
  for await (const result of checksOf(config.right, cards)) results.push(result)
  return results
}

/** The checks of a configuration, one after the other. If no open storage is passed, the database is opened for them. */
export async function* checksOf(
  config: Config, cards: Awaited<ReturnType<typeof loadRateCards>>, open?: KnexStorage,
): AsyncGenerator<CheckResult> {
  yield passed('configuration')
  yield* checkVariables(config)
  yield* checkApiVersion(config.platform.version, Date.now())
  if (E.isLeft(cards)) for (const line of cards.left) yield failed('rate card', withoutFullStop(line), 'Correct the file that RATE_CARD names.')
  else yield checkRateCards(cards.right, Date.now())
  yield* await checkIdentityProvider(config)
  yield* await checkMail(config)
  yield* checkDatabase(config, E.isRight(cards) ? cards.right[0].currency : undefined, open)
}

const NOT_ACCEPTED = 'Check that PLATFORM_URL, the phone number id and the access token are right; `postern sender set` stores new ones.'

const withoutFullStop = (sentence: string): string => sentence.replace(/\.$/, '')

async function* checkDatabase(config: Config, pricedIn: Currency | undefined, open: KnexStorage | undefined): AsyncGenerator<CheckResult> {
  try {
    const storage = open ?? openStorage({ url: config.databaseUrl, secret: config.secret })
    try {
      const diagnosis = await storage.diagnosis()
      if (diagnosis !== undefined) {
        if (!hasWebhook(config.platform)) yield NO_WEBHOOK
        yield failed('database', diagnosis.fault, diagnosis.remedy)
        return
      }
      yield passed('database', summaryOfHosts(await storage.tryDatabaseHosts()))
      yield* await checkApps(config, storage.apps)
      yield* await checkBooks(config, storage)
      yield* await checkHolds(storage)
      yield* checkWorkspaces(config, storage, pricedIn)
    } finally {
      if (open === undefined) await storage.close()
    }
  } catch (error) {
    yield failed('database', withoutFullStop(causeOf(error).message), 'Check that DATABASE_URL is right and its server is running.')
  }
}

/** Which of several hosts accepts writes, and what is wrong with the others. A gateway uses one of them. */
const summaryOfHosts = (hosts: ReadonlyArray<HostState>): string | undefined =>
  hosts.length === 0 ? undefined : hosts.map(({ name, state, fault }) => `${name} ${HOST_STATES[state]}${fault === undefined ? '' : ` (${fault})`}`).join(', ')

const HOST_STATES: Readonly<Record<HostState['state'], string>> = { used: 'is used', unused: 'could be used', failed: 'cannot be used now' }

const checkBooks = async ({ limits }: Config, storage: KnexStorage): Promise<ReadonlyArray<CheckResult>> => {
  const { broken } = await stored(makeAuditBooks({ ...storage, ...limits })())
  return broken.length === 0
    ? [passed('books')]
    : broken.map(({ workspace, fault }) => failed(`books of ${workspace}`, fault, 'Keep the database as it is and find out what wrote to it.'))
}

/** How many workspaces are checked; the check of one workspace costs some queries, and that of each of its senders two calls to the platform. */
const MAX_WORKSPACES = 200

/** How many workspaces are checked concurrently. */
const WORKSPACES_AT_ONCE = 16

/** At most `most` items of a list, spread evenly over it, or all if the list is shorter. `random`, from 0 up to 1, decides where the sample begins. */
export const sampleOf = <Item>(items: ReadonlyArray<Item>, most: number, random: number): ReadonlyArray<Item> => {
  if (items.length <= most) return items
  const step = items.length / most
  return Array.from({ length: most }, (_, index) => items[Math.floor((index + random) * step)]).filter((item) => item !== undefined)
}

/** Works on `atOnce` items concurrently, and returns the results in the order of the items. If it ends early, it waits for the work in progress. */
export async function* sideBySide<Item, Result>(
  items: ReadonlyArray<Item>, atOnce: number, work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Array<Promise<Result>> = []
  try {
    for (const item of items) {
      const result = work(item)
      // A failure is thrown when its result is due.
      result.catch(() => undefined)
      running.push(result)
      if (running.length < atOnce) continue
      const first = running.shift()
      if (first !== undefined) yield await first
    }
    for (let first = running.shift(); first !== undefined; first = running.shift()) yield await first
  } finally {
    await Promise.allSettled(running)
  }
}

async function* checkWorkspaces(config: Config, storage: KnexStorage, pricedIn: Currency | undefined): AsyncGenerator<CheckResult> {
  const workspaces = await stored(storage.workspaces.list())
  const transport = openTransport(config.platform)
  const { url: baseUrl, version, timeoutMs } = config.platform
  const endpoint = { baseUrl, version, timeoutMs, transport: transport.send }
  const [checkSender, templateSource] = [makeCheckSender(endpoint), makeTemplateSource(endpoint)]
  try {
    for (const workspace of workspaces) yield* checkCurrency(workspace, pricedIn)
    const sample = sampleOf(workspaces, MAX_WORKSPACES, Math.random())
    if (sample.length < workspaces.length) {
      yield passed('workspaces', `the senders and endpoints of ${sample.length} of ${workspaces.length} workspaces are checked; each run checks others`)
    }
    const checked = sideBySide(sample, WORKSPACES_AT_ONCE, async (workspace) => [
      ...await checkSendersOf(storage, workspace, checkSender, templateSource),
      ...await showNumbers(storage.numberHealth, workspace.id),
      ...await checkEndpoints(storage.eventEndpoints, workspace.id),
    ])
    for await (const results of checked) yield* results
  } finally {
    await transport.close()
  }
}

const checkCurrency = ({ id, currency }: Workspace, pricedIn: Currency | undefined): ReadonlyArray<CheckResult> =>
  pricedIn === undefined || pricedIn === currency
    ? []
    : [
        failed(
          `currency of ${id}`, `its wallet is in ${currency} and the rate card in ${pricedIn}, so it can send nothing`,
          `Load a rate card in ${currency}.`,
        ),
      ]

const TOKEN_REMEDY = 'Set POSTERN_SECRET to the secret with which it was stored, or run `postern sender set` again.'

/** How many senders of one workspace are checked. */
const MAX_SENDERS_OF_ONE = 25

/**
 * Checks every sender of a workspace, the default sender first, and each of their business accounts once. If there are several senders, the checks name them; if there
 * are several accounts, they name those.
 */
const checkSendersOf = async (
  storage: KnexStorage, { id }: Workspace, checkSender: CheckSender, templateSource: TemplateSource,
): Promise<ReadonlyArray<CheckResult>> => {
  const found = await storage.senders.sendersOf(id)
  if (E.isLeft(found)) {
    return [failed(`sender of ${id}`, `it cannot be read: ${causeOf(found.left.cause).message}`, TOKEN_REMEDY)]
  }
  const senders = found.right
  if (senders.length === 0) return [failed(`sender of ${id}`, 'the workspace has no sender', 'Run `postern sender set`.')]
  const sample = sampleOf(senders, MAX_SENDERS_OF_ONE, Math.random())
  const results: Array<CheckResult> = sample.length === senders.length
    ? []
    : [passed(`senders of ${id}`, `${sample.length} of ${senders.length} senders are checked; each run checks others`)]
  const accounts = new Set(senders.map(({ businessAccountId }) => businessAccountId).filter((account) => account !== undefined))
  const [shown, of] = [new Set<string>(), (name: string, among: number): string => (among > 1 ? `${name} of ${id}` : id)]
  for (const sender of sample) {
    const account = readableAccount(sender)
    const name = of(sender.phoneNumberId, senders.length)
    const read = await storage.senders.senderOf(id, sender.phoneNumberId)
    if (E.isLeft(read)) results.push(failed(`sender of ${name}`, `it cannot be read: ${causeOf(read.left.cause).message}`, TOKEN_REMEDY))
    else if (O.isSome(read.right)) results.push(...await checkSenderOf(name, read.right.value, checkSender, templateSource))
    if (account === undefined || shown.has(account)) continue
    shown.add(account)
    const among = of(account, accounts.size)
    results.push(
      await showAccount(storage, among, account), await showCatalogue(among, account, storage.templateCatalogue, Date.now()),
    )
  }
  return results
}

/** Checks one sender; `of` names it. Its readable account is checked with the accounts of its workspace. */
const checkSenderOf = async (
  of: string, sender: Sender, checkSender: CheckSender, templateSource: TemplateSource,
): Promise<ReadonlyArray<CheckResult>> => {
  const { businessAccountId, accessToken, accountRefusedSince } = sender
  const accepted = await checkAccepted(`sender of ${of}`, sender, checkSender)
  if (businessAccountId === undefined) return [accepted, passed(`catalogue of ${of}`, NO_ACCOUNT)]
  const access = accepted.fault === null ? await checkTemplateAccess(of, { businessAccountId, accessToken }, templateSource) : []
  return [accepted, ...access, ...(accountRefusedSince === undefined ? [] : [showRefused(of, businessAccountId, accountRefusedSince)])]
}

const NO_ACCOUNT = 'the sender has no business account id, so templates are not checked and not priced by their own category'

/**
 * What the platform last reported about the sender's business account. Its notices come by webhook, so the check makes no call. Notices about templates are
 * omitted if the catalogue contains these templates.
 */
const showAccount = async (
  { accountNotices, templateCatalogue }: KnexStorage, workspace: string, accountId: string,
): Promise<CheckResult> => {
  const { listedAt } = await stored(templateCatalogue.stateOf(accountId))
  const notices = await stored(accountNotices.latest(accountId))
  const shown = listedAt === undefined ? notices : notices.filter(({ field }) => !ABOUT_TEMPLATES.includes(field))
  return passed(`business account of ${workspace}`, summaryOf(shown, Date.now()))
}

/** The quality and the limits of each number of a workspace, as a gateway last read them; no line for a number that was never read. */
export const showNumbers = async (
  numberHealth: Pick<NumberHealth, 'of'>, workspace: WorkspaceId,
): Promise<ReadonlyArray<CheckResult>> =>
  (await stored(numberHealth.of(workspace))).map((number) =>
    (number.quality === 'red' ? warned : passed)(`number ${number.phoneNumberId} of ${workspace}`, numberSummary(number)))

const ABOUT_TEMPLATES: ReadonlyArray<AccountField> = [
  'message_template_status_update', 'message_template_quality_update', 'template_category_update',
]

const checkAccepted = async (check: string, sender: Sender, checkSender: CheckSender): Promise<CheckResult> => {
  const answer = await checkSender(sender)
  return E.isRight(answer) ? passed(check) : failed(check, answer.left, NOT_ACCEPTED)
}
