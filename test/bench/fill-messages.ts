import type { Knex } from 'knex'
import { FUNDS } from './tenants.js'

const MESSAGES_EACH = 1_000
const WORKSPACES_AT_ONCE = 25
const PRICE = 62_500
const DAY_MS = 86_400_000
const PERIOD_MS = 30 * DAY_MS
const APART_MS = PERIOD_MS / MESSAGES_EACH

/**
 * Adds a thousand messages of the last thirty days to every workspace of a MySQL database, all read, each with its hold and its wallet
 * entry, and subtracts their price from the wallets, so that the audit stays exact. The rows are created by SQL on the server.
 */
export const fillWithMessages = async (knex: Knex): Promise<void> => {
  const ids = (await knex('workspaces').select('id').orderBy('id') as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id)
  const begun = Date.now() - PERIOD_MS
  for (let done = 0; done < ids.length; done += WORKSPACES_AT_ONCE) {
    const some = ids.slice(done, done + WORKSPACES_AT_ONCE)
    const among = `WHERE w.id IN (${some.map(() => '?').join(', ')})`
    await knex.transaction(async (trx) => {
      for (const statement of STATEMENTS) await trx.raw(`${statement} ${PAST} ${among}`, [begun, ...some])
    })
  }
  await knex('wallets').update({ available: String(FUNDS - BigInt(MESSAGES_EACH * PRICE)) })
  for (const table of ['messages', 'holds', 'wallet_entries', 'wallets']) await knex.raw(`ANALYZE TABLE ${table}`)
}

const DIGITS = Array.from({ length: 10 }, (_, digit) => `SELECT ${digit} AS d`).join(' UNION ALL ')

/** Every workspace a thousand times, each with a time and an id that sorts by that time like a UUIDv7. */
const PAST = `FROM (
  SELECT w.id, w.created_at, t.at, CONCAT(LPAD(LOWER(HEX(t.at)), 12, '0'), '7', SUBSTR(MD5(CONCAT(w.id, t.at)), 1, 19)) AS sorting, MD5(CONCAT(t.at, w.id)) AS noise
  FROM workspaces w, (SELECT CAST(? AS SIGNED) + ${APART_MS} * (a.d + 10 * b.d + 100 * c.d) AS at FROM (${DIGITS}) a, (${DIGITS}) b, (${DIGITS}) c) t
) w`

const STATEMENTS: ReadonlyArray<string> = [
  `INSERT INTO messages (workspace_id, id, kind, customer, state, price, currency, category, template_name, language, platform_id, created_at, accepted_at, sent_at, delivered_at, read_at)
   SELECT w.id, CONCAT('msg_', w.sorting), 'template', CONCAT('1555', LPAD(CRC32(w.noise) MOD 10000000, 7, '0')), 'read', ${PRICE}, 'USD', 'marketing', 'order_update', 'en_US',
     CONCAT('wamid.HBgL', w.noise), w.at, w.at + 80, w.at + 900, w.at + 2000, w.at + 60000`,
  `INSERT INTO holds (workspace_id, message_id, amount, state, created_at) SELECT w.id, CONCAT('msg_', w.sorting), ${PRICE}, 'captured', w.at`,
  `INSERT INTO wallet_entries (workspace_id, id, kind, amount, message_id, created_at)
   SELECT w.id, w.sorting, 'capture', ${PRICE}, CONCAT('msg_', w.sorting), w.at + 80`,
]
