import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { fileBytes } from '../../adapters/machine/file-bytes.js'
import { machine } from '../../adapters/machine/machine.js'
import { makeMemoryStorage } from '../../adapters/memory/index.js'
import type { PhoneNumber } from '../../core/customers/customer.js'
import { type WorkspaceId, workspaceIdOf } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import { DAY_MS, type Instant, MINUTE_MS } from '../../core/kernel/time.js'
import { priceBy, type RateCard } from '../../core/money/rate-card.js'
import type { Ports } from '../../core/ports.js'
import { inboxOf, type SenderId, senderIdOf } from '../../core/senders/sender.js'
import type { RetryLater } from '../../core/sending/dispatch.js'
import type { Settings } from '../../core/settings.js'
import type { Template } from '../../core/templates/template.js'
import { plainHasher } from './plain-hasher.js'
import { done } from './right-of.js'
import { scriptedConversation } from './scripted-conversation.js'
import { makeScriptedPlatform, UNREACHABLE } from './scripted-platform.js'
import { scriptedReceiver } from './scripted-receiver.js'
import { templatePlatform } from './template-platform.js'

export const NOON = Date.UTC(2026, 2, 1, 12)
export const USD = 'USD' as Currency
/** The business account of every sender whose templates are known. */
export const ACCOUNT = '102290129340398'
export const UNCONFIRMED_AFTER_MS = 2 * MINUTE_MS
export const RELEASE_AFTER_MS = 7 * DAY_MS

const CARD: RateCard = {
  currency: USD, effective: '2026-01-01', markets: new Map(), templateCategory: 'marketing',
  default: { service: 7_700n, marketing: 62_500n, utility: 7_700n, authentication: 7_700n },
}

export type MemoryWorldOptions = {
  /** The time at the start; `NOON` by default. */
  readonly at?: Instant
  /** Parts of the rate card that replace the usual ones. */
  readonly card?: Partial<RateCard> | undefined
  /** Whether a broker gets the events of every workspace; false by default. */
  readonly broker?: boolean | undefined
  /** The platform's list of templates; by default the platform cannot be asked for it. */
  readonly templates?: ReadonlyArray<Template> | undefined
  /** The endpoints of events; by default they accept everything. */
  readonly receiver?: ReturnType<typeof scriptedReceiver>
}

export type NewSender = {
  readonly accessToken?: string
  readonly businessAccountId?: string | undefined
  /** The customer that wrote to it, and when; none by default. */
  readonly inbound?: { readonly phoneNumber: string; readonly at: Instant } | undefined
}

export type NewWorkspace = NewSender & {
  readonly name?: string
  readonly micros?: bigint
  /** Whether it has a sender; true by default. */
  readonly sender?: boolean
}

/** A new id in the form of the platform's ids of phone numbers. */
const newNumberId = (): SenderId => senderIdOf(String(BigInt(`0x${uuidv7().replaceAll('-', '').slice(-15)}`)))

/** The ports and settings of a gateway in memory, with a clock that a test moves, and control over the platform, endpoints and retries. */
export const memoryWorld = ({ at = NOON, card, broker, templates, receiver = scriptedReceiver() }: MemoryWorldOptions = {}) => {
  const clock = { at }
  const now = (): Instant => clock.at
  const storage = makeMemoryStorage({ now, ...(broker && { broker }) })
  const { platform, ...platformControl } = makeScriptedPlatform()
  const { conversation, ...conversationControl } = scriptedConversation()
  const { webhooks, ...receiverControl } = receiver
  const verified: Array<string | undefined> = []
  const later: Array<Parameters<RetryLater>[0]> = []
  const rateCard = { ...CARD, ...card }
  const ports: Ports = {
    ...storage, platform, conversation, webhooks, fileBytes, senderVerification: 'trusted',
    templateSource: templatePlatform(templates ?? UNREACHABLE).source, passwords: plainHasher((digest) => verified.push(digest)),
  }
  const settings: Settings = {
    ...machine, rateCard: () => rateCard, priceOf: priceBy(rateCard), unconfirmedAfterMs: UNCONFIRMED_AFTER_MS,
    releaseAfterMs: RELEASE_AFTER_MS, retryLater: (work) => void later.push(work),
  }
  return {
    storage, ports, settings, clock, now, later, verified, ...platformControl, ...conversationControl, ...receiverControl,
    passes: (ms: number) => { clock.at += ms },
    addWorkspace: async (
      { name = 'Shop', micros = 0n, inbound, sender = true, accessToken = 'token', businessAccountId }: NewWorkspace = {},
    ): Promise<{ readonly workspace: WorkspaceId; readonly phoneNumberId: SenderId }> => {
      const [workspace, phoneNumberId] = [workspaceIdOf(uuidv7()), newNumberId()]
      await done(storage.workspaces.create({ id: workspace, name, currency: USD, createdAt: now() }))
      if (sender) await done(storage.senders.assign(workspace, { phoneNumberId, accessToken, businessAccountId }))
      if (micros > 0n) await done(storage.ledger.topUp({ workspace, micros, reference: 'opening', at: now() }))
      if (inbound !== undefined) {
        await done(storage.windowClock.recordInbound(workspace, { phoneNumber: inbound.phoneNumber as PhoneNumber }, inbound.at))
      }
      return { workspace, phoneNumberId }
    },
    /** Adds a further sender to a workspace, and returns its id. */
    addSender: async (workspace: WorkspaceId, { accessToken = 'token', businessAccountId, inbound }: NewSender = {}): Promise<SenderId> => {
      const phoneNumberId = newNumberId()
      await done(storage.senders.assign(workspace, { phoneNumberId, accessToken, businessAccountId }))
      const sender = O.toUndefined(await done(storage.senders.senderOf(workspace, phoneNumberId)))
      if (inbound !== undefined) {
        const customer = { phoneNumber: inbound.phoneNumber as PhoneNumber }
        await done(storage.windowClock.recordInbound(inboxOf(workspace, sender), customer, inbound.at))
      }
      return phoneNumberId
    },
  }
}
