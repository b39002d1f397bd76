import type { Law } from './law.js'
import { billedLaws } from './message-billed.js'
import { claimLaws } from './message-claim.js'
import { openLaws } from './message-open.js'
import { recategorisedLaws } from './message-recategorised.js'
import { readLaws } from './message-read.js'
import { settleLaws } from './message-apply.js'
import { staleMessageLaws } from './message-stale.js'
import type { MessageLogFixture } from './message-fixture.js'

export type { MessageLogFixture } from './message-fixture.js'

/** The promises of every `MessageLog`. */
export const messageLogLaws: ReadonlyArray<Law<MessageLogFixture>> = [
  ...openLaws, ...claimLaws, ...settleLaws, ...readLaws, ...staleMessageLaws, ...recategorisedLaws, ...billedLaws,
]
