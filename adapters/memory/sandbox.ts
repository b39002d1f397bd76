import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import type { PhoneNumber } from '../../core/customers/customer.js'
import { type WorkspaceId, workspaceIdOf } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import { HOUR_MS, type Instant, SECOND_MS } from '../../core/kernel/time.js'
import type { Conversation, MediaId, ReadMark } from '../../core/messages/conversation.js'
import type { PlatformId } from '../../core/messages/message.js'
import { categoryOf } from '../../core/money/rate-card.js'
import type { SendingSettings } from '../../core/settings.js'
import { senderIdOf } from '../../core/senders/sender.js'
import type { Outbound, Platform } from '../../core/sending/dispatch.js'
import { atomic, infallible } from './kernel.js'
import { makeMemoryStorage, type MemoryStorage } from './storage.js'

/** A customer's attachment to a message. */
export type Attachment = { readonly type: string; readonly bytes: Uint8Array }

/** Attachments by their ids. */
export type Attachments = Map<MediaId, Attachment>

/** Opens attachments, always with all of their bytes. */
export const openAttachment =
  (attachments: Attachments): Conversation['openMedia'] =>
  ({ id }) =>
    atomic(() => {
      const attachment = attachments.get(id)
      if (attachment === undefined) return E.left({ _tag: 'MediaGone' })
      const { type, bytes } = attachment
      return E.right({ type, length: bytes.length, part: undefined, bytes: inOneChunk(bytes), close: () => undefined })
    })

/** Accepts files; each becomes one of the attachments, with the next id. */
export const takeUpload =
  (attachments: Attachments): Conversation['uploadMedia'] =>
  async ({ type, bytes }) => {
    const pieces: Array<Uint8Array> = []
    try {
      for await (const piece of bytes) pieces.push(piece)
    } catch (cause) {
      return E.left({ _tag: 'PlatformUnanswered', cause })
    }
    const id = String(UPLOADS_FROM + attachments.size) as MediaId
    attachments.set(id, { type, bytes: Buffer.concat(pieces) })
    return E.right(id)
  }

const UPLOADS_FROM = 9_000_001

async function* inOneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** The initial state of a sandbox; every option may be left out. */
export type SandboxOptions = {
  /** The workspace's available money, in micros of a US dollar; ten dollars by default. */
  readonly micros?: bigint
  /** Customers who have just written, so that texts may be sent to them; none by default. */
  readonly customers?: ReadonlyArray<PhoneNumber>
  /** Whether a broker, such as an event sink of the app, gets the events of every workspace; false by default. */
  readonly broker?: boolean
  /** The clock; the machine's clock by default. */
  readonly now?: () => Instant
}

/** Every port of a send and its settings, in memory, and a workspace that may send: both arguments of `makeSending`. */
export type Sandbox = MemoryStorage & SendingSettings & {
  /** Accepts everything. */
  readonly platform: Platform
  readonly workspace: WorkspaceId
  /** The messages handed to the platform, oldest first. */
  readonly sent: ReadonlyArray<Outbound>
  /** Marks every message as read, opens the `attachments`, and accepts files, which are added to them. */
  readonly conversation: Conversation
  /** Attachments of customers; empty at first, and to be filled by the app. */
  readonly attachments: Attachments
  /** The messages marked as read, in order. */
  readonly marked: ReadonlyArray<ReadMark>
}

const USD = 'USD' as Currency
const TEN_DOLLARS = 10_000_000n

/** The price of a message in a sandbox: three cents. */
const PRICE = 30_000n

/**
 * Opens a workspace with money, a sender and a platform that accepts everything and delivers nothing.
 *
 * For a first try, and for an app's own tests: spread it, and override it with the app's own ports. Rejects if the money is more than a wallet can hold.
 */
export const openSandbox = async ({
  micros = TEN_DOLLARS, customers = [], broker = false, now = Date.now,
}: SandboxOptions = {}): Promise<Sandbox> => {
  const storage = makeMemoryStorage({ now, broker })
  const workspace = workspaceIdOf(uuidv7())
  const sent: Outbound[] = []
  const marked: ReadMark[] = []
  const attachments: Attachments = new Map()
  const steps: ReadonlyArray<() => Promise<E.Either<{ readonly _tag: string }, unknown>>> = [
    () => storage.workspaces.create({ id: workspace, name: 'sandbox', currency: USD, createdAt: now() }),
    ...(micros > 0n ? [() => storage.ledger.topUp({ workspace, micros, reference: 'sandbox', at: now() })] : []),
    () => storage.senders.assign(workspace, { phoneNumberId: senderIdOf('1000001'), accessToken: 'sandbox', businessAccountId: undefined }),
    ...customers.map((customer) => () => storage.windowClock.recordInbound(workspace, { phoneNumber: customer }, now())),
  ]
  for (const step of steps) {
    const outcome = await step()
    if (E.isLeft(outcome)) throw new TypeError(`A sandbox cannot be opened so: ${outcome.left._tag}`)
  }
  return {
    ...storage,
    workspace,
    sent,
    marked,
    attachments,
    conversation: {
      markRead: (mark) => infallible(() => void marked.push(mark)),
      openMedia: openAttachment(attachments),
      uploadMedia: takeUpload(attachments),
    },
    platform: {
      send: async (outbound) => {
        sent.push(outbound)
        return E.right({ platformId: `wamid.sandbox.${sent.length}` as PlatformId })
      },
    },
    priceOf: async (_workspace, message) => E.right({ micros: PRICE, currency: USD, category: categoryOf(message, 'marketing') }),
    newUuid: uuidv7,
    unconfirmedAfterMs: 120 * SECOND_MS,
    releaseAfterMs: 7 * 24 * HOUR_MS,
    // Writes to memory do not fail; if a write of an app's own port fails, reconciliation handles it.
    retryLater: () => undefined,
  }
}
