import * as O from 'fp-ts/lib/Option.js'
import { type CustomerId, recordKeyOf } from '../../../core/customers/customer.js'
import type { Instant } from '../../../core/kernel/time.js'
import type { MediaId } from '../../../core/messages/conversation.js'
import type { UploadedFile, UploadedFiles, UploadKey } from '../../../core/messages/files.js'
import { portTasks } from '../engine/batches.js'
import type { Database } from '../engine/database.js'
import { execute, inList, insert, instant, type Queryable, select } from '../engine/sql.js'
import type { Dialect } from '../engine/dialect.js'
import type { GroupCommit, Write } from '../writes.js'

const KEY = ['workspace_id', 'phone_number_id', 'sha256', 'content_type'] as const
const OTHERS = ['media_id', 'size', 'expires_at', 'customer'] as const

const IS_KEY = KEY.map((column) => `${column} = ?`).join(' AND ')

const keyValues = ({ workspace, phoneNumberId, sha256, type }: UploadKey): ReadonlyArray<string> => [workspace, phoneNumberId, sha256, type]

/** The stored value instead of the customer once a file was sent to several. No id of a customer has this value. */
const SEVERAL = '*'

/** The uploaded files over SQL. An upload is recorded in a transaction with other writes, because many may end simultaneously and separate transactions would delay the sends. */
export const makeUploadedFiles = ({ db, dialect }: Database, { write }: GroupCommit): UploadedFiles => {
  const noting = noteUploads(dialect)
  return {
    find: (key, now) => tasks.value(async () => {
      const [row] = await select(
        db, `SELECT media_id, size, expires_at FROM uploaded_files WHERE ${IS_KEY} AND expires_at > ?`, [...keyValues(key), now],
      )
      return row === undefined
        ? O.none
        : O.some({ ...ownKey(key), id: row['media_id'] as MediaId, size: Number(row['size']), expiresAt: instant(row['expires_at']) })
    }),
    note: (upload, now) => tasks.value(() => write(noting, { upload, now })),
    sentTo: (key, customer) => tasks.value(async () => {
      const sentTo = recordKeyOf(customer)
      await execute(
        db, `UPDATE uploaded_files SET customer = CASE WHEN customer IS NULL THEN ? ELSE '${SEVERAL}' END WHERE ${IS_KEY} AND (customer IS NULL OR customer NOT IN (?, '${SEVERAL}'))`,
        [sentTo, ...keyValues(key), sentTo],
      )
    }),
    forget: (key) => tasks.value(async () => {
      await execute(db, `DELETE FROM uploaded_files WHERE ${IS_KEY}`, [...keyValues(key)])
    }),
  }
}

type Note = { readonly upload: UploadedFile; readonly now: Instant }

/** Sorted by key, so that two gateways lock rows in the same order; for equal keys the last item counts. */
const noteUploads = (dialect: Dialect): Write<Note, void> => ({
  kind: 'note-uploads',
  run: async (trx, notes) => {
    const latest = [...new Map(notes.map((note) => [keyValues(note.upload).join(' '), note]))].sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, note]) => note)
    const senders = new Map(latest.map(({ upload: { workspace, phoneNumberId }, now }) =>
      [`${workspace} ${phoneNumberId}`, [workspace, phoneNumberId, now] as const]))
    for (const values of senders.values()) {
      await execute(trx, 'DELETE FROM uploaded_files WHERE workspace_id = ? AND phone_number_id = ? AND expires_at <= ?', values)
    }
    const rows = latest.map(({ upload }) => [...keyValues(upload), upload.id, upload.size, upload.expiresAt, null])
    await insert(trx, dialect, 'uploaded_files', [...KEY, ...OTHERS], rows, dialect.upsert(KEY, OTHERS))
    return notes.map(() => undefined)
  },
})

const ownKey = ({ workspace, phoneNumberId, sha256, type }: UploadKey): UploadKey => ({ workspace, phoneNumberId, sha256, type })

/** Deletes a workspace's uploads that were sent only to the person with these ids. */
export const eraseUploads = async (trx: Queryable, dialect: Dialect, workspace: string, ids: ReadonlyArray<CustomerId>): Promise<void> => {
  const { sql, bindings } = inList(dialect, ['customer'], [...new Set(ids.map(recordKeyOf))].map((key) => [key]))
  await execute(trx, `DELETE FROM uploaded_files WHERE workspace_id = ? AND ${sql}`, [workspace, ...bindings])
}

const tasks = portTasks('UploadedFiles')
