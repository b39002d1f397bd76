import { FORGOTTEN_PLATFORM_ID } from '../../core/messages/message.js'
import type { PersonalData } from '../../core/privacy.js'
import { done, refused, same } from './expect.js'
import { longAgo, newPhoneNumber, newUserId } from './ids.js'
import type { Law } from './law.js'
import { type LostMessagesFixture, openLossy, toldBy } from './lost-messages-fixture.js'
import { digestOf, forgetAll, newVariants, sum } from './personal-data-fixture.js'

/** The lost messages, and over the same storage the deletion of people's data. */
export type ForgottenLostMessagesFixture = LostMessagesFixture & { readonly personalData: PersonalData }

/** The joint promises of a `LostMessages` and a `PersonalData` of one storage. */
export const lostMessagesForgottenLaws: ReadonlyArray<Law<ForgottenLostMessagesFixture>> = [
  {
    name: 'what is older than the retention is removed by its first status, settled or not',
    check: async (fixture) => {
      const at = longAgo()
      const { note, noted, settle, settlement, listed } = await openLossy(fixture)
      const [old, settled, young] = [await noted({ at: at - 1 }), await noted({ at: at - 2 }), await noted({ at })]
      await note({ ...old, state: 'read', at: at + 1_000 })
      await settle(settled)
      const steps = await forgetAll(fixture, at, 2)
      same('what is counted among the messages', sum(steps, 'messages') >= 2, true)
      same('the lost messages', await listed(), [toldBy(young)])
      for (const status of [old, settled]) {
        await refused('settling it', 'NoSuchLostMessage', fixture.lostMessages.settle(settlement(status)))
      }
    },
  },
  {
    name: 'a message that was charged, forgotten and reported once more is not charged again',
    check: async (fixture) => {
      const at = longAgo()
      const { note, noted, settle, settlement, has } = await openLossy(fixture)
      const status = await noted({ at: at - 1 })
      await settle(status)
      await forgetAll(fixture, at)
      await note(status)
      for (const micros of [70n, 80n]) {
        await refused('charging it', 'LostMessageSettled', fixture.lostMessages.settle(settlement(status, { micros })))
      }
      await has('the wallet has', 930n)
      await settle(status, { micros: 0n })
    },
  },
  {
    name: 'erasing takes a person out of lost messages, which stay to be settled, and no status brings the person back',
    check: async (fixture) => {
      const at = longAgo()
      const { workspace, note, noted, settle, settlement, listed, has } = await openLossy(fixture)
      const [[number, variant], userId] = [newVariants(), newUserId()]
      const lost = [await noted({ at, to: number }), await noted({ at: at + 1, to: variant }), await noted({ at: at + 2, to: userId })]
      const settled = await noted({ at: at + 3, to: number })
      await settle(settled)
      const erase = () => done('a person is erased', fixture.personalData.erase(workspace, [{ phoneNumber: number, userId }]))
      same('what is counted among the messages', (await erase()).messages, 4)
      await note(...lost.map((status) => ({ ...status, state: 'read' as const, at: at + 10 })), { ...settled, state: 'read' })
      const [ofNumber, ofUser] = [await digestOf(fixture, workspace, number), await digestOf(fixture, workspace, userId)]
      const digests = [ofNumber, ofNumber, ofUser]
      same('the lost messages', await listed(), lost.map((status, index) => ({
        ...toldBy(status), to: digests[index], platformId: FORGOTTEN_PLATFORM_ID, state: 'read' as const, lastAt: at + 10,
      })))
      for (const id of [FORGOTTEN_PLATFORM_ID, ...lost.map(({ platformId }) => platformId)]) {
        await refused(
          'settling one by the id of the platform', 'NoSuchLostMessage', fixture.lostMessages.settle(settlement(settled, { id })),
        )
      }
      for (const status of lost) await settle(status)
      await has('the wallet has', 1_000n - 4n * 70n)
      same('what a repetition finds', (await erase()).messages, 0)
    },
  },
  {
    name: 'erasing leaves the lost messages of everyone else as they are',
    check: async (fixture) => {
      const at = longAgo()
      const [here, elsewhere] = [await openLossy(fixture), await openLossy(fixture)]
      const phoneNumber = newPhoneNumber()
      const kept = [await here.noted({ at }), await here.noted({ at: at + 1, to: undefined })]
      const abroad = await elsewhere.noted({ at, to: phoneNumber })
      await done('a person is erased', fixture.personalData.erase(here.workspace, [{ phoneNumber }]))
      same('the lost messages here', await here.listed(), kept.map(toldBy))
      same('the lost messages of another workspace', await elsewhere.listed(), [toldBy(abroad)])
    },
  },
]
