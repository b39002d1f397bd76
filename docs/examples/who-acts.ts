import {
  auditIdOf, makeCreateWorkspace, makeMintKey, memberIdOf, SYSTEM, workspaceIdOf, type Actor, type Auditing, type Currency, type WorkspaceId,
} from 'postern'
import { makeMemoryStorage } from 'postern/memory'
import { uuidv7 } from 'uuidv7'

const storage = makeMemoryStorage()
const audit: Auditing = { auditLog: storage.auditLog, newAuditId: () => auditIdOf(uuidv7()), now: Date.now }
const deps = { ...storage, audit, now: Date.now }

const createWorkspace = makeCreateWorkspace({ ...deps, pricedIn: 'USD' as Currency, newWorkspaceId: () => workspaceIdOf(uuidv7()) })
const created = await createWorkspace({ by: SYSTEM, name: 'shop' })
if (created._tag === 'Left') throw new Error(created.left._tag)

/** A user of the app, with a role in the workspace. */
const viewerOf = (workspace: WorkspaceId): Actor => ({
  principal: { _tag: 'Member', member: memberIdOf(uuidv7()), email: 'ann@shop.example', isOperator: false, roles: new Map([[workspace, 'viewer']]) },
})
const workspace = created.right.id
const minted = await makeMintKey(deps)({ by: viewerOf(workspace), workspace, name: 'till' })
console.log(minted._tag === 'Left' ? minted.left._tag : 'minted')

const entries = await storage.auditLog.list({ limit: 10 })
if (entries._tag === 'Right') for (const { act, outcome, by } of entries.right.items) console.log(`${act} ${outcome} ${by.type}`)
