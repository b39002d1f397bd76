import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { openStorage } from '../../../../adapters/knex/index.js'
import { openSandbox } from '../../../../adapters/memory/index.js'
import type { PhoneNumber } from '../../../../core/customers/customer.js'
import { SYSTEM } from '../../../../core/kernel/actor.js'
import type { PlatformError } from '../../../../core/kernel/failure.js'
import { type WorkspaceId, workspaceIdOf } from '../../../../core/kernel/ids.js'
import type { Currency } from '../../../../core/kernel/money.js'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../core/kernel/time.js'
import type { IdempotencyKey, MessageId, PlatformId } from '../../../../core/messages/message.js'
import { makeSending } from '../../../../core/postern.js'
import { senderIdOf } from '../../../../core/senders/sender.js'
import { describeEachDatabase } from '../../../support/databases.js'
import { asked, everything } from '../../../support/describe-ports.js'
import { rightOf } from '../../../support/right-of.js'

const SECRET = 'a secret of at least thirty-two characters'
const USD = 'USD' as Currency
/** What the platform answers to a message with a text; it accepts any other. */
const ANSWERS: Readonly<Record<string, PlatformError>> = {
  'refused by the platform': { _tag: 'PlatformRejected', error: { code: 131_026 } },
  'without an answer': { _tag: 'OutcomeUnknown', cause: 'the connection broke' },
}

/** How a queued message ends, and why: its end, a cancellation, an empty wallet, or a closed window. */
type Ending = {
  readonly text: string
  readonly state: string
  readonly until?: number
  readonly cancels?: true
  readonly isPoor?: true
  readonly isClosed?: true
}
type Queued = Ending & { readonly id: MessageId; readonly secret: string; readonly workspace: WorkspaceId }

const ENDINGS: ReadonlyArray<Ending> = [
  { text: 'sent', state: 'accepted' },
  { text: 'refused by the platform', state: 'refused' },
  { text: 'without an answer', state: 'unconfirmed' },
  { text: 'canceled', state: 'canceled', cancels: true },
  { text: 'expired', state: 'refused', until: 30 * MINUTE_MS },
  { text: 'without money', state: 'refused', isPoor: true },
  { text: 'with a closed window', state: 'refused', isClosed: true },
]

await describeEachDatabase('What a queued message said', (server) => {
  for (const keepContent of [false, true]) {
    it(`leaves nothing in any table once it has left the queue${keepContent ? ', but the content that is to be kept' : ''}`, async () => {
      await using database = await server.createMigrated()
      const storage = openStorage({ url: database.url, secret: SECRET, keepContent })
      try {
        let shift = 0
        const now = (): number => Date.now() + shift
        const { priceOf } = await openSandbox()
        const platform = {
          send: async ({ message }: { readonly message: object }) => {
            const answer = 'text' in message ? ANSWERS[String(message.text).replace(/: .*/, '')] : undefined
            return answer === undefined ? E.right({ platformId: `wamid.${uuidv7()}` as PlatformId }) : E.left(answer)
          },
        }
        const sending = makeSending({ ...storage, windowClock: { ...storage.windowClock, now }, platform }, {
          priceOf, newUuid: uuidv7, retryLater: () => undefined, unconfirmedAfterMs: MINUTE_MS, releaseAfterMs: DAY_MS,
        })
        const rows = () => asked(database.url, everything)
        const queued: Array<Queued> = []
        for (const [index, ending] of ENDINGS.entries()) {
          const [workspace, to, secret] = [workspaceIdOf(uuidv7()), `3363998000${index}` as PhoneNumber, uuidv7()]
          rightOf(await storage.workspaces.create({ id: workspace, name: `shop ${index}`, currency: USD, createdAt: now() }))
          const sender = { phoneNumberId: senderIdOf(`100${index}`), accessToken: 'a', businessAccountId: undefined }
          rightOf(await storage.senders.assign(workspace, sender))
          if (ending.isPoor === undefined) rightOf(await storage.ledger.topUp({ workspace, micros: 1_000_000n, reference: 'a', at: now() }))
          if (ending.isClosed === undefined) rightOf(await storage.windowClock.recordInbound(workspace, { phoneNumber: to }, now()))
          const answer = rightOf(await sending.sendOrQueue({
            workspace, message: { _tag: 'Text', to, text: `${ending.text}: ${secret}` }, sendAt: now() + 10 * MINUTE_MS,
            idempotencyKey: `order ${index}` as IdempotencyKey, ...(ending.until !== undefined && { until: now() + ending.until }),
          }))
          queued.push({ ...ending, id: 'id' in answer ? answer.id : assert.fail('it was not queued'), secret, workspace })
        }
        const contents = await asked(database.url, (knex) => knex('queued_contents').select<ReadonlyArray<{ content: string }>>('content'))
        assert.lengthOf(contents, ENDINGS.length)
        const before = await rows()
        assert.deepEqual(contents.filter(({ content }) => !before.includes(content)), [], 'every content can be seen')
        for (const { cancels, workspace, id } of queued) {
          if (cancels === true) rightOf(await sending.cancel({ by: SYSTEM, workspace, message: { id } }))
        }
        shift = HOUR_MS
        rightOf(await sending.drainQueue?.() ?? assert.fail('there is no queue'))
        for (const { text, state, workspace, id } of queued) {
          const found = rightOf(await storage.messageLog.find(workspace, { id }))
          assert.equal('value' in found ? found.value.state : undefined, state, text)
        }
        const after = await rows()
        assert.deepEqual(contents.filter(({ content }) => after.includes(content)), [], 'no encrypted content is left')
        assert.deepEqual(queued.filter(({ secret }) => after.includes(secret)), [], 'no text can be read')
        const left = await asked(database.url, async (knex) => Promise.all(['queued_contents', 'queued_messages', 'message_contents']
          .map(async (table) => (await knex(table).select()).length)))
        assert.deepEqual(left, [0, 0, keepContent ? ENDINGS.length : 0])
      } finally {
        await storage.close()
      }
    })
  }
})
