import type { Batch } from '../../core/batches/batch.js'
import type { SenderId } from '../../core/senders/sender.js'
import { type BatchesFixture, confirmed, openBatches } from './batches-fixture.js'
import { done, refused, same } from './expect.js'
import { newBatchId, newName, times } from './ids.js'
import type { Law } from './law.js'
import { NOON } from './message-fixture.js'
import { newSender, type SendersFixture } from './senders-fixture.js'

/** The senders, and the batches over the same storage. */
export type SendersWithBatchesFixture = BatchesFixture & Pick<SendersFixture, 'senders'>

/** A workspace with two senders, and the batches of the first one. */
const openBoth = async (fixture: SendersWithBatchesFixture) => {
  const { create, change, found, workspace } = await openBatches(fixture)
  const [sender, other] = times(2, () => newSender()).map(({ phoneNumberId }) => phoneNumberId) as [SenderId, SenderId]
  for (const phoneNumberId of [sender, other]) {
    await done('a sender is added', fixture.senders.assign(workspace, { ...newSender(), phoneNumberId }))
  }
  const { currency } = await fixture.openWorkspace()
  const batchOf = async (of: SenderId, state: Batch['state'] = 'draft', more: Partial<Batch> = {}) => {
    const { id } = await create({ sender: of, id: newBatchId(NOON), ...more })
    const isConfirmed = state !== 'draft'
    if (isConfirmed) await change({ workspace, batch: id }, ['draft'], { state, confirmed: confirmed(currency), brakeSince: NOON })
    return { workspace, batch: id }
  }
  const move = async (from: SenderId): Promise<SenderId> => {
    const by = newSender()
    await done('the number moves', fixture.senders.replace({ workspace, sender: from }, by, NOON))
    return by.phoneNumberId
  }
  return { workspace, sender, other, batchOf, found, change, move }
}

/** The promises of `Senders` over the same storage as batches. */
export const sendersWithBatchesLaws: ReadonlyArray<Law<SendersWithBatchesFixture>> = [
  {
    name: 'the batches of a number that moves have its new id, and those that were confirmed keep the id that they were confirmed with',
    check: async (fixture) => {
      const { workspace, sender, other, batchOf, found, change, move } = await openBoth(fixture)
      const [draft, sending, over, ofOther] = [
        await batchOf(sender), await batchOf(sender, 'sending'), await batchOf(sender, 'done'), await batchOf(other, 'sending'),
      ]
      // Notes of a batch are no ids of senders.
      const noting = await batchOf(other, 'draft', { metadata: { sender, note: `"sender":"${sender}"` }, name: newName() })
      const before = await Promise.all([draft, sending, over, ofOther, noting].map((of) => found(of)))
      const next = await move(sender)
      const last = await move(next)
      const kept = { sender: last, formerSender: sender }
      const changes = [{ sender: last }, kept, kept, {}, {}]
      const wanted = before.map((batch, index) => ({ ...batch as Batch, ...changes[index] }))
      same('the batches', await Promise.all([draft, sending, over, ofOther, noting].map((of) => found(of))), wanted)
      same('a change', await change(sending, ['sending'], { state: 'paused' }), { ...wanted[1], state: 'paused' })
      await done('the draft is confirmed', fixture.batches.change({ ...draft, from: ['draft'], set: { state: 'confirmed' } }))
      same('the workspace', (await done('a list', fixture.batches.list(workspace, { limit: 9 }))).items.length, 5)
    },
  },
  {
    name: 'a batch of another workspace keeps its sender',
    check: async (fixture) => {
      const [one, another] = [await openBoth(fixture), await openBoth(fixture)]
      const foreign = await another.batchOf(one.sender, 'sending')
      const before = await another.found(foreign)
      await one.move(one.sender)
      same('the batch', await another.found(foreign), before)
    },
  },
  {
    name: 'a sender with batches that are neither done nor canceled is not removed, and the answer says how many there are',
    check: async (fixture) => {
      const { workspace, sender, other, batchOf, change } = await openBoth(fixture)
      await batchOf(other, 'sending')
      await batchOf(sender, 'done')
      const states = ['draft', 'confirmed', 'sending', 'paused'] as const
      const all = await Promise.all(states.map((state) => batchOf(sender, state)))
      const of = { workspace, sender }
      same('the refusal', await refused('it is removed', 'SenderInUse', fixture.senders.remove(of)), {
        _tag: 'SenderInUse', count: 0, batches: 4,
      })
      for (const batch of all) await change(batch, states, { state: 'canceled' })
      await done('it is removed', fixture.senders.remove(of))
    },
  },
]
