import * as O from 'fp-ts/lib/Option.js'
import { recordKeyOf } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { UploadedFile, UploadedFiles, UploadKey } from '../../core/messages/files.js'
import { infallible } from './kernel.js'

/** The uploads, by their keys, and the keys of the customers to whom each was sent. */
export type Uploads = Map<string, { readonly upload: UploadedFile; readonly customers: Set<string> }>

const nameOf = ({ workspace, phoneNumberId, sha256, type }: UploadKey): string => JSON.stringify([workspace, phoneNumberId, sha256, type])

/** The uploaded files in memory. */
export const makeMemoryUploadedFiles = (uploads: Uploads): UploadedFiles => ({
  find: (key, now) => infallible(() => {
    const found = uploads.get(nameOf(key))
    return found === undefined || found.upload.expiresAt <= now ? O.none : O.some(found.upload)
  }),
  note: (upload, now) => infallible(() => {
    for (const [name, { upload: { workspace, phoneNumberId, expiresAt } }] of uploads) {
      if (workspace === upload.workspace && phoneNumberId === upload.phoneNumberId && expiresAt <= now) uploads.delete(name)
    }
    uploads.set(nameOf(upload), { upload, customers: new Set() })
  }),
  sentTo: (key, customer) => infallible(() => void uploads.get(nameOf(key))?.customers.add(recordKeyOf(customer))),
  forget: (key) => infallible(() => void uploads.delete(nameOf(key))),
})

/** Deletes a workspace's uploads that were sent only to the person with these keys. */
export const eraseUploads = (uploads: Uploads, of: WorkspaceId, keys: ReadonlySet<string>): void => {
  for (const [name, { upload: { workspace }, customers }] of uploads) {
    if (workspace === of && customers.size > 0 && [...customers].every((key) => keys.has(key))) uploads.delete(name)
  }
}
