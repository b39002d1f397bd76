import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { portFailure } from '../../core/kernel/failure.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Category } from '../../core/kernel/money.js'
import { type Draft, isFreeType, type MessageLog, type Opening, reportedType, sumBilled } from '../../core/messages/message-log.js'
import { type AppliedChange, type IdempotencyKey, KEY_KEPT_MS, type MessageRecord, type PlatformId } from '../../core/messages/message.js'
import { type MessageLogFixture, messageLogLaws } from '../laws/message-log.js'
import { andThen, brokenMemory, noting, rounded, withResult } from './broken-memory.js'
import { changingRecords, forgettingPlatformId, keepingClaims, opening, summing } from './broken-message-log.js'
import { describeMutations } from './mutation.js'

const down = portFailure('MessageLog')('down')
const broken = (defect: (log: MessageLog) => Partial<MessageLog>): (() => Promise<MessageLogFixture>) => brokenMemory('messageLog', defect)
const withoutClaim = ({ claim: _claim, ...draft }: Draft): Draft => draft

describeMutations('the message log', messageLogLaws, [
  {
    defect: 'keeps times in whole seconds',
    open: broken(opening((draft) => ({ ...draft, at: Math.floor(draft.at / 1_000) * 1_000 }))),
    breaks: ['an opened message is found as pending, with what its draft said'],
  },
  { defect: 'drops the API key', open: broken(opening(({ keyId: _keyId, ...draft }) => draft)), breaks: ['the API key of a message is kept with it, whatever is opened and changed beside it'] },
  { defect: 'drops the trace context', open: broken(opening(({ trace: _trace, ...draft }) => draft)), breaks: ['the trace context of a message is kept with it, whatever is opened and changed beside it'] },
  {
    defect: 'drops what applications note',
    open: broken(opening(({ message: { metadata: _metadata, ...message }, ...draft }) => ({ ...draft, message }))),
    breaks: ['an opened message is found as pending, with what its draft said'],
  },
  {
    defect: 'counts in floating point',
    open: broken(opening(({ price, ...draft }) => ({ ...draft, price: { ...price, micros: BigInt(Number(price.micros)) } }))),
    breaks: ['a price is kept to the micro, with the category it was priced by'],
  },
  { defect: 'loses all but one of concurrent opens', open: broken(({ open }) => {
    let busy = false
    return {
      open: async (draft) => {
        if (busy) return E.right({ _tag: 'Opened' })
        busy = true
        setImmediate(() => { busy = false })
        return open(draft)
      },
    }
  }), breaks: ['concurrent opens of many messages open each', 'of concurrent opens with one key exactly one is opened', 'of concurrent opens with a key that was given up exactly one is opened'] },
  { defect: 'opens an id again', open: broken(({ open }) => ({
    open: (draft) => open(draft).then(E.orElse(() => E.right<never, Opening>({ _tag: 'Opened' }))),
  })), breaks: ['an id that was opened before is a PortFailure, and the first message stays as it was'] },
  { defect: 'compares platform ids without letter case', open: broken(({ apply, find }) => {
    const lower = (id: PlatformId): PlatformId => id.toLowerCase() as PlatformId
    return {
      apply: (workspace, id, { platformId, ...change }) =>
        apply(workspace, id, { ...change, ...(platformId !== undefined && { platformId: lower(platformId) }) }),
      find: (workspace, by) => find(workspace, 'id' in by ? by : { platformId: lower(by.platformId) }),
    }
  }), breaks: ['a message is found by the platform\'s id'] },
  { defect: 'fails for a platform id with a NUL', open: broken(({ find }) => ({
    find: async (workspace, by) => ('platformId' in by && by.platformId.includes('\u0000') ? E.left(down) : find(workspace, by)),
  })), breaks: ['a message that does not exist is not found'] },
  { defect: 'finds messages from another workspace', open: broken(({ open, find }) => {
    const owners = new Map<string, WorkspaceId>()
    return {
      open: (draft) => noting(open(draft), () => void owners.set(draft.id, draft.workspace)),
      find: (workspace, by) => find('id' in by ? owners.get(by.id) ?? workspace : workspace, by),
    }
  }), breaks: ['a message is never found from another workspace'] },
  { defect: 'ignores idempotency keys', open: broken(opening(withoutClaim)), breaks: [
    'a key that guards a message answers Claimed, and nothing is written',
    'a key guards its message for as long as the outcome is unknown',
  ] },
  {
    defect: 'takes every request for the same',
    open: broken(({ open }) => ({
      open: (draft) => withResult(open(draft), (opened) => (opened._tag === 'Claimed' ? { ...opened, sameRequest: true } : opened)),
    })),
    breaks: ['a claim says whether the request was the same'],
  },
  { defect: 'answers that every key is free', open: broken(() => ({ claimed: async () => E.right(O.none) })), breaks: ['a look at a key answers as opening would, and nothing is written'] },
  { defect: 'has one list of keys for all workspaces', open: broken(({ open, claimed }) => {
    const owners = new Map<string, WorkspaceId>()
    return {
      open: (draft) => {
        const { claim, at, workspace } = draft
        if (claim === undefined) return open(draft)
        const owner = owners.get(claim.key) ?? workspace
        owners.set(claim.key, owner)
        return andThen(claimed(owner, claim, at), async (found) => (O.isSome(found) ? E.right(found.value) : open(draft)))
      },
    }
  }), breaks: ['a key of another workspace is a key of its own'] },
  {
    defect: 'cuts keys to 190 characters',
    open: broken(opening(({ claim, ...draft }) => ({
      ...draft, ...(claim !== undefined && { claim: { ...claim, key: claim.key.slice(0, 190) as IdempotencyKey } }),
    }))),
    breaks: ['keys that differ in any character are different keys'],
  },
  {
    defect: 'takes no key for a key',
    open: broken(opening((draft) => ({ claim: { key: 'none' as IdempotencyKey, request: '' }, ...draft }))),
    breaks: ['messages without a key never meet a claim'],
  },
  { defect: 'never frees a key', open: broken(keepingClaims), breaks: [
    'a message that ends refused frees its key',
    'a message that ends released frees its key',
    'a key that was freed stays free, even where its message has gone after all',
    'a key guards its message 24 hours long',
    'of concurrent opens with a key that was given up exactly one is opened',
  ] },
  { defect: 'frees the key of a refused message each time', open: broken(({ open, apply }) => {
    const [keys, freed] = [new Map<string, string>(), new Set<string>()]
    return {
      open: (draft) => {
        if (draft.claim !== undefined) keys.set(draft.id, draft.claim.key)
        return freed.delete(draft.claim?.key ?? '') ? open(withoutClaim(draft)) : open(draft)
      },
      apply: (workspace, id, change) => {
        if (change.state === 'refused' || change.state === 'released') freed.add(keys.get(id) ?? '')
        return apply(workspace, id, change)
      },
    }
  }), breaks: ['a message that ended refused never frees a key another message has claimed since'] },
  { defect: 'frees every key after a day', open: broken(({ open }) => {
    const since = new Map<string, number>()
    return {
      open: (draft) => {
        const key = draft.claim?.key ?? ''
        const first = since.get(key) ?? draft.at
        since.set(key, first)
        return open(draft.at - first >= KEY_KEPT_MS ? withoutClaim(draft) : draft)
      },
    }
  }), breaks: ['a key guards its message for as long as the outcome is unknown'] },
  { defect: 'refuses what is opened beside a key that guards a message', open: broken(({ open }) => {
    let underWay: Array<{ isBeside: boolean }> = []
    return {
      open: async (draft) => {
        const own = { isBeside: false }
        underWay.push(own)
        const opening = await open(draft)
        if (E.isRight(opening) && opening.right._tag === 'Claimed') for (const other of underWay) other.isBeside ||= other !== own
        await new Promise((resolve) => { setTimeout(resolve, 1) })
        underWay = underWay.filter((one) => one !== own)
        return own.isBeside ? E.left(portFailure('MessageLog')('it met a claim')) : opening
      },
    }
  }), breaks: ['one key among concurrent opens that guards a message costs its neighbours nothing'] },
  { defect: 'keeps no history', open: broken(changingRecords(({ history: _history, ...record }) => ({ ...record, history: [] }))), breaks: [
    'a change moves the message and is kept in its history',
    'any sequence of changes moves a message as merge says and is remembered as entersHistory says',
    'concurrent changes merge to the furthest state',
    'concurrent notes of one change keep it once',
  ] },
  { defect: 'answers a change of no message with its state', open: broken(({ apply }) => ({
    apply: (workspace, id, change) =>
      withResult(apply(workspace, id, change), O.alt(() => O.some<AppliedChange>({ state: change.state, platformId: change.platformId }))),
  })), breaks: ['a change of a message that does not exist is answered none', 'one change among concurrent ones that finds no message costs its neighbours nothing'] },
  { defect: 'takes a change that names another platform id', open: broken(forgettingPlatformId), breaks: ['a change that names another platform id than the recorded one changes nothing, and is answered the recorded one'] },
  { defect: 'answers the platform id of the change', open: broken(({ apply }) => ({
    apply: (workspace, id, change) =>
      withResult(apply(workspace, id, change), O.map((applied) => ({ ...applied, platformId: change.platformId }))),
  })), breaks: ['of concurrent changes that name different platform ids one is recorded, and the others change nothing'] },
  { defect: 'keeps the time of the last repetition', open: broken(({ apply, find }) => {
    const last = new Map<string, number>()
    const later = (record: MessageRecord): MessageRecord => ({
      ...record, history: record.history.map((entry) => ({ ...entry, at: last.get(`${record.id} ${entry.state}`) ?? entry.at })),
    })
    return {
      apply: (workspace, id, change) => noting(apply(workspace, id, change), () => void last.set(`${id} ${change.state}`, change.at)),
      find: (...of) => withResult(find(...of), O.map(later)),
    }
  }), breaks: ['noting a change again changes nothing'] },
  { defect: 'is moved by the last change', open: broken(({ apply }) => ({
    apply: (workspace, id, change) => withResult(apply(workspace, id, change), O.map((applied) => ({ ...applied, state: change.state }))),
  })), breaks: [
    'any sequence of changes moves a message as merge says and is remembered as entersHistory says',
    'a failure that comes after delivery changes nothing',
  ] },
  { defect: 'keeps the history in the order of arrival', open: broken(({ apply, find }) => {
    const arrived = new Map<string, string[]>()
    return {
      apply: (workspace, id, change) =>
        noting(apply(workspace, id, change), () => void arrived.set(id, [...(arrived.get(id) ?? ['pending']), change.state])),
      find: (...of) => withResult(find(...of), O.map((record) => {
        const order = arrived.get(record.id) ?? []
        return { ...record, history: record.history.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state)) }
      })),
    }
  }), breaks: ['changes merge to the same state in any order'] },
  {
    defect: 'keeps the history in the order of the moments',
    open: broken(changingRecords((record) => ({ ...record, history: record.history.toSorted((a, b) => a.at - b.at) }))),
    breaks: [
      'the history is in the order in which one state leads to the next, whatever their moments say',
    ],
  },
  {
    defect: 'keeps the code of an error alone',
    open: broken(changingRecords(({ error, ...record }) => ({ ...record, error: error && { code: error['code'] ?? null } }))),
    breaks: ['an error is kept whole'],
  },
  {
    defect: 'rounds long numbers',
    open: broken(changingRecords(({ error, pricing, ...record }) => ({
      ...record, error: error && rounded(error), pricing: pricing && rounded(pricing),
    }))),
    breaks: ['an error is kept whole', 'what the platform reports on billing is kept whole'],
  },
  {
    defect: 'keeps no pricing',
    open: broken(({ apply }) => ({ apply: (workspace, id, { pricing: _pricing, ...change }) => apply(workspace, id, change) })),
    breaks: ['what the platform reports on billing is kept whole'],
  },
  { defect: 'takes refused messages for final', open: broken(({ apply, find }) => ({
    apply: (workspace, id, change) => andThen(find(workspace, { id }), async (found) =>
      O.isSome(found) && ['refused', 'released'].includes(found.value.state)
        ? E.right(O.some({ state: found.value.state, platformId: undefined }))
        : apply(workspace, id, change)),
  })), breaks: ['a message that was refused or given up moves on where the platform reports on it after all'] },
  { defect: 'drops an acceptance that comes late', open: broken(({ apply, find }) => ({
    apply: (workspace, id, change) => andThen(find(workspace, { id }), async (found) =>
      O.isSome(found) && found.value.state === 'sent' && change.state === 'accepted'
        ? E.right(O.some({ state: 'sent', platformId: undefined }))
        : apply(workspace, id, change)),
  })), breaks: ['an acceptance that comes late still brings the platform\'s id'] },
  {
    defect: 'lists the oldest message first',
    open: broken(({ list }) => ({ list: (...of) => withResult(list(...of), ({ items, next }) => ({ items: items.toReversed(), next })) })),
    breaks: ['a list has a workspace\'s messages newest first'],
  },
  {
    defect: 'lists the newest message first, whatever was asked for',
    open: broken(({ list }) => ({ list: (workspace, { oldestFirst: _oldestFirst, ...query }) => list(workspace, query) })),
    breaks: ['a list can begin with the oldest messages, and its pages go on with newer ones'],
  },
  {
    defect: 'turns only each page around',
    open: broken(({ list }) => ({
      list: (workspace, { oldestFirst, ...query }) => withResult(list(workspace, query), ({ items, next }) =>
        ({ items: oldestFirst === true ? items.toReversed() : items, next })),
    })),
    breaks: ['a list can begin with the oldest messages, and its pages go on with newer ones'],
  },
  {
    defect: 'lists messages without their errors',
    open: broken(({ list }) => ({
      list: (...of) => withResult(list(...of), ({ items, next }) => ({ items: items.map((one) => ({ ...one, error: undefined })), next })),
    })),
    breaks: ['a list shows messages as find does'],
  },
  { defect: 'sets next though the last page is full', open: broken(({ list }) => ({
    list: (workspace, query) =>
      withResult(list(workspace, query), ({ items }) => ({ items, next: items.length === query.limit ? items.at(-1)?.id : undefined })),
  })), breaks: ['a page has as many messages as asked for, and the last one has no next'] },
  {
    defect: 'lists the first page only',
    open: broken(({ list }) => ({ list: (...of) => withResult(list(...of), ({ items }) => ({ items, next: undefined })) })),
    breaks: [
      'pages have each message exactly once, though others are opened meanwhile',
      'pages of a filtered list have each message exactly once',
    ],
  },
  {
    defect: 'lists the messages to all customers',
    open: broken(({ list }) => ({ list: (workspace, { to: _to, ...query }) => list(workspace, query) })),
    breaks: ['a list can be of one customer'],
  },
  {
    defect: 'lists the messages to the first id only',
    open: broken(({ list }) => ({
      list: (workspace, { to, ...query }) => list(workspace, { ...query, ...(to && { to: to.slice(0, 1) }) }),
    })),
    breaks: [
      'a list can be of several ids, of each from a moment on',
    ],
  },
  {
    defect: 'lists messages to an id from every moment',
    open: broken(({ list }) => ({
      list: (workspace, { to, ...query }) => list(workspace, { ...query, ...(to && { to: to.map(({ id }) => ({ id })) }) }),
    })),
    breaks: [
      'a list can be of several ids, of each from a moment on',
    ],
  },
  {
    defect: 'lists the messages in all states',
    open: broken(({ list }) => ({ list: (workspace, { state: _state, ...query }) => list(workspace, query) })),
    breaks: ['a list can be of one state'],
  },
  { defect: 'fails for a cursor of another list', open: broken(({ list }) => ({
    list: (workspace, query) => andThen(list(workspace, { ...query, limit: 1_000, cursor: 'zzz' }), async ({ items }) =>
      (query.cursor === undefined || items.some(({ id }) => id === query.cursor) ? list(workspace, query) : E.left(down))),
  })), breaks: ['a cursor that is none of ours is compared as an id would be, and never fails'] },
  {
    defect: 'lists the youngest stale messages first',
    open: broken(({ stale }) => ({ stale: (query) => withResult(stale(query), (found) => found.toReversed()) })),
    breaks: ['stale lists messages in the state asked for that were opened before the moment, oldest first'],
  },
  {
    defect: 'lists the messages before the end of a time only',
    open: broken(({ list }) => ({ list: (workspace, { from: _from, ...query }) => list(workspace, query) })),
    breaks: ['a list can be of the messages that were opened in a time'],
  },
  { defect: 'lists what has any of what was noted', open: broken(({ list }) => ({
    list: (workspace, { metadata, ...query }) => withResult(list(workspace, query), ({ items, next }) => ({
      items: metadata === undefined
        ? items
        : items.filter((message) => Object.entries(metadata).some(([name, value]) => message.metadata?.[name] === value)),
      next,
    })),
  })), breaks: ['a list can be of what was noted on messages, by exact names and values'] },
  { defect: 'lists what was noted in a name or a part of a value', open: broken(({ list }) => ({
    list: (workspace, { reference, ...query }) => withResult(list(workspace, query), ({ items, next }) => ({
      items: reference === undefined ? items : items.filter(({ metadata = {} }) => JSON.stringify(metadata).includes(reference)), next,
    })),
  })), breaks: ['a list can be of what was noted on messages under any name, by the exact value'] },
  { defect: 'lists templates by the beginning of their names', open: broken(({ list }) => ({
    list: (workspace, { template, ...query }) =>
      withResult(list(workspace, query), ({ items, next }) => ({
        items: items.filter(({ templateName = '' }) => templateName.startsWith(template ?? '')), next,
      })),
  })), breaks: ['a list can be of one template, by its exact name'] },
  { defect: 'lists the messages whose error has a code anywhere', open: broken(({ list }) => ({
    list: (workspace, { errorCode, ...query }) =>
      withResult(list(workspace, query), ({ items, next }) => ({
        items: items.filter(({ error }) => JSON.stringify(error ?? {}).includes(String(errorCode))), next,
      })),
  })), breaks: ['a list can be of one error code, though errors name other codes elsewhere'] },
  { defect: 'finds no error that an earlier release stored as a sentence', open: broken(({ list }) => ({
    list: (workspace, query) =>
      withResult(list(workspace, query), ({ items, next }) => ({
        items: items.filter(({ error }) => typeof query.errorCode !== 'string' || error?.['code'] !== undefined), next,
      })),
  })), breaks: ['a list can be of a code of the gateway, also of errors that an earlier release stored as a sentence alone'] },
  {
    defect: 'looks at all messages',
    open: broken(({ list }) => ({ list: (workspace, { look: _look, ...query }) => list(workspace, query) })),
    breaks: ['a look at some messages gives those among them, and goes on after them'],
  },
  {
    defect: 'lists stale messages of one workspace',
    open: broken(({ stale }) => ({
      stale: (query) => withResult(stale(query), (found) => found.filter(({ workspace }) => workspace === found[0]?.workspace)),
    })),
    breaks: ['stale lists the messages of all workspaces'],
  },
  { defect: 'lists every stale message', open: broken(({ stale }) => ({ stale: (query) => stale({ ...query, limit: 1_000 }) })), breaks: ['stale lists no more than asked for, the oldest of them all'] },
  { defect: 'lists pending and unconfirmed messages alike', open: broken(({ stale }) => ({
    stale: (query) =>
      andThen(stale({ ...query, state: 'pending' }), (pending) =>
        withResult(stale({ ...query, state: 'unconfirmed' }), (found) => [...pending, ...found])),
  })), breaks: ['a stale message that is settled is stale no more'] },
  { defect: 'sums messages by what they were charged alone', open: broken(({ billed }) => ({
    billed: () => withResult(billed(), (found) => found.map((one) => ({ ...one, reported: undefined }))),
  })), breaks: ['messages that the platform bills in another category than they were charged in are counted, and no others'] },
  { defect: 'keeps the spelling of a category', open: broken(({ billed }) => ({
    billed: () => withResult(billed(), (found) => found.map((one) => ({ ...one, reported: one.reported?.replace('_', '-') }))),
  })), breaks: ['a category that the platform writes in several ways is one'] },
  {
    defect: 'sums messages that are not charged',
    open: broken(summing(({ state, ...record }) => ({ ...record, state: state === 'failed' ? 'sent' : state }))),
    breaks: ['charged messages are summed by how they were charged and what the platform reported, and no others'],
  },
  {
    defect: 'keeps the spelling of a type',
    open: broken(summing(
      (record) => record, ({ pricing }, one) => ({ ...one, type: typeof pricing?.['type'] === 'string' ? pricing['type'] : undefined }),
    )),
    breaks: ['charged messages are summed by how they were charged and what the platform reported, and no others'],
  },
  {
    defect: 'sums in floating point',
    open: broken(({ billed }) => ({
      billed: () => withResult(billed(), (found) => found.map((one) => ({ ...one, micros: BigInt(Number(one.micros)) }))),
    })),
    breaks: ['what was charged is summed to the micro, and workspaces are apart'],
  },
  {
    defect: 'sums the prices as the costs',
    open: broken(({ billed }) => ({
      billed: (period) => withResult(billed(period), (found) => found.map((one) => ({ ...one, cost: one.micros }))),
    })),
    breaks: ['what the platform charges is summed beside the prices, by market, and of a period alone'],
  },
  {
    defect: 'sums the messages of all senders together',
    open: broken(({ billed }) => ({
      billed: (period) => withResult(billed(period), (found) => sumBilled(found.map(({ sender: _, ...one }) => one))),
    })),
    breaks: ['charged messages are summed by their senders, and those without one apart'],
  },
  {
    defect: 'sums the messages of all time for a period',
    open: broken(({ billed }) => ({ billed: () => billed() })),
    breaks: ['what the platform charges is summed beside the prices, by market, and of a period alone'],
  },
  {
    defect: 'lists every message',
    open: broken(({ list }) => ({ list: (workspace, { billedOtherwise: _, ...query }) => list(workspace, query) })),
    breaks: ['the messages that the platform bills differently from what was charged are listed, page by page, and no others'],
  },
  { defect: 'lists no message that is billed for nothing', open: broken(({ list }) => ({
    list: (workspace, query) =>
      withResult(list(workspace, query), ({ items, next }) => ({
        items: items.filter(({ pricing }) => query.billedOtherwise === undefined || !isFreeType(reportedType(pricing))), next,
      })),
  })), breaks: ['the messages that the platform bills differently from what was charged are listed, page by page, and no others'] },
  { defect: 'fails by a word that it cannot store', open: broken(({ apply }) => ({
    apply: async (workspace, id, change) =>
      JSON.stringify(change.pricing ?? {}).includes('\\u0000')
        ? E.left(portFailure('MessageLog')('the word cannot be stored'))
        : apply(workspace, id, change),
  })), breaks: ['no word of the platform on billing makes a change fail'] },
  {
    defect: 'cuts a long category off',
    open: broken(opening(({ price, ...draft }) => ({ ...draft, price: { ...price, category: price.category.slice(0, 16) as Category } }))),
    breaks: ['a price is kept to the micro, with the category it was priced by'],
  },
])
