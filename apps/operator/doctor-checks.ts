import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type CheckSender, makeCheckSender, makeTemplateSource } from '../../adapters/cloud-api/index.js'
import { type HostState, type KnexStorage, openStorage } from '../../adapters/knex/index.js'
import type { Currency } from '../../core/kernel/money.js'
import type { Sender } from '../../core/kernel/sender.js'
import type { Workspace } from '../../core/kernel/workspace.js'
import { makeAuditBooks } from '../../core/money/use-cases.js'
import type { AccountField } from '../../core/reports/account.js'
import type { TemplateSource } from '../../core/templates/catalogue.js'
import { causeOf } from '../server/cause.js'
import { type Config, type Env, readConfig } from '../server/config.js'
import { loadRateCards } from '../server/rate-card-file.js'
import { openTransport } from '../server/transport.js'
import { summaryOf } from './account-summary.js'
import { checkApiVersion } from './check-api-version.js'
import { checkEndpoints } from './check-endpoints.js'
import { checkIdentityProvider } from './check-identity-provider.js'
import { checkRateCards } from './check-rate-cards.js'
import { type CheckResult, failed, passed } from './check-result.js'
import { checkTemplateAccess, showCatalogue, showRefused } from './check-templates.js'
import { checkVariables } from './check-variables.js'
import { stored } from './stored.js'

/** Checks everything a gateway with this environment needs; a fault that hides others ends the checks behind it. */
export const runChecks = async (env: Env): Promise<ReadonlyArray<CheckResult>> => {
  const config = readConfig(env)
  if (E.isLeft(config)) return config.left.map((line) => failed('configuration', withoutFullStop(line), 'Correct the variable.'))
  const cards = await loadRateCards(config.right.rateCard)
  const results: CheckResult[] = []
  for await (const result of checksOf(config.right, cards)) results.push(result)
  return results
}

/** The checks of a configuration, one after the other. Without a storage that is open already, the database is opened for them. */
export async function* checksOf(config: Config, cards: Awaited<ReturnType<typeof loadRateCards>>, open?: KnexStorage): AsyncGenerator<CheckResult> {
  yield passed('configuration')
  yield* checkVariables(config)
  yield* checkApiVersion(config.platform.version, Date.now())
  if (E.isLeft(cards)) for (const line of cards.left) yield failed('rate card', withoutFullStop(line), 'Correct the file that RATE_CARD names.')
  else yield checkRateCards(cards.right, Date.now())
  yield* await checkIdentityProvider(config)
  yield* checkDatabase(config, E.isRight(cards) ? cards.right[0].currency : undefined, open)
}

const NOT_ACCEPTED = 'See that PLATFORM_URL, the phone number id and the access token are right; `postern sender set` stores new ones.'

const withoutFullStop = (sentence: string): string => sentence.replace(/\.$/, '')

async function* checkDatabase(config: Config, pricedIn: Currency | undefined, open: KnexStorage | undefined): AsyncGenerator<CheckResult> {
  try {
    const storage = open ?? openStorage({ url: config.databaseUrl, secret: config.secret })
    try {
      const diagnosis = await storage.diagnosis()
      if (diagnosis !== undefined) {
        yield failed('database', diagnosis.fault, diagnosis.remedy)
        return
      }
      yield passed('database', summaryOfHosts(await storage.tryDatabaseHosts()))
      yield* await checkBooks(config, storage)
      yield* checkWorkspaces(config, storage, pricedIn)
    } finally {
      if (open === undefined) await storage.close()
    }
  } catch (error) {
    yield failed('database', withoutFullStop(causeOf(error).message), 'See that DATABASE_URL is right and its server runs.')
  }
}

/** Which of several hosts takes the writes, and what is wrong with the others. A gateway runs on one of them. */
const summaryOfHosts = (hosts: ReadonlyArray<HostState>): string | undefined =>
  hosts.length === 0 ? undefined : hosts.map(({ name, state, fault }) => `${name} ${HOST_STATES[state]}${fault === undefined ? '' : ` (${fault})`}`).join(', ')

const HOST_STATES: Readonly<Record<HostState['state'], string>> = { used: 'is used', unused: 'could be used', failed: 'cannot be used now' }

