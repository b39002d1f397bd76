import type { Category } from '../../core/kernel/money.js'
import { recategorised } from '../../core/messages/message-log.js'
import { done, same } from './expect.js'
import { newPlatformId } from './ids.js'
import type { Law } from './law.js'
import { type MessageLogFixture, NOON, openMessageWorkspace } from './message-fixture.js'

/** The promises of a `MessageLog` about messages that the platform bills in another category. */
export const recategorisedLaws: ReadonlyArray<Law<MessageLogFixture>> = [
  {
    name: 'messages that the platform bills in another category than they were charged in are counted, and no others',
    check: async (fixture) => {
      const { workspace, opened, apply } = await openMessageWorkspace(fixture)
      const report = async (category: string | undefined): Promise<void> => {
        const { id } = await opened()
        await apply(id, {
          state: 'sent',
          at: NOON + 1,
          platformId: newPlatformId(),
          pricing: { billable: true, ...(category !== undefined && { category }) },
        })
      }
      for (const category of ['service', 'marketing', undefined, 'utility', 'marketing']) await report(category)
      await opened()
      const found = recategorised(await done('the charged messages', fixture.messageLog.billed()))
        .filter((one) => one.workspace === workspace)
      same(
        'one count for each category that differs',
        found.toSorted((a, b) => (a.reported < b.reported ? -1 : 1)),
        [
          { workspace, charged: 'service', reported: 'marketing', messages: 2 },
          { workspace, charged: 'service', reported: 'utility', messages: 1 },
        ],
      )
    },
  },
  {
    name: 'a category that the platform writes in several ways is one',
    check: async (fixture) => {
      const { workspace, draft, opened, apply } = await openMessageWorkspace(fixture)
      const { price } = draft()
      const report = async (charged: Category, category: string): Promise<void> => {
        const { id } = await opened({ price: { ...price, category: charged } })
        await apply(id, { state: 'sent', at: NOON + 1, platformId: newPlatformId(), pricing: { category } })
      }
      for (const category of ['authentication_international', 'authentication-international', 'AUTHENTICATION_INTERNATIONAL']) {
        await report('authentication_international', category)
        await report('authentication', category)
      }
      const found = recategorised(await done('the charged messages', fixture.messageLog.billed()))
        .filter((one) => one.workspace === workspace)
      same('one count for the category', found, [
        { workspace, charged: 'authentication', reported: 'authentication_international', messages: 3 },
      ])
    },
  },
]
