import type { Knex } from 'knex'
import { addColumn, addIndex, createAll, type Table } from './schema-changes.js'

const MEMBER_ID = 36
/** A SHA-256 digest in hexadecimal digits. */
const DIGEST = 64

/** The tables of people who sign in. Tokens, passwords and the names of attempts are there as digests only. */
const ACCESS: Readonly<Record<string, Table>> = {
  members: (table) => {
    table.string('id', MEMBER_ID).primary()
    table.string('email', 254).notNullable().unique({ indexName: 'members_email' })
    table.integer('is_operator').notNullable()
    table.bigInteger('created_at').notNullable()
    table.bigInteger('last_sign_in_at')
    table.string('password_digest', 255)
  },
  member_roles: (table) => {
    table.string('member_id', MEMBER_ID).notNullable()
    table.string('workspace_id', 35).notNullable()
    table.string('role', 16).notNullable()
    table.primary(['member_id', 'workspace_id'])
    table.index(['workspace_id'], 'member_roles_workspace')
  },
  member_links: (table) => {
    table.string('digest', DIGEST).primary()
    // Null for a link that makes the first operator.
    table.string('member_id', MEMBER_ID)
    table.bigInteger('expires_at').notNullable()
    table.index(['member_id'], 'member_links_member')
    table.index(['expires_at'], 'member_links_expires')
  },
  member_identities: (table) => {
    // Of the issuer and the subject, which may be longer than an index takes.
    table.string('digest', DIGEST).primary()
    table.string('issuer_digest', DIGEST).notNullable()
    table.string('member_id', MEMBER_ID).notNullable()
    table.unique(['member_id', 'issuer_digest'], { indexName: 'member_identities_member' })
  },
  sessions: (table) => {
    table.string('id', 36).primary()
    table.string('digest', DIGEST).notNullable().unique({ indexName: 'sessions_digest' })
    table.string('member_id', MEMBER_ID).notNullable()
    table.string('opened_by', 16).notNullable()
    table.bigInteger('created_at').notNullable()
    table.bigInteger('last_seen_at').notNullable()
    table.bigInteger('expires_at').notNullable()
    table.string('address', 64)
    table.string('user_agent', 255)
    table.index(['member_id'], 'sessions_member')
    table.index(['expires_at'], 'sessions_expires')
    table.index(['last_seen_at'], 'sessions_seen')
  },
  sign_in_attempts: (table) => {
    table.string('digest', DIGEST).primary()
    table.integer('attempts').notNullable()
    table.bigInteger('ends_at').notNullable()
    table.index(['ends_at'], 'sign_in_attempts_ends')
  },
  // One row, which every change of members locks.
  member_guard: (table) => {
    table.integer('id').primary()
  },
}

/** Creates the tables, and the row that changes lock. */
export const createAccess = async (db: Knex): Promise<void> => {
  await createAll(db, ACCESS)
  const guards: ReadonlyArray<unknown> = await db('member_guard').select('id')
  if (guards.length === 0) await db('member_guard').insert({ id: 1 })
}

/**
 * Adds what an invitation gives, who made it and for whom its link works. The release before knows none of these: its links have no access of their own, and it
 * gives nothing to a person who comes by a link of this one.
 */
export const addInvitations = async (db: Knex): Promise<void> => {
  await addColumn(db, 'member_links', 'access', (table) => table.string('access', 16))
  await addColumn(db, 'member_links', 'workspace_id', (table) => table.string('workspace_id', 35))
  await addColumn(db, 'member_links', 'only_here', (table) => table.integer('only_here'))
  await addColumn(db, 'member_links', 'invited_by', (table) => table.string('invited_by', 254))
  await addColumn(db, 'members', 'invited_by', (table) => table.string('invited_by', 254))
  await addColumn(db, 'members', 'credentials_version', (table) => table.integer('credentials_version'))
  await addIndex(db, 'member_links', 'workspace_id', 'member_links_workspace')
}

/** Adds when the next attempt to sign in may be made. The release before does not know it, and counts under other names. */
export const addDelays = (db: Knex): Promise<void> => addColumn(db, 'sign_in_attempts', 'retry_at', (table) => table.bigInteger('retry_at'))
