import type { AttackGroup, Size } from './attack.js'
import { hostilePeers } from './groups/hostile-peers.js'
import { IDEMPOTENCY } from './groups/idempotency.js'
import { INPUT } from './groups/input.js'
import { overload } from './groups/overload.js'
import { PEOPLE } from './groups/people.js'
import { PROCESSES } from './groups/processes.js'
import { WEBHOOKS } from './groups/webhooks.js'

/** The attacks of a size; each part is a test file, so that they run side by side. */
const parts = (size: Size) => ({
  requests: [INPUT, WEBHOOKS, hostilePeers(size)],
  overload: [overload('got', size), overload('undici', size)],
  processes: [IDEMPOTENCY, PROCESSES],
  people: [PEOPLE],
}) satisfies Readonly<Record<string, ReadonlyArray<AttackGroup>>>

/** The attacks that every test run makes. */
export const shortForm = parts('short')

/** The attacks of `npm run torture -- --attack`. */
export const longForm: ReadonlyArray<AttackGroup> = Object.values(parts('long')).flat()
