import { accountEntriesLaws } from './entries-of-accounts.js'
import type { EntriesFixture } from './entries-fixture.js'
import { writeEntriesLaws } from './entries-of-writes.js'
import { storedEntriesLaws } from './entries-order.js'
import type { Law } from './law.js'

export type { EntriesFixture, EntriesPorts } from './entries-fixture.js'

/** The promises of every storage whose ports store events with a write. A port that cannot store events does not promise this. */
export const entriesLaws: ReadonlyArray<Law<EntriesFixture>> = [...writeEntriesLaws, ...accountEntriesLaws, ...storedEntriesLaws]
