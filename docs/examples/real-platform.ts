import * as E from 'fp-ts/lib/Either.js'
import { currencyOf, makeSending, phoneNumberOf, senderIdOf, workspaceIdOf } from 'postern'
import { makeCloudApi, makeGotTransport } from 'postern/cloud-api'
import { openStorage } from 'postern/knex'
import { makeRetryQueue } from 'postern/sending'
import { uuidv7 } from 'uuidv7'

const { DATABASE_URL: url = 'sqlite:./messages.db', PLATFORM_URL: baseUrl = 'https://graph.facebook.com' } = process.env
const { POSTERN_SECRET: secret, ACCESS_TOKEN: accessToken = '' } = process.env
const currency = currencyOf('USD')

const transport = makeGotTransport()
const retries = makeRetryQueue()
const storage = openStorage({ url, secret })
await storage.migrate()
const platform = makeCloudApi({ baseUrl, version: 'v25.0', timeoutMs: 10_000, transport: transport.send })
const { sendTemplate, reconcile } = makeSending({ ...storage, platform }, {
  newUuid: uuidv7,
  priceOf: async () => E.right({ micros: 62_500n, currency, category: 'marketing' as const }),
  retryLater: retries.retryLater,
  unconfirmedAfterMs: 120_000,
  releaseAfterMs: 7 * 24 * 3_600_000,
})

const [workspace, at] = [workspaceIdOf(uuidv7()), Date.now()]
await storage.workspaces.create({ id: workspace, name: 'shop', currency, createdAt: at })
await storage.ledger.topUp({ workspace, micros: 25_000_000n, reference: 'invoice-1', at })
await storage.senders.assign(workspace, { phoneNumberId: senderIdOf('1000001'), accessToken, businessAccountId: undefined })

const reply = await sendTemplate({ workspace, to: phoneNumberOf('33639980001'), name: 'order_update' })
console.log(reply._tag === 'Right' ? `sent as ${reply.right.platformId}` : reply.left)
console.log(await storage.ledger.balance(workspace))
// Settles messages that a crash or a lost answer left open. A server does this every few minutes.
console.log(await reconcile())

await retries.close()
await transport.close()
await storage.close()
