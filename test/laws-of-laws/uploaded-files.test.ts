import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { UploadedFile, UploadedFiles } from '../../core/messages/files.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import { type UploadedFilesFixture, uploadedFilesLaws } from '../laws/uploaded-files.js'
import { describeMutations } from './mutation.js'

const broken = (defect: (files: UploadedFiles) => Partial<UploadedFiles>) => async (): Promise<UploadedFilesFixture> => {
  const fixture = await openMemoryFixture()
  return { ...fixture, uploadedFiles: { ...fixture.uploadedFiles, ...defect(fixture.uploadedFiles) } }
}

describeMutations('uploaded files', uploadedFilesLaws, [
  {
    defect: 'knows files by their bytes alone',
    open: broken(() => {
      const known = new Map<string, UploadedFile>()
      return {
        note: async (upload) => E.right(void known.set(upload.sha256, upload)),
        find: async ({ sha256 }, now) =>
          E.right(O.filter(({ expiresAt }: UploadedFile) => expiresAt > now)(O.fromNullable(known.get(sha256)))),
      }
    }),
    breaks: [
      'an upload is found by its bytes, its type, its phone number and its workspace together', 'noting an upload removes only what has ended of its phone number',
      'an upload that is forgotten is not found, and the others are', 'erasing a person removes what was sent to that person alone, however often',
    ],
  },
  { defect: 'finds an upload at its end', open: broken(({ find }) => ({ find: (key, now) => find(key, now - 1) })), breaks: ['an upload is found until it ends, and not at its end'] },
  {
    defect: 'keeps the first upload of a key',
    open: broken(({ note, find }) => ({
      note: async (upload, now) =>
        E.isRight(await find(upload, 0)) && O.isSome((await find(upload, 0) as E.Right<O.Option<UploadedFile>>).right)
          ? E.right(undefined)
          : note(upload, now),
    })),
    breaks: ['a later upload of the same key takes the place of the earlier one', 'a new upload of the same bytes was sent to nobody yet'],
  },
  { defect: 'removes nothing that has ended', open: broken(({ note }) => ({ note: (upload) => note(upload, 0) })), breaks: ['noting an upload removes only what has ended of its phone number'] },
  { defect: 'forgets nothing', open: broken(() => ({ forget: async () => E.right(undefined) })), breaks: ['an upload that is forgotten is not found, and the others are'] },
  {
    defect: 'keeps the first customer alone',
    open: broken(({ sentTo }) => {
      const sent = new Set<string>()
      return {
        sentTo: async (key, customer) => (sent.has(key.sha256) ? E.right(undefined) : (sent.add(key.sha256), sentTo(key, customer))),
      }
    }),
    breaks: ['erasing a person removes what was sent to that person alone, however often'],
  },
  { defect: 'notes no customer', open: broken(() => ({ sentTo: async () => E.right(undefined) })), breaks: ['erasing a person removes what was sent to that person alone, however often'] },
])
