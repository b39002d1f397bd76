import type { EventUseCases } from '../../core/events/use-cases.js'

/** What the operations of events need. */
export type EventOperationsDeps = {
  /** Without it there are no such operations. */
  readonly eventUseCases?: EventUseCases
}

/** The use cases, of an app that serves their operations. */
export const requireEventUseCases = ({ eventUseCases }: EventOperationsDeps): EventUseCases => {
  if (eventUseCases === undefined) throw new TypeError('an operation of events is served without its use cases')
  return eventUseCases
}
