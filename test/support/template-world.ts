import { uuidv7 } from 'uuidv7'
import { type Endpoint, makeCloudApi, makeTemplateSource, type Transport } from '../../adapters/cloud-api/index.js'
import { makeMemoryStorage } from '../../adapters/memory/index.js'
import { type WorkspaceId, workspaceIdOf } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import { DAY_MS, type Instant, MINUTE_MS } from '../../core/kernel/time.js'
import type { PriceOf } from '../../core/money/rate-card.js'
import { makeSending } from '../../core/postern.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { rightOf } from './right-of.js'

export type TemplateWorldOptions = {
  readonly transport: Transport
  readonly endpoint: Endpoint
  readonly accountId: string
  readonly priceOf: PriceOf
  readonly now: () => Instant
}

export const OPENING_BALANCE = 10n ** 12n

/** The use cases of a gateway over storage in memory, with a platform behind a transport, and the platform's templates. */
export const templateWorld = ({ transport, endpoint, accountId: businessAccountId, priceOf, now }: TemplateWorldOptions) => {
  const storage = makeMemoryStorage({ now })
  const templateSource = makeTemplateSource({ ...endpoint, transport, now })
  const sending = makeSending({ ...storage, templateSource, platform: makeCloudApi({ ...endpoint, transport, now }) }, {
    priceOf, newUuid: uuidv7, unconfirmedAfterMs: 2 * MINUTE_MS, releaseAfterMs: 7 * DAY_MS,
    retryLater: (): never => { throw new Error('Storage in memory does not fail') },
  })
  const accessToken = 'token'
  return {
    storage, ...sending,
    /** Reads the platform's whole list into the catalogue. */
    readTemplates: async (): Promise<void> => {
      const at = now()
      rightOf(await storage.templateCatalogue.replaceAll(
        businessAccountId, rightOf(await templateSource.list({ businessAccountId, accessToken })), at,
      ))
    },
    /** Creates a workspace that sends through a business number, with the opening balance. */
    addWorkspace: async (phoneNumberId: string): Promise<WorkspaceId> => {
      const workspace = workspaceIdOf(uuidv7())
      rightOf(await storage.workspaces.create({ id: workspace, name: 'Shop', currency: 'USD' as Currency, createdAt: now() }))
      rightOf(await storage.senders.assign(workspace, { phoneNumberId: senderIdOf(phoneNumberId), accessToken, businessAccountId }))
      rightOf(await storage.ledger.topUp({ workspace, micros: OPENING_BALANCE, reference: 'opening', at: now() }))
      return workspace
    },
  }
}

export type TemplateWorld = ReturnType<typeof templateWorld>
