import type { Knex } from 'knex'
import type { WorkspaceId } from '../../core/kernel/ids.js'

const PERIOD_MS = 90 * 86_400_000
const AT_ONCE = 100_000
const CUSTOMERS = 50_000

/** The driver's name, and the expression for the twelve hexadecimal digits of a number on its database. */
const HEX: Readonly<Record<string, (number: string) => string>> = {
  'better-sqlite3': (number) => `printf('%012x', ${number})`,
  mysql2: (number) => `LPAD(LOWER(HEX(${number})), 12, '0')`,
  pg: (number) => `LPAD(TO_HEX(CAST(${number} AS BIGINT)), 12, '0')`,
}

/**
 * Adds messages of the last 90 days to a workspace, evenly spread: of a hundred, 50 are read, 35 delivered, 11 sent, 3 failed and one unconfirmed.
 * The rows are created by SQL, and have no holds or entries.
 */
export const fillByNumber = async (knex: Knex, workspace: WorkspaceId, messages: number, log: (line: string) => void): Promise<void> => {
  const { driverName } = knex.client as { readonly driverName: string }
  const hex = HEX[driverName]
  if (hex === undefined) throw new Error(`${driverName} cannot be filled`)
  const begin = Date.now() - PERIOD_MS
  for (let done = 0; done < messages; done += AT_ONCE) {
    await knex.raw(statement(hex), [workspace, begin, PERIOD_MS, messages, done, messages])
    if (done % 1_000_000 === 0) log(`${done.toLocaleString('en-US')} messages`)
  }
  await knex.raw(driverName === 'mysql2' ? 'ANALYZE TABLE messages' : 'ANALYZE messages')
}

const DIGITS = Array.from({ length: 10 }, (_, digit) => `SELECT ${digit} AS d`).join(' UNION ALL ')

const NUMBERS = `SELECT a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d AS k FROM (${DIGITS}) a, (${DIGITS}) b, (${DIGITS}) c, (${DIGITS}) e, (${DIGITS}) f`

const statement = (hex: (number: string) => string): string => `
  INSERT INTO messages (workspace_id, id, kind, customer, state, price, currency, category, template_name, language, platform_id, created_at, accepted_at)
  SELECT ?, CONCAT('msg_', ${hex('m.at')}, '7', 1000000000000000000 + m.n), 'template', CONCAT('49151', 1000000 + (m.n * 7919) % ${CUSTOMERS}),
    CASE WHEN m.n % 100 < 50 THEN 'read' WHEN m.n % 100 < 85 THEN 'delivered' WHEN m.n % 100 < 96 THEN 'sent' WHEN m.n % 100 < 99 THEN 'failed' ELSE 'unconfirmed' END,
    62500, 'USD', CASE WHEN m.n % 3 = 0 THEN 'marketing' ELSE 'utility' END, 'order_update', 'en_US', CONCAT('wamid.HBgL', m.n), m.at, m.at + 80
  FROM (SELECT q.n AS n, CAST(? AS ${hex === HEX['mysql2'] ? 'SIGNED' : 'BIGINT'}) + ${hex === HEX['mysql2'] ? 'FLOOR(q.n * ? / ?)' : 'q.n * CAST(? AS BIGINT) / CAST(? AS BIGINT)'} AS at
    FROM (SELECT CAST(? AS ${hex === HEX['mysql2'] ? 'SIGNED' : 'BIGINT'}) + k AS n FROM (${NUMBERS}) numbers) q WHERE q.n < ?) m
  ORDER BY m.n`
