import { uuidv7 } from 'uuidv7'
import type * as adapter from '../../adapters/knex/index.js'
import type { PhoneNumber } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import type { messageIdOf as MessageIdOf, PlatformId } from '../../core/messages/message.js'
import { compiled } from '../support/compiled.js'
import { done } from '../support/right-of.js'
import { checkBooks } from './check-books.js'
import { announce, serveRequests } from './ipc-server.js'
import { makeTenants, SECRET } from './tenants.js'

/**
 * Only the storage writes of sends from one wallet, to measure the processor time of this process.
 *
 * `cohort` is the maximum number of writes that may share a transaction; unlimited if absent.
 */
export type StorageRequest = { readonly url: string; readonly senders: number; readonly seconds: number; readonly cohort?: number }

/** Sends per second, and processor time per send in microseconds. */
export type StorageCost = { readonly perSecond: number; readonly cpuMicros: number }

const { openStorage } = (await import(compiled('adapters/knex/index.js'))) as typeof adapter
const { messageIdOf } = (await import(compiled('core/messages/message.js'))) as { readonly messageIdOf: typeof MessageIdOf }

announce('')
serveRequests(async (asked) => costOf(asked as StorageRequest))

async function costOf({ url, senders, seconds, cohort }: StorageRequest): Promise<StorageCost> {
  const storage = openStorage({ url, secret: SECRET, ...(cohort !== undefined && { cohort }) })
  try {
    await storage.migrate()
    const [tenant] = await makeTenants(storage, 1)
    if (tenant === undefined) throw new Error('there is no tenant')
    const send = (): Promise<unknown> => writesOfASend(storage, tenant.workspace)
    await sendAlongside(send, senders, seconds / 2)
    const cpuBefore = process.cpuUsage()
    const sent = await sendAlongside(send, senders, seconds)
    const { user, system } = process.cpuUsage(cpuBefore)
    await checkBooks(storage)
    return { perSecond: sent / seconds, cpuMicros: (user + system) / sent }
  } finally {
    await storage.close()
  }
}

/** Open and hold concurrently, then settle and capture concurrently, as the use case does. */
const writesOfASend = async ({ messageLog, wallet }: adapter.KnexStorage, workspace: WorkspaceId): Promise<void> => {
  const id = messageIdOf(uuidv7())
  const at = Date.now()
  const price = { micros: 62_500n, currency: 'USD' as Currency, category: 'marketing' } as const
  const message = { _tag: 'Template', to: '15550100001' as PhoneNumber, name: 'order_update', language: 'en_US' } as const
  await Promise.all([
    done(messageLog.open({ id, workspace, message, price, at })),
    done(wallet.hold({ workspace, message: id, amount: price, at })),
  ])
  await Promise.all([
    done(messageLog.apply(workspace, id, { state: 'accepted', at, platformId: `wamid.HBgL${id}` as PlatformId })),
    done(wallet.capture({ workspace, message: id, at })),
  ])
}

/** Runs senders for some seconds, each of which sends again after its previous send; resolves with the number of sends. */
const sendAlongside = async (send: () => Promise<unknown>, senders: number, seconds: number): Promise<number> => {
  const until = performance.now() + seconds * 1_000
  let sent = 0
  await Promise.all(Array.from({ length: senders }, async () => {
    for (; performance.now() < until; sent += 1) await send()
  }))
  return sent
}
