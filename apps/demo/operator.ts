import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { uuidv7 } from 'uuidv7'
import { parseCurrency, parseMicros } from '../../core/money.js'
import type { MintedKey } from '../../core/ports/key-store.js'
import { workspaceIdOf, type WorkspaceId } from '../../core/workspace.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Narrator } from './narrator.js'

/** What the operator does in the story: each step is told as the command that does it. */
export type Operator = {
  readonly makeWorkspace: (name: string) => Promise<WorkspaceId>
  readonly setSender: (workspace: WorkspaceId, phoneNumberId: string) => Promise<void>
  readonly topUp: (workspace: WorkspaceId, amount: string) => Promise<void>
  readonly mintKey: (workspace: WorkspaceId, name: string) => Promise<MintedKey>
  readonly revokeKey: (id: string) => Promise<void>
}

export const makeOperator = (storage: KnexStorage, narrator: Narrator): Operator => ({
  makeWorkspace: async (name) => {
    const id = workspaceIdOf(uuidv7())
    narrator.command(`npx postern workspace create ${name}`)
    await done(storage.workspaces.create({ id, name, currency: right(parseCurrency('USD')), createdAt: Date.now() }))
    narrator.say(id)
    return id
  },
  setSender: async (workspace, phoneNumberId) => {
    narrator.command(`npx postern sender set ${workspace} --phone-number-id ${phoneNumberId}`)
    await done(storage.senders.assign(workspace, { phoneNumberId, accessToken: 'demo-token', businessAccountId: undefined }))
  },
  topUp: async (workspace, amount) => {
    narrator.command(`npx postern wallet top-up ${workspace} ${amount}`)
    await done(storage.ledger.topUp({ workspace, micros: right(parseMicros(amount)), reference: uuidv7(), at: Date.now() }))
  },
  mintKey: async (workspace, name) => {
    narrator.command(`npx postern key mint ${workspace} --name ${name}`)
    const minted = await done(storage.keyStore.mint(workspace, name, Date.now()))
    narrator.say(minted.key)
    return minted
  },
  revokeKey: async (id) => {
    narrator.command(`npx postern key revoke ${id}`)
    await done(storage.keyStore.revoke(id, Date.now()))
  },
})

const done = async <A>(step: TaskEither<{ readonly _tag: string }, A>): Promise<A> => right(await step())

const right = <A>(result: E.Either<{ readonly _tag: string }, A>): A => {
  if (E.isLeft(result)) throw new Error(`The demonstration went wrong: ${result.left._tag}`)
  return result.right
}
