import type { StoragePorts } from '../../../core/ports/storage.js'

/** The names of the ports of a storage. */
export const portNames = (storage: StoragePorts): ReadonlyArray<keyof StoragePorts> => Object.keys(storage) as ReadonlyArray<keyof StoragePorts>
