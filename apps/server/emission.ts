import { uuidv7 } from 'uuidv7'
import { type EventId, eventIdOf } from '../../core/kernel/ids.js'
import type { Emission } from '../../core/kernel/outbox.js'
import type { EventPorts } from '../../core/postern.js'

/** A new event id; ids sort by time. */
export const newEventId = (): EventId => eventIdOf(uuidv7())

/** What use cases need to make the events that a storage keeps. */
export const emissionOf = ({ eventOutbox }: Pick<EventPorts, 'eventOutbox'>): Emission => ({ outbox: eventOutbox, newEventId, now: Date.now })
