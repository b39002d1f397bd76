import type { Table } from './tables.js'

/** The tables of the limits of senders: the slots of pairs of a sender and a customer, who are named only by a digest, and the slots of senders. */
export const SENDER_LIMITS: Readonly<Record<string, Table>> = {
  pair_slots: (table) => {
    table.string('workspace_id', 35).notNullable()
    table.string('pair', 64).notNullable()
    table.bigInteger('next_at').notNullable()
    table.integer('in_hour').notNullable()
    table.primary(['workspace_id', 'pair'])
    table.index(['in_hour'], 'pair_slots_hour')
  },
  sender_slots: (table) => {
    table.string('workspace_id', 35).notNullable()
    table.string('phone_number_id', 64).notNullable()
    table.bigInteger('next_slot').notNullable()
    table.integer('slowed_to')
    table.bigInteger('slowed_at')
    table.primary(['workspace_id', 'phone_number_id'])
  },
}

/** The tables of the limits of portfolios: how many customers each has stored, when each customer was last counted, and the messages that count them. A customer is a digest. */
export const PORTFOLIO_LIMITS: Readonly<Record<string, Table>> = {
  portfolio_counts: (table) => {
    table.string('portfolio', 72).primary()
    table.integer('customers').notNullable()
  },
  portfolio_customers: (table) => {
    table.string('portfolio', 72).notNullable()
    table.string('customer', 64).notNullable()
    table.bigInteger('counted_at').notNullable()
    table.primary(['portfolio', 'customer'])
    table.index(['portfolio', 'counted_at'], 'portfolio_customers_counted')
  },
  portfolio_messages: (table) => {
    table.string('workspace_id', 35).notNullable()
    table.string('message_id', 36).notNullable()
    table.string('portfolio', 72).notNullable()
    table.string('customer', 64).notNullable()
    table.bigInteger('counted_at').notNullable()
    table.primary(['workspace_id', 'message_id'])
    table.index(['portfolio', 'customer', 'counted_at'], 'portfolio_messages_customer')
    table.index(['counted_at'], 'portfolio_messages_counted')
  },
}

/** The table of the days of portfolios. */
export const PORTFOLIO_DAYS: Readonly<Record<string, Table>> = {
  portfolio_days: (table) => {
    table.string('portfolio', 72).notNullable()
    table.bigInteger('day').notNullable()
    table.integer('customers').notNullable()
    table.integer('of_batches').notNullable()
    table.primary(['portfolio', 'day'])
    table.index(['day'], 'portfolio_days_day')
  },
}
