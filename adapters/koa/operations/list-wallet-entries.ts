import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import type { PageQuery } from '../../../core/kernel/page.js'
import { entryView, type EntryView } from '../../../core/money/ledger.js'
import type { UnknownSender } from '../../../core/senders/sender.js'
import { Amount, Kind, NamedSender, NextCursor, nextCursor, pageParameters, pageQuery, Time } from '../codecs.js'
import { type Outcome, type UseCases, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import { anyObject, array, type Codec, described, named, nullable, record, string } from '../schema.js'
import { senderFilter } from './get-message.js'
import type { ThroughSender } from './send.js'

const Entry: Codec<EntryView> = named('Entry', described(record({
  id: string(),
  kind: Kind,
  amount: Amount,
  message_id: nullable(string(), 'The message whose money moved; null for a top-up, an adjustment or the hold of a batch.'),
  sender: nullable(string(), 'The phone number id of the sender of that message; null for a top-up or an adjustment, and for a message of an earlier version.'),
  reference: nullable(string(), "The operator's reference of a top-up or an adjustment, or the id of the batch (`bat_…`) whose hold it is or was part of; otherwise null."),
  error: nullable(anyObject, 'Why the money of a `release` or a `refund` was returned: the `error` of its message, as `GET /messages/{id}` shows it; null if the message has none, and for other kinds.'),
  created_at: Time,
}), 'One movement of a wallet; `amount` is its size.'))

type Entries = { readonly entries: ReadonlyArray<EntryView>; readonly next_cursor: string | null }

/** `GET /wallet/entries` */
export const listWalletEntries = workspaceOperation({
  id: 'listEntries',
  method: 'get',
  path: '/wallet/entries',
  tag: 'Reading',
  act: 'wallet.view',
  isList: true,
  summary: "List the wallet's entries",
  description: 'Every movement of the wallet, newest first, in pages.',
  query: {
    sender: described(NamedSender,
      'Only entries of messages of the sender with this phone number id, including those under a former id of its number. No index covers it, so a page searches the next 2,000 entries: '
        + 'it may contain few entries, or none, and still have a `next_cursor`.'),
    ...pageParameters('entries'),
  },
  reply: {
    description: 'A page of the list.',
    codec: named('Entries', record({ entries: described(array(Entry), 'Newest first.'), next_cursor: NextCursor })),
    example: {
      entries: [
        {
          id: 'ent_3', kind: 'release', amount: '0.062500', message_id: 'msg_0199c3a87c2e7b1f9d5a4e6b8c0d2f41', sender: '106540352242922',
          reference: null, error: { code: 'platform_unreachable', message: 'The platform could not be reached' },
          created_at: '2026-03-01T12:00:01.000Z',
        },
        {
          id: 'ent_2', kind: 'hold', amount: '0.062500', message_id: 'msg_0199c3a87c2e7b1f9d5a4e6b8c0d2f41', sender: '106540352242922',
          reference: null, error: null, created_at: '2026-03-01T12:00:00.000Z',
        },
        {
          id: 'ent_1', kind: 'top_up', amount: '10.000000', message_id: null, sender: null, reference: 'invoice-7', error: null,
          created_at: '2026-02-28T09:30:00.000Z',
        },
      ],
      next_cursor: null,
    },
  },
  failures: { UnknownSender: true },
  run: async (
    { postern: { messages, money } }: UseCases, { workspace, parameters }: WorkspaceRequest<Partial<PageQuery> & ThroughSender>,
  ): Outcome<UnknownSender | PortFailure, Entries> => {
    const sender = await senderFilter(messages, { workspace, sender: parameters.sender })
    if (E.isLeft(sender)) return sender
    const page = await money.readStatement(workspace, { ...pageQuery(parameters), sender: sender.right })
    if (E.isLeft(page)) return page
    return E.right({ value: { entries: page.right.items.map(entryView), next_cursor: nextCursor('entries', page.right) } })
  },
})
