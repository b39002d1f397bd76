import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Sender, SenderOf, Senders } from '../../core/senders/sender.js'
import type { SendersFixture } from '../laws/senders.js'
import { andThen, brokenMemory, followedBy, noting, withResult } from './broken-memory.js'
import type { Mutation } from './mutation.js'

/** The account and the token that a sender has now. */
const askedNow = (senderOf: Senders['senderOf'], { workspace, sender }: SenderOf) =>
  withResult(
    senderOf(workspace, sender),
    O.match(
      () => ({ businessAccountId: '', accessToken: '' }),
      ({ businessAccountId = '', accessToken }: Sender) => ({ businessAccountId, accessToken }),
    ),
  )

const oldestFirst = (senders: ReadonlyArray<SenderOf>): ReadonlyArray<SenderOf> =>
  senders.toSorted((a, b) => (a.workspace < b.workspace ? -1 : 1))

const without = ({ accountRefusedSince: _since, ...sender }: Sender): Sender => sender

/** Senders with a defect in what they keep of the accounts that tokens may read. */
export const ACCOUNT_MUTATIONS: ReadonlyArray<Mutation<SendersFixture>> = [
  {
    defect: 'never notes that a token may not read its account',
    open: brokenMemory('senders', () => ({ noteAccount: async () => E.right(false) })),
    breaks: [
      'a token may not read its account from the first note until a note that it may', 'of concurrent notes that a token may not read its account exactly one changes something',
    ],
  },
  {
    defect: 'notes since when a token may not read its account by the latest note',
    open: brokenMemory('senders', ({ noteAccount }) => ({
      noteAccount: (of, asked, isRefused, at) => andThen(noteAccount(of, asked, false, at), (isAllowed) =>
        withResult(noteAccount(of, asked, isRefused, at), (isChanged) => (isRefused ? isChanged : isAllowed))),
    })),
    breaks: ['a token may not read its account from the first note until a note that it may'],
  },
  {
    defect: 'notes it of every sender',
    open: brokenMemory('senders', ({ assign, noteAccount, senderOf }) => {
      const all: Array<SenderOf> = []
      return {
        assign: (workspace, assigned) => noting(
          assign(workspace, assigned), () => { all.push({ workspace, sender: assigned.phoneNumberId }) },
        ),
        noteAccount: (of, asked, isRefused, at) => andThen(noteAccount(of, asked, isRefused, at), (isChanged) =>
          withResult(
            Promise.all(all.map((other) => andThen(askedNow(senderOf, other), (its) => noteAccount(other, its, isRefused, at))))
              .then(E.sequenceArray),
            () => isChanged,
          )),
      }
    }),
    breaks: ['a note on the account of one sender is about no other'],
  },
  {
    defect: 'does not see which token a note is about',
    open: brokenMemory('senders', ({ noteAccount, senderOf }) => ({
      noteAccount: (of, { businessAccountId }, isRefused, at) =>
        andThen(askedNow(senderOf, of), ({ accessToken }) =>
          noteAccount(of, { businessAccountId, accessToken }, isRefused, at)),
    })),
    breaks: ['a note about a token or an account that the sender no longer has changes nothing'],
  },
  {
    defect: 'does not see which account a note is about',
    open: brokenMemory('senders', ({ noteAccount, senderOf }) => ({
      noteAccount: (of, { accessToken }, isRefused, at) =>
        andThen(askedNow(senderOf, of), ({ businessAccountId }) =>
          noteAccount(of, { businessAccountId, accessToken }, isRefused, at)),
    })),
    breaks: ['a note about a token or an account that the sender no longer has changes nothing'],
  },
  {
    defect: 'keeps the note when the token is replaced',
    open: brokenMemory('senders', ({ assign, noteAccount, senderOf }) => ({
      assign: (workspace, assigned) => andThen(senderOf(workspace), (before) => followedBy(assign(workspace, assigned), async () =>
        (O.isSome(before) && before.value.accountRefusedSince !== undefined
          ? noteAccount(
              { workspace, sender: assigned.phoneNumberId },
              { businessAccountId: assigned.businessAccountId ?? '', accessToken: assigned.accessToken }, true,
              before.value.accountRefusedSince,
            )
          : E.right(false)))),
    })),
    breaks: ['a sender that is set again may read its account until it is noted that it may not'],
  },
  {
    defect: 'still finds a workspace whose token may not read the account',
    open: brokenMemory('senders', ({ sharing, notSharing }) => ({
      sharing: (account) => andThen(
        sharing(account), (some) => withResult(notSharing(account), (others) => oldestFirst([...some, ...others])),
      ),
    })),
    breaks: ['a workspace whose token may not read its account is not found with those that share it, but with the others'],
  },
  {
    defect: 'finds no workspace whose token may not read the account',
    open: brokenMemory('senders', () => ({ notSharing: async () => E.right([]) })),
    breaks: ['a workspace whose token may not read its account is not found with those that share it, but with the others'],
  },
  {
    defect: 'lists an account with the oldest workspace, whatever its token may',
    open: brokenMemory('senders', ({ accounts, sharing, notSharing }) => ({
      accounts: () => andThen(accounts(), (all) => Promise.all(all.map(({ accountId }) => andThen(sharing(accountId), (some) =>
        withResult(notSharing(accountId), (others) => ({ accountId, ...oldestFirst([...some, ...others])[0]! })))))
          .then(E.sequenceArray)),
    })),
    breaks: ['a business account is listed with the oldest workspace whose token may read it, or with the oldest where no token may'],
  },
  {
    defect: 'does not list an account that no token may read',
    open: brokenMemory('senders', ({ accounts, sharing }) => ({
      accounts: () => andThen(accounts(), (all) => withResult(
        Promise.all(
          all.map((one: (typeof all)[number]) => withResult(sharing(one.accountId), (some) => (some.length === 0 ? [] : [one]))),
        ).then(E.sequenceArray),
        (listed) => listed.flat())),
    })),
    breaks: ['a business account is listed with the oldest workspace whose token may read it, or with the oldest where no token may'],
  },
  {
    defect: 'hides that a token may not read its account',
    open: brokenMemory('senders', ({ senderOf }) => ({ senderOf: (workspace) => withResult(senderOf(workspace), O.map(without)) })),
    breaks: ['a token may not read its account from the first note until a note that it may'],
  },
]
