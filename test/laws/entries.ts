import { accountEntriesLaws } from './entries-of-accounts.js'
import type { EntriesFixture } from './entries-fixture.js'
import { writeEntriesLaws } from './entries-of-writes.js'
import { storedEntriesLaws } from './entries-order.js'
import type { Law } from './law.js'

export type { EntriesFixture, EntriesPorts } from './entries-fixture.js'

/** What every storage promises whose ports store the events that are handed along with a write. A port without a place for events does not promise it. */
export const entriesLaws: ReadonlyArray<Law<EntriesFixture>> = [...writeEntriesLaws, ...accountEntriesLaws, ...storedEntriesLaws]