const checkBooks = async ({ limits }: Config, storage: KnexStorage): Promise<ReadonlyArray<CheckResult>> => {
  const { broken } = await stored(makeAuditBooks({ ...storage, ...limits })())
  return broken.length === 0
    ? [passed('books')]
    : broken.map(({ workspace, fault }) => failed(`books of ${workspace}`, fault, 'Keep the database as it is and find out what wrote to it.'))
}

async function* checkWorkspaces(config: Config, storage: KnexStorage, pricedIn: Currency | undefined): AsyncGenerator<CheckResult> {
  const workspaces = await stored(storage.workspaces.list())
  const transport = openTransport(config.platform)
  const missing = await transport.opened.then(() => undefined, causeOf)
  if (missing !== undefined) {
    yield failed('PLATFORM_TRANSPORT', missing.message, 'Install it, or choose got.')
    return
  }
  const { url: baseUrl, version, timeoutMs } = config.platform
  const endpoint = { baseUrl, version, timeoutMs, transport: transport.send }
  const [checkSender, templateSource] = [makeCheckSender(endpoint), makeTemplateSource(endpoint)]
  try {
    for (const workspace of workspaces) {
      yield* checkCurrency(workspace, pricedIn)
      yield* await checkSenderOf(storage, workspace, checkSender, templateSource)
      yield* await checkEndpoints(storage.eventEndpoints, workspace.id)
    }
  } finally {
    await transport.close()
  }
}

const checkCurrency = ({ id, currency }: Workspace, pricedIn: Currency | undefined): ReadonlyArray<CheckResult> =>
  pricedIn === undefined || pricedIn === currency
    ? []
    : [failed(`currency of ${id}`, `its wallet is in ${currency} and the rate card in ${pricedIn}, so it can send nothing`, `Load a rate card in ${currency}.`)]

const checkSenderOf = async (
  storage: KnexStorage, { id }: Workspace, checkSender: CheckSender, templateSource: TemplateSource,
): Promise<ReadonlyArray<CheckResult>> => {
  const check = `sender of ${id}`
  const stored = await storage.senders.senderOf(id)()
  if (E.isLeft(stored)) {
    return [failed(check, `it cannot be read: ${causeOf(stored.left.cause).message}`,
      'Set POSTERN_SECRET to the one it was stored with, or run `postern sender set` again.')]
  }
  if (O.isNone(stored.right)) return [failed(check, 'the workspace has no sender', 'Run `postern sender set`.')]
  const sender = stored.right.value
  const { businessAccountId, accessToken, accountRefusedSince } = sender
  const accepted = await checkAccepted(check, sender, checkSender)
  if (businessAccountId === undefined) return [accepted, passed(`catalogue of ${id}`, NO_ACCOUNT)]
  const access = accepted.fault === null ? await checkTemplateAccess(id, { businessAccountId, accessToken }, templateSource) : []
  if (accountRefusedSince !== undefined) return [accepted, ...access, showRefused(id, businessAccountId, accountRefusedSince)]
  return [
    accepted, await showAccount(storage, id, businessAccountId), ...access, await showCatalogue(id, businessAccountId, storage.templateCatalogue, Date.now()),
  ]
}

const NO_ACCOUNT = 'the sender has no business account id, so templates are not checked and not priced by their own category'

/**
 * What the platform last said of the sender's business account; its notices come by webhook, so nothing is asked. What it said of templates is left
 * out if the catalogue has them.
 */
const showAccount = async ({ accountNotices, templateCatalogue }: KnexStorage, workspace: string, accountId: string): Promise<CheckResult> => {
  const { listedAt } = await stored(templateCatalogue.stateOf(accountId))
  const notices = await stored(accountNotices.latest(accountId))
  const shown = listedAt === undefined ? notices : notices.filter(({ field }) => !ABOUT_TEMPLATES.includes(field))
  return passed(`business account of ${workspace}`, summaryOf(shown, Date.now()))
}

const ABOUT_TEMPLATES: ReadonlyArray<AccountField> = ['message_template_status_update', 'message_template_quality_update', 'template_category_update']

const checkAccepted = async (check: string, sender: Sender, checkSender: CheckSender): Promise<CheckResult> => {
  const answer = await checkSender(sender)()
  return E.isRight(answer) ? passed(check) : failed(check, answer.left, NOT_ACCEPTED)
}
