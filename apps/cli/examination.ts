import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Sender } from '../../core/ports/senders.js'
import type { RateCard } from '../../core/rate-card.js'
import type { Workspace } from '../../core/workspace.js'
import { makeCheckSender, type CheckSender } from '../../adapters/cloud-api/index.js'
import { openStorage, type KnexStorage } from '../../adapters/knex/index.js'
import { causeOf } from '../server/cause.js'
import { readConfig, type Config, type Env } from '../server/config.js'
import { loadRateCard } from '../server/rate-card.js'
import { openTransport } from '../server/transport.js'
import { done } from './refusal.js'

/** What one check found: no fault, or one and what to do about it. */
export type Finding = { readonly check: string; readonly fault: string | null; readonly remedy: string | null }

/** Checks everything a gateway with this environment needs, as far as the faults found leave it checkable. */
export const examine = async (env: Env): Promise<ReadonlyArray<Finding>> => {
  const config = readConfig(env)
  if (E.isLeft(config)) return config.left.map((line) => bad('configuration', withoutStop(line), 'Correct the variable.'))
  const card = await loadRateCard(config.right.rateCard)
  return [
    good('configuration'),
    ...variables(config.right),
    ...(E.isLeft(card)
      ? card.left.map((line) => bad('rate card', withoutStop(line), 'Correct the file that RATE_CARD names.'))
      : [good('rate card')]),
    ...(await database(config.right, E.isRight(card) ? card.right : undefined)),
  ]
}

const UNREADY = 'See that DATABASE_URL is right and its server runs, then run `postern migrate`.'
const UNACCEPTED = 'See that PLATFORM_URL, the phone number id and the access token are right; `postern sender set` stores new ones.'

const good = (check: string): Finding => ({ check, fault: null, remedy: null })
const bad = (check: string, fault: string, remedy: string): Finding => ({ check, fault, remedy })
const withoutStop = (sentence: string): string => sentence.replace(/\.$/, '')

const variables = ({ secret, platform }: Config): ReadonlyArray<Finding> => [
  secret === undefined
    ? bad('POSTERN_SECRET', 'it is not set, so no sender can be stored or read', 'Set it to at least 32 random characters and keep it.')
    : good('POSTERN_SECRET'),
  platform.verifyToken === undefined || platform.appSecret === undefined
    ? bad('webhook',
        "PLATFORM_VERIFY_TOKEN or PLATFORM_APP_SECRET is not set, so customers' messages open no window and statuses are not heard",
        "Set both as in the platform's app settings.")
    : good('webhook'),
]

const database = async (config: Config, card: RateCard | undefined): Promise<ReadonlyArray<Finding>> => {
  try {
    const storage = openStorage({ url: config.databaseUrl, secret: config.secret })
    try {
      const { ready, reasons } = await storage.readiness()
      if (!ready) return reasons.map((reason) => bad('database', reason, UNREADY))
      return [good('database'), ...(await books(storage)), ...(await workspaces(config, storage, card))]
    } finally {
      await storage.close()
    }
  } catch (error) {
    return [bad('database', causeOf(error).message, 'See that DATABASE_URL is right and its server runs.')]
  }
}

const books = async (storage: KnexStorage): Promise<ReadonlyArray<Finding>> => {
  const { broken } = await done(storage.ledger.audit())
  return broken.length === 0
    ? [good('books')]
    : broken.map(({ workspace, fault }) => bad(`books of ${workspace}`, fault, 'Keep the database as it is and find out what wrote to it.'))
}

const workspaces = async (config: Config, storage: KnexStorage, card: RateCard | undefined): Promise<ReadonlyArray<Finding>> => {
  const all = await done(storage.workspaces.list())
  const transport = openTransport(config.platform.transport)
  const missing = await transport.opened.then(() => undefined, causeOf)
  if (missing !== undefined) return [bad('PLATFORM_TRANSPORT', missing.message, 'Install it, or choose got.')]
  const { url: baseUrl, version, timeoutMs } = config.platform
  const checkSender = makeCheckSender({ baseUrl, version, timeoutMs, transport: transport.send })
  try {
    const findings: Finding[] = []
    for (const one of all) findings.push(...currency(one, card), await sender(storage, one, checkSender))
    return findings
  } finally {
    await transport.close()
  }
}

const currency = ({ id, currency: of }: Workspace, card: RateCard | undefined): ReadonlyArray<Finding> =>
  card === undefined || card.currency === of
    ? []
    : [bad(`currency of ${id}`, `its wallet is in ${of} and the card in ${card.currency}, so it can send nothing`, `Load a rate card in ${of}.`)]

const sender = async (storage: KnexStorage, { id }: Workspace, checkSender: CheckSender): Promise<Finding> => {
  const check = `sender of ${id}`
  const stored = await storage.senders.senderOf(id)()
  if (E.isLeft(stored)) {
    return bad(check, `it cannot be read: ${causeOf(stored.left.cause).message}`,
      'Set POSTERN_SECRET to the one it was stored with, or run `postern sender set` again.')
  }
  return O.isNone(stored.right)
    ? bad(check, 'there is none', 'Run `postern sender set`.')
    : accepted(check, stored.right.value, checkSender)
}

const accepted = async (check: string, of: Sender, checkSender: CheckSender): Promise<Finding> => {
  const answer = await checkSender(of)()
  return E.isRight(answer) ? good(check) : bad(check, answer.left, UNACCEPTED)
}
