import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { AppId } from '../../../core/kernel/ids.js'
import type { MakeOutboxEntries } from '../../../core/kernel/outbox.js'
import type { Instant } from '../../../core/kernel/time.js'
import {
  type AppChange, type AppNameTaken, type Apps, type AppSecrets, type ChangeAppFailure, changedApp, type NewApp, type PlatformApp,
  type RemoveAppFailure, SENDERS_NAMED,
} from '../../../core/workspaces/apps.js'
import { portTasks } from '../engine/batches.js'
import type { Database } from '../engine/database.js'
import { sqlErrorKind } from '../engine/dialect.js'
import { execute, insert, instant, instantOrNone, type Row, select, textOrNone } from '../engine/sql.js'
import type { TransactEvents } from '../events/entries.js'
import type { SecretBox } from '../secret-box.js'
import { senderOfIn } from './senders.js'

/** The platform's apps over SQL. Secrets are stored only encrypted, each for its own app. */
export const makeApps = ({ db, dialect }: Database, box: SecretBox, transactEvents: TransactEvents): Apps => {
  return {
    add: (app, outboxEntries) => tasks.either(() => add(app, outboxEntries)),
    list: () => tasks.value(async () => (await select(db, `SELECT ${LISTED} FROM apps ORDER BY created_at, id`)).map(appIn)),
    countSenders: () => tasks.value(async () => {
      const rows = await select(db, 'SELECT app_id, COUNT(*) AS senders FROM senders GROUP BY app_id')
      return rows.map((row) => ({ app: textOrNone(row['app_id']), senders: Number(row['senders']) }))
    }),
    secretsOf: (id) => tasks.value(async () => {
      const [row] = await select(db, 'SELECT id, app_secret, second_secret, verify_token FROM apps WHERE id = ?', [id])
      return row === undefined ? O.none : O.some(secretsIn(box, row))
    }),
    change: (id, change, at, outboxEntries) => tasks.either(() => changeSecrets(id, change, at, outboxEntries)),
    remove: (id, outboxEntries) => tasks.either(() => remove(id, outboxEntries)),
  }

  async function add(
    { id, name, createdAt, appSecret, verifyToken }: NewApp, outboxEntries: MakeOutboxEntries<AppId> | undefined,
  ): Promise<E.Either<AppNameTaken, void>> {
    const sealed = [box.seal(appSecret, signing(id)), box.seal(verifyToken, handshake(id))]
    try {
      await transactEvents(async (trx, emit) => {
        await insert(trx, dialect, 'apps', ['id', 'name', 'created_at', 'app_secret', 'verify_token'], [[id, name, createdAt, ...sealed]])
        emit(outboxEntries?.(id) ?? [])
      })
      return E.right(undefined)
    } catch (error) {
      if (sqlErrorKind(error) !== 'conflict') throw error
      const [namesake] = await select(db, 'SELECT id FROM apps WHERE name = ?', [name])
      if (namesake === undefined) throw error
      return E.left({ _tag: 'AppNameTaken', name })
    }
  }

  function changeSecrets(
    id: AppId, change: AppChange, at: Instant, outboxEntries: MakeOutboxEntries<AppId> | undefined,
  ): Promise<E.Either<ChangeAppFailure, PlatformApp>> {
    return transactEvents(async (trx, emit): Promise<E.Either<ChangeAppFailure, PlatformApp>> => {
      const [row] = await select(trx, `SELECT ${LISTED} FROM apps WHERE id = ? ${dialect.forUpdate}`, [id])
      if (row === undefined) return E.left({ _tag: 'NoSuchApp', named: id })
      const changed = changedApp(appIn(row), change, at)
      if (E.isLeft(changed)) return changed
      const { sql, bindings } = assignments(box, id, change, at)
      await execute(trx, `UPDATE apps SET ${sql} WHERE id = ?`, [...bindings, id])
      emit(outboxEntries?.(id) ?? [])
      return changed
    })
  }

  function remove(id: AppId, outboxEntries: MakeOutboxEntries<AppId> | undefined): Promise<E.Either<RemoveAppFailure, void>> {
    return transactEvents(async (trx, emit): Promise<E.Either<RemoveAppFailure, void>> => {
      const [row] = await select(trx, `SELECT id FROM apps WHERE id = ? ${dialect.forUpdate}`, [id])
      if (row === undefined) return E.left({ _tag: 'NoSuchApp', named: id })
      const users = await select(
        trx, 'SELECT workspace_id, phone_number_id FROM senders WHERE app_id = ? ORDER BY workspace_id, phone_number_id', [id],
      )
      if (users.length > 0) {
        return E.left({ _tag: 'AppInUse', id, count: users.length, senders: users.slice(0, SENDERS_NAMED).map(senderOfIn) })
      }
      await execute(trx, 'DELETE FROM apps WHERE id = ?', [id])
      emit(outboxEntries?.(id) ?? [])
      return E.right(undefined)
    })
  }
}

/** What is encrypted with a secret, so that no other value can be put in its place. Both app secrets have the same context, because the second one becomes the first. */
const signing = (id: string): string => `app secret ${id}`
const handshake = (id: string): string => `verify token ${id}`

/** No stored secret is decrypted, so that one that cannot be decrypted can be replaced. */
const assignments = (
  box: SecretBox, id: AppId, change: AppChange, at: Instant,
): { readonly sql: string; readonly bindings: ReadonlyArray<string | number> } => {
  switch (change._tag) {
    case 'SecretAdded':
      return { sql: 'second_secret = ?, rotating_since = ?', bindings: [box.seal(change.appSecret, signing(id)), at] }
    case 'OlderRemoved':
      // MySQL assigns in this order, and each assignment sees the previous ones.
      return { sql: 'app_secret = second_secret, second_secret = NULL, rotating_since = NULL', bindings: [] }
    case 'NewerRemoved':
      return { sql: 'second_secret = NULL, rotating_since = NULL', bindings: [] }
    case 'VerifyTokenReplaced':
      return { sql: 'verify_token = ?', bindings: [box.seal(change.verifyToken, handshake(id))] }
  }
}

const LISTED = 'id, name, created_at, rotating_since'

const appIn = (row: Row): PlatformApp => {
  const rotatingSince = instantOrNone(row['rotating_since'])
  return {
    id: row['id'] as AppId, name: String(row['name']), createdAt: instant(row['created_at']),
    ...(rotatingSince !== undefined && { rotatingSince }),
  }
}

const secretsIn = (box: SecretBox, row: Row): AppSecrets => {
  const [id, second] = [String(row['id']), textOrNone(row['second_secret'])]
  return {
    appSecret: box.open(String(row['app_secret']), signing(id)),
    ...(second !== undefined && { secondAppSecret: box.open(second, signing(id)) }),
    verifyToken: box.open(String(row['verify_token']), handshake(id)),
  }
}

const tasks = portTasks('Apps')
