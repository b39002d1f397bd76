import Database from 'better-sqlite3'
import { currencyOf, idempotencyKeyOf, makeSending, type PhoneNumber, phoneNumberOf, type PlatformId, senderIdOf, type StatusReport } from 'postern'
import { openSandbox } from 'postern/memory'
import { makeSettlingWallet, makeUserWallet, openUser, USER_SCHEMA } from './user-wallet.js'

const database = new Database(':memory:').exec(USER_SCHEMA)
for (const user of ['ann', 'bob']) openUser(database, user, currencyOf('USD'), 100_000n)

// One workspace has the number for all users.
const { workspace, ...sandbox } = await openSandbox()
const { receive } = makeSending({ ...sandbox, wallet: makeSettlingWallet(database) }, sandbox)

/** Sends for a user. The user's wallet pays, and two users may choose the same idempotency key. */
const sendFor = (user: string, to: PhoneNumber, key: string) =>
  makeSending({ ...sandbox, wallet: makeUserWallet(database, user) }, sandbox).sendTemplate(
    { workspace, to, name: 'order_update', idempotencyKey: idempotencyKeyOf(`${user} ${key}`) },
  )

const annSent = await sendFor('ann', phoneNumberOf('33639980001'), 'order-1')
const bobSent = await sendFor('bob', phoneNumberOf('33639980002'), 'order-1')
const bobAgain = await sendFor('bob', phoneNumberOf('33639980002'), 'order-1')
console.log([annSent, bobSent, bobAgain].map((reply) => (reply._tag === 'Right' ? reply.right.platformId : reply.left._tag)))

/** A later report from the platform, as `parseNotification` returns it. */
const failed = (platformId: PlatformId): StatusReport => ({
  _tag: 'StatusReport', phoneNumberId: senderIdOf('1000001'), messageId: undefined, platformId, change: { state: 'failed', at: Date.now(), platformId },
})
const balances = () => database.prepare('SELECT id, available FROM app_user ORDER BY id').all()
console.log(balances())
if (annSent._tag === 'Right') await receive([failed(annSent.right.platformId)])
console.log(balances())
