import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { portFailure, type SenderTaken, type UnknownWorkspace } from '../../core/errors.js'
import type { Sender, Senders } from '../../core/ports/senders.js'
import type { WorkspaceId } from '../../core/workspace.js'
import type { Database } from './database.js'
import { makeLane } from './lane.js'
import type { SecretBox } from './secret-box.js'
import { sqlErrorKind } from './sql-error.js'
import { among, execute, insert, select, textOrNone, type Row } from './sql.js'
import { transact } from './transact.js'

/** The senders over SQL; access tokens are stored only as the secret box seals them, bound to their workspace. */
export const makeSenders = (database: Database, box: SecretBox): Senders => {
  const { knex, dialect } = database
  const byWorkspace = lookUp('workspace_id')
  const byPhoneNumber = lookUp('phone_number_id')
  return {
    senderOf: (workspace) => TE.tryCatch(async () => pipe(O.fromNullable(await byWorkspace.load(workspace)), O.map(senderIn)), failure),
    workspaceOf: (phoneNumberId) =>
      TE.tryCatch(async () => O.fromNullable((await byPhoneNumber.load(phoneNumberId))?.['workspace_id'] as WorkspaceId | undefined), failure),
    assign: (workspace, sender) => pipe(TE.tryCatch(() => assign(workspace, sender), failure), TE.flatMapEither((outcome) => outcome)),
  }

  function lookUp(column: 'workspace_id' | 'phone_number_id') {
    return makeLane<string, Row | undefined>(async (keys) => {
      const rows = await select(knex, `SELECT * FROM senders WHERE ${among(dialect, [column], keys.length)}`, keys)
      const found = new Map(rows.map((row) => [row[column], row]))
      return keys.map((key) => found.get(key))
    })
  }

  function senderIn(row: Row): Sender {
    return {
      phoneNumberId: String(row['phone_number_id']),
      accessToken: box.open(String(row['access_token']), String(row['workspace_id'])),
      businessAccountId: textOrNone(row['business_account_id']),
    }
  }

  async function assign(workspace: WorkspaceId, sender: Sender): Promise<E.Either<SenderTaken | UnknownWorkspace, void>> {
    const sealed = box.seal(sender.accessToken, workspace)
    try {
      return await transact(database, async (trx) => {
        const [known] = await select(trx, 'SELECT id FROM workspaces WHERE id = ?', [workspace])
        if (known === undefined) return E.left<UnknownWorkspace>({ _tag: 'UnknownWorkspace' })
        await execute(trx, 'DELETE FROM senders WHERE workspace_id = ?', [workspace])
        await insert(
          trx, 'senders', ['workspace_id', 'phone_number_id', 'business_account_id', 'access_token'],
          [[workspace, sender.phoneNumberId, sender.businessAccountId ?? null, sealed]],
        )
        return E.right(undefined)
      })
    } catch (error) {
      if (sqlErrorKind(error) !== 'conflict') throw error
      const [owner] = await select(knex, 'SELECT workspace_id FROM senders WHERE phone_number_id = ?', [sender.phoneNumberId])
      // Two assignments to the same workspace at once may conflict too; then the other one was the later.
      return owner === undefined || owner['workspace_id'] === workspace ? E.right(undefined) : E.left({ _tag: 'SenderTaken' })
    }
  }
}

const failure = portFailure('Senders')
