import type { Law } from './law.js'
import { claimLaws } from './message-claim.js'
import { openLaws } from './message-open.js'
import { recategorisedLaws } from './message-recategorised.js'
import { readLaws } from './message-read.js'
import { settleLaws } from './message-settle.js'
import { staleMessageLaws } from './message-stale.js'
import type { MessageLogWorld } from './message-world.js'

export type { MessageLogWorld } from './message-world.js'

/** What every `MessageLog` promises. */
export const messageLogLaws: ReadonlyArray<Law<MessageLogWorld>> = [
  ...openLaws, ...claimLaws, ...settleLaws, ...readLaws, ...staleMessageLaws, ...recategorisedLaws,
]
