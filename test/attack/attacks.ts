import type { AttackGroup, Size } from './attack.js'
import { hostilePeers } from './groups/hostile-peers.js'
import { IDEMPOTENCY } from './groups/idempotency.js'
import { INPUT } from './groups/input.js'
import { overload } from './groups/overload.js'
import { PROCESSES } from './groups/processes.js'
import { WEBHOOKS } from './groups/webhooks.js'

const groups = (size: Size): ReadonlyArray<AttackGroup> =>
  [INPUT, WEBHOOKS, overload('got', size), overload('undici', size), hostilePeers(size), IDEMPOTENCY, PROCESSES]

/** The attacks that every test run makes. */
export const shortForm: ReadonlyArray<AttackGroup> = groups('short')

/** The attacks of `npm run torture -- --attack`. */
export const longForm: ReadonlyArray<AttackGroup> = groups('long')
