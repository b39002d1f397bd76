import * as O from 'fp-ts/lib/Option.js'
import type { CustomerId, PhoneNumber } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import type { MediaId } from '../../core/messages/conversation.js'
import type { UploadedFile, UploadedFiles, UploadKey } from '../../core/messages/files.js'
import type { PersonalData } from '../../core/privacy.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { done, same } from './expect.js'
import { newDigits, newName, newPhoneNumber } from './ids.js'
import type { Law } from './law.js'

/** The uploaded files, and the erasure of people over the same storage. */
export type UploadedFilesFixture = {
  readonly uploadedFiles: UploadedFiles
  readonly personalData: Pick<PersonalData, 'erase'>
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId }>
  /** The same uploads as another node sees them, if there are several nodes. */
  readonly elsewhere?: { readonly uploadedFiles: UploadedFiles }
}

const NOW: Instant = Date.UTC(2026, 10, 1)

const newUpload = async ({ openWorkspace }: UploadedFilesFixture, more: Partial<UploadedFile> = {}): Promise<UploadedFile> => ({
  workspace: more.workspace ?? (await openWorkspace()).workspace, phoneNumberId: senderIdOf(newDigits(15)),
  sha256: `${newName()}${newName()}`, type: 'application/pdf', id: newDigits(16) as MediaId, size: 104_857_600, expiresAt: NOW + 1_000,
  ...more,
})

const noted = async (fixture: UploadedFilesFixture, upload: UploadedFile, now = NOW): Promise<UploadedFile> => {
  await done('an upload is noted', fixture.uploadedFiles.note(upload, now))
  return upload
}

const find = async (
  { uploadedFiles }: Pick<UploadedFilesFixture, 'uploadedFiles'>, key: UploadKey, now = NOW,
): Promise<UploadedFile | undefined> =>
  O.toUndefined(await done('an upload is looked up', uploadedFiles.find(key, now)))

const sentTo = ({ uploadedFiles }: UploadedFilesFixture, key: UploadKey, customer: CustomerId): Promise<void> =>
  done('it is noted to whom a file was sent', uploadedFiles.sentTo(key, customer))

const erase = ({ personalData }: UploadedFilesFixture, workspace: WorkspaceId, phoneNumber: PhoneNumber) =>
  done('a person is erased', personalData.erase(workspace, [{ phoneNumber, userId: undefined }]))

/** The promises of every `UploadedFiles`. */
export const uploadedFilesLaws: ReadonlyArray<Law<UploadedFilesFixture>> = [
  {
    name: 'an upload is found by its bytes, its type, its phone number and its workspace together',
    check: async (fixture) => {
      const upload = await noted(fixture, await newUpload(fixture))
      same('the upload', await find(fixture, upload), upload)
      same('the upload from elsewhere', await find(fixture.elsewhere ?? fixture, upload), upload)
      for (const other of [
        { sha256: newName() }, { type: 'text/plain' }, { phoneNumberId: senderIdOf(newDigits(15)) },
        { workspace: (await fixture.openWorkspace()).workspace },
      ]) {
        same(`the upload under another ${Object.keys(other).join()}`, await find(fixture, { ...upload, ...other }), undefined)
      }
    },
  },
  {
    name: 'an upload is found until it ends, and not at its end',
    check: async (fixture) => {
      const upload = await noted(fixture, await newUpload(fixture))
      same('just before its end', await find(fixture, upload, upload.expiresAt - 1), upload)
      same('at its end', await find(fixture, upload, upload.expiresAt), undefined)
    },
  },
  {
    name: 'a later upload of the same key takes the place of the earlier one',
    check: async (fixture) => {
      const upload = await noted(fixture, await newUpload(fixture))
      const later = await noted(fixture, { ...upload, id: newDigits(16) as MediaId, size: 7, expiresAt: NOW + 5_000 })
      same('the upload', await find(fixture, upload), later)
    },
  },
  {
    name: 'noting an upload removes only what has ended of its phone number',
    check: async (fixture) => {
      const first = await noted(fixture, await newUpload(fixture))
      const lasting = await noted(
        fixture, await newUpload(fixture, { workspace: first.workspace, phoneNumberId: first.phoneNumberId, expiresAt: NOW + 9_000 }),
      )
      const others = await noted(fixture, await newUpload(fixture, { workspace: first.workspace }))
      await noted(
        fixture, await newUpload(fixture, { workspace: first.workspace, phoneNumberId: first.phoneNumberId, expiresAt: NOW + 9_000 }),
        first.expiresAt,
      )
      same('what has ended, as if it had not', await find(fixture, first, NOW), undefined)
      same('what goes on', await find(fixture, lasting, NOW), lasting)
      same('what has ended of another number', await find(fixture, others, NOW), others)
    },
  },
  {
    name: 'an upload that is forgotten is not found, and the others are',
    check: async (fixture) => {
      const upload = await noted(fixture, await newUpload(fixture))
      const other = await noted(fixture, { ...upload, type: 'text/plain' })
      await done('an upload is forgotten', fixture.uploadedFiles.forget(upload))
      same('the upload', await find(fixture, upload), undefined)
      same('the other one', await find(fixture, other), other)
      await done('an upload that is not there is forgotten', fixture.uploadedFiles.forget(upload))
    },
  },
  {
    name: 'erasing a person removes what was sent to that person alone, however often',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [person, other] = [newPhoneNumber(), newPhoneNumber()]
      const [own, shared, unsent, others] = [
        await noted(fixture, await newUpload(fixture, { workspace })), await noted(fixture, await newUpload(fixture, { workspace })),
        await noted(fixture, await newUpload(fixture, { workspace })), await noted(fixture, await newUpload(fixture, { workspace })),
      ]
      for (const key of [own, own, shared]) await sentTo(fixture, key, person)
      for (const key of [shared, shared, others]) await sentTo(fixture, key, other)
      await sentTo(fixture, shared, person)
      await erase(fixture, workspace, person)
      same('what was sent to the person alone', await find(fixture, own), undefined)
      for (const [what, upload] of [
        ['what was sent to others, too', shared], ['what was sent to nobody', unsent], ['what was sent to another', others],
      ] as const) {
        same(what, await find(fixture, upload), upload)
      }
    },
  },
  {
    name: 'a new upload of the same bytes was sent to nobody yet',
    check: async (fixture) => {
      const person = newPhoneNumber()
      const upload = await noted(fixture, await newUpload(fixture))
      await sentTo(fixture, upload, person)
      await noted(fixture, upload)
      await erase(fixture, upload.workspace, person)
      same('the new upload', await find(fixture, upload), upload)
    },
  },
]
