import type { AttemptResult, Event, EventId, EventSink, EventType } from '../../../core/ports/event-sink.js'

export const eventSink = (received: Map<EventId, EventType>): EventSink => ({
  deliver: ({ id, type }: Event) => async (): Promise<AttemptResult> => {
    received.set(id, type)
    return { delivered: true, httpStatus: undefined, error: undefined, answer: undefined, durationMs: 0 }
  },
})
