import { createHash } from 'node:crypto'
import type { FileBytes } from '../../core/messages/files.js'

/** Looks into files on this machine. What knows the types is loaded with the first file. */
export const fileBytes: FileBytes = {
  typeOf: async (first) => {
    const { fileTypeFromBuffer } = await import('file-type')
    try {
      return (await fileTypeFromBuffer(first))?.mime
    } catch {
      // The bytes begin like a type and end before they show which.
      return undefined
    }
  },
  newDigest: () => {
    const hash = createHash('sha256')
    return { update: (bytes) => void hash.update(bytes), hex: () => hash.digest('hex') }
  },
}
