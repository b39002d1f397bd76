import * as E from 'fp-ts/lib/Either.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import type { NoSuchMessage, NotUnconfirmed } from '../../core/messages/message.js'
import { checkResolution, type Entry } from '../../core/money/ledger.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { type MessageMoneyFixture, messageMoneyLaws } from '../laws/message-money.js'
import { brokenMemory, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const broken = (defect: Parameters<typeof brokenMemory<'messageMoney'>>[1]): (() => Promise<MessageMoneyFixture>) =>
  brokenMemory('messageMoney', defect)

const SENT = 'a message resolved as sent is accepted and charged, with the note in the statement'
const NOT_SENT = 'a message resolved as not sent is released with its price and its key, with the note in the statement'
const WHY = 'a statement has the error of the message with the release and the refund of its price, and with no other entry'
const THROUGH = 'each entry of a message has the sender of the message, and no other entry has a sender'
const AGAIN = 'a message that has the outcome already is answered as it is, and changes nothing'
const KNOWN = 'a message whose outcome is known or may still come is not resolved, and the refusal has its state'
const PROVEN = 'a price that was captured or refunded stands against a resolution that says otherwise, and nothing is changed'
const UNPAID = 'a message whose price was never set aside is not resolved as sent, since it never was'
const CONCURRENT = 'of concurrent resolutions that contradict each other one is done, and the others get what stands'
const APART = 'a message is never resolved from another workspace'
const ALONG = 'what a resolution takes along is stored with it, and only with it'
const FOUND = 'every hold that does not agree with its message is found, however many are looked at in a page'
const CURSOR = 'a look from an unknown cursor never fails'

/** Reads, judges and writes in several steps, as a use case over two ports did. */
const inSteps = broken((_port, { messageLog, wallet }) => ({
  resolve: async (resolution, outboxEntries) => {
    const { workspace, message: id, at, note } = resolution
    const found = await messageLog.find(workspace, { id })
    const message = E.isRight(found) && found.right._tag === 'Some' ? found.right.value : undefined
    const hold = await wallet.holdOf({ workspace, message: id })
    const change = checkResolution(message, E.isRight(hold) ? hold.right : undefined, resolution)
    if (E.isLeft(change)) return change
    if (message === undefined) return E.left({ _tag: 'NoSuchMessage', id })
    if (change.right === undefined) return E.right(message)
    await wallet[resolution.outcome === 'sent' ? 'capture' : 'release']({ workspace, message: id, at, note })
    await messageLog.apply(workspace, id, change.right, outboxEntries)
    return E.right({ ...message, state: change.right.state })
  },
}))

const statementWith = (change: (entry: Entry) => Entry): (() => Promise<MessageMoneyFixture>) => brokenMemory(
  'ledger', ({ statement }) => ({
    statement: (...of) => withResult(statement(...of), ({ items, next }) => ({ items: items.map(change), next })),
  }),
)

const nameAccepted = (failure: NoSuchMessage | NotUnconfirmed | PortFailure): typeof failure =>
  (failure._tag === 'NotUnconfirmed' ? { ...failure, state: 'accepted' } : failure)

describeMutations('the messages with their money', messageMoneyLaws, [
  { defect: 'resolves in several steps', open: inSteps, breaks: [CONCURRENT] },
  { defect: 'moves the message alone', open: broken((_port, { messageLog }) => ({
    resolve: async ({ workspace, message: id, outcome, at }, outboxEntries) => {
      await messageLog.apply(workspace, id, { state: outcome === 'sent' ? 'accepted' : 'released', at }, outboxEntries)
      const found = await messageLog.find(workspace, { id })
      return E.isRight(found) && found.right._tag === 'Some' ? E.right(found.right.value) : E.left({ _tag: 'NoSuchMessage', id })
    },
  })), breaks: [SENT, NOT_SENT, KNOWN] },
  { defect: 'takes a message without a hold for one that may have been sent', open: broken(({ resolve }, { messageLog, wallet }) => ({
    resolve: async (resolution, outboxEntries) => {
      const { workspace, message: id, at } = resolution
      const hold = await wallet.holdOf({ workspace, message: id })
      if (resolution.outcome === 'not_sent' || E.isLeft(hold) || hold.right !== undefined) return resolve(resolution, outboxEntries)
      await messageLog.apply(workspace, id, { state: 'accepted', at }, outboxEntries)
      return resolve(resolution, outboxEntries)
    },
  })), breaks: [UNPAID] },
  {
    defect: 'drops the note',
    open: broken(({ resolve }) => ({ resolve: (resolution, outboxEntries) => resolve({ ...resolution, note: '' }, outboxEntries) })),
    breaks: [SENT, NOT_SENT],
  },
  { defect: 'takes every resolution for one that was sent', open: broken(({ resolve }) => ({
    resolve: (resolution, outboxEntries) => resolve({ ...resolution, outcome: 'sent' }, outboxEntries),
  })), breaks: [NOT_SENT, PROVEN] },
  { defect: 'refuses the same outcome twice', open: broken(({ resolve }) => {
    const resolved = new Set<string>()
    return {
      resolve: async (resolution, outboxEntries) => {
        if (resolved.has(resolution.message)) return E.left({ _tag: 'NotUnconfirmed', id: resolution.message, state: 'accepted' })
        const outcome = await resolve(resolution, outboxEntries)
        if (E.isRight(outcome)) resolved.add(resolution.message)
        return outcome
      },
    }
  }), breaks: [AGAIN] },
  { defect: 'resolves a message that may still be on its way', open: broken(({ resolve }) => ({
    resolve: (resolution, outboxEntries) => resolve({ ...resolution, pendingBefore: Infinity }, outboxEntries),
  })), breaks: [KNOWN] },
  { defect: 'tells every loser that the message was accepted', open: broken(({ resolve }) => ({
    resolve: (resolution, outboxEntries) => resolve(resolution, outboxEntries).then(E.mapLeft(nameAccepted)),
  })), breaks: [KNOWN, PROVEN] },
  { defect: 'finds a message by its id alone', open: broken(({ resolve }, { workspaces }) => ({
    resolve: async (resolution, outboxEntries) => {
      const all = await workspaces.list()
      for (const { id } of E.isRight(all) ? all.right : []) {
        const outcome = await resolve({ ...resolution, workspace: id }, outboxEntries)
        if (E.isRight(outcome) || outcome.left._tag !== 'NoSuchMessage') return outcome
      }
      return resolve(resolution, outboxEntries)
    },
  })), breaks: [APART] },
  { defect: 'does not say why money came back', open: statementWith(({ error: _error, ...entry }) => entry), breaks: [WHY] },
  { defect: 'has an error with every entry', open: statementWith((entry) => ({ ...entry, error: { code: 1 } })), breaks: [WHY] },
  { defect: 'shows no senders', open: statementWith(({ sender: _sender, ...entry }) => entry), breaks: [THROUGH] },
  {
    defect: 'has a sender with every entry', open: statementWith((entry) => ({ ...entry, sender: senderIdOf('106540352242922') })),
    breaks: [THROUGH],
  },
  { defect: 'takes nothing along', open: broken(({ resolve }) => ({ resolve: (resolution) => resolve(resolution) })), breaks: [ALONG] },
  {
    defect: 'finds nothing',
    open: broken(({ mismatches }) => ({ mismatches: (query) => withResult(mismatches(query), ({ next }) => ({ items: [], next })) })),
    breaks: [FOUND],
  },
  { defect: 'looks at one page alone', open: broken(({ mismatches }) => ({
    mismatches: (query) => withResult(mismatches(query), ({ items }) => ({ items, next: undefined })),
  })), breaks: [FOUND] },
  { defect: 'overlooks holds without a message', open: broken(({ mismatches }) => ({
    mismatches: (query) =>
      withResult(mismatches(query), ({ items, next }) => ({
        items: RA.filter(({ state }: typeof items[number]) => state !== undefined)(items), next,
      })),
  })), breaks: [FOUND] },
  { defect: 'fails at an unknown cursor', open: broken(({ mismatches }) => ({
    mismatches: async (query) =>
      query.cursor?.startsWith('{') === true ? E.left({ _tag: 'PortFailure', port: 'MessageMoney', cause: 'a cursor' }) : mismatches(query),
  })), breaks: [CURSOR] },
])
