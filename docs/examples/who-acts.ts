import { currencyOf, makeAdministration, memberIdOf, SYSTEM, type Actor, type WorkspaceId } from 'postern'
import { machine } from 'postern/sending'
import { makeMemoryStorage } from 'postern/memory'
import { uuidv7 } from 'uuidv7'

const storage = makeMemoryStorage()
const prices = { service: 0n, marketing: 62_500n, utility: 20_000n, authentication: 20_000n }
const card = { currency: currencyOf('USD'), effective: '2026-01-01', templateCategory: 'marketing' as const, markets: new Map(), default: prices }
const { workspaces, keys, audit } = makeAdministration({ ...storage, senderVerification: 'trusted' }, {
  ...machine, rateCard: () => card, unconfirmedAfterMs: 120_000, releaseAfterMs: 7 * 24 * 3_600_000,
})

const created = await workspaces.createWorkspace({ by: SYSTEM, name: 'shop' })
if (created._tag === 'Left') throw new Error(created.left._tag)

/** A user of the app, with a role in the workspace. */
const viewerOf = (workspace: WorkspaceId): Actor => ({
  principal: { _tag: 'Member', member: memberIdOf(uuidv7()), email: 'ann@shop.example', isOperator: false, roles: new Map([[workspace, 'viewer']]) },
})
const workspace = created.right.id
const minted = await keys.mintKey({ by: viewerOf(workspace), workspace, name: 'till' })
console.log(minted._tag === 'Left' ? minted.left._tag : 'minted')

const entries = await audit.listAudit({ by: SYSTEM, workspace, limit: 10 })
if (entries._tag === 'Right') for (const { act, outcome, by } of entries.right.items) console.log(`${act} ${outcome} ${by.type}`)
