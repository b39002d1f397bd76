import type { EventPorts } from '../../../core/ports/event-storage.js'

/** The names of the ports that store events. */
export const eventPortNames = (storage: EventPorts): ReadonlyArray<keyof EventPorts> => Object.keys(storage) as ReadonlyArray<keyof EventPorts>
