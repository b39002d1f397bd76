import type { AccessPorts } from '../../../core/ports/access-storage.js'

/** The names of the ports that store who may sign in and who did what. */
export const accessPortNames = (storage: AccessPorts): ReadonlyArray<keyof AccessPorts> => Object.keys(storage) as ReadonlyArray<keyof AccessPorts>
