import * as TE from 'fp-ts/lib/TaskEither.js'
import { v7 as uuid } from 'uuid'
import { makeSendText, messageIdOf, workspaceIdOf, type Currency, type PhoneNumber, type PlatformId } from '../../core/index.js'
import { makeMemoryStorage, makeRetryLater } from '../../adapters/memory/index.js'

const [workspace, currency, to, at] = [workspaceIdOf(uuid()), 'USD' as Currency, '33639980001' as PhoneNumber, Date.now()]
const { workspaces, ledger, ...storage } = makeMemoryStorage()
await workspaces.create({ id: workspace, name: 'shop', currency, createdAt: at })()
await ledger.topUp({ workspace, micros: 1_000_000n, reference: 'first', at })()
await storage.senders.assign(workspace, { phoneNumberId: '1001', accessToken: 'token', businessAccountId: undefined })()
await storage.windowClock.recordInbound(workspace, to, at)()
const platform = { send: () => TE.right('wamid.example' as PlatformId) }
const priceOf = () => ({ micros: 30_000n, currency, category: 'service' as const })
const own = { platform, priceOf, newMessageId: () => messageIdOf(uuid()), unconfirmedAfterMs: 120_000, ...makeRetryLater() }
console.log(await makeSendText({ ...storage, ...own })({ workspace, to, text: 'Hello' })(), await ledger.balance(workspace)())
