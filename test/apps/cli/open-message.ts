import { uuidv7 } from 'uuidv7'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import { type MessageId, messageIdOf } from '../../../core/messages/message.js'
import { withDatabase } from '../../support/books.js'
import { rightOf } from '../../support/right-of.js'

/** Leaves a message whose answer was lost, with its price on hold. */
export const openMessage = (url: string, workspace: WorkspaceId): Promise<MessageId> =>
  withDatabase(url, async ({ messageLog, wallet }) => {
    const [id, at] = [messageIdOf(uuidv7()), Date.now()]
    const price = { micros: 62_500n, currency: 'USD' as Currency, category: 'marketing' as const }
    rightOf(await messageLog.open({
      id, workspace, message: { _tag: 'Template', to: '33639980001' as PhoneNumber, name: 'hello_world', language: 'en_US' }, price, at,
    }))
    rightOf(await wallet.hold({ workspace, message: id, amount: price, at }))
    rightOf(await messageLog.apply(workspace, id, { state: 'unconfirmed', at }))
    return id
  })
