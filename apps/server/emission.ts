import { uuidv7 } from 'uuidv7'
import { eventIdOf, type EventId } from '../../core/event.js'
import type { EventPorts } from '../../core/ports/event-storage.js'
import type { Emission } from '../../core/use-cases/event-deps.js'

/** A new event id; ids sort by time. */
export const newEventId = (): EventId => eventIdOf(uuidv7())

/** What use cases need to make the events that a storage keeps. */
export const emissionOf = ({ eventOutbox }: Pick<EventPorts, 'eventOutbox'>): Emission => ({ outbox: eventOutbox, newEventId, now: Date.now })
