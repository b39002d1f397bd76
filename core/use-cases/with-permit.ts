import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PlatformUnreachable, PortFailure } from '../errors.js'
import type { Admission } from '../ports/admission.js'
import type { ReplayCommand, ReplayDeps, Sending } from './replay.js'

/** What admitting a send needs. */
export type PermitDeps = Pick<ReplayDeps, 'messageLog' | 'windowClock'> & {
  /** Limits how many sends are under way at once; where absent, every send starts at once. */
  readonly admission?: Admission
}

/**
 * Runs a send once it is admitted. One that is not admitted is refused before anything is written.
 *
 * A request that repeats an earlier one needs no permit, so where a permit is not to be had at once, its key is looked up first.
 */
export const withPermit =
  ({ admission, messageLog, windowClock }: PermitDeps, { workspace, claim }: ReplayCommand) =>
  <Failure>(send: Sending<Failure>): Sending<Failure | PlatformUnreachable | PortFailure> =>
  async () => {
    if (admission === undefined) return send()
    if (claim !== undefined && !admission.hasRoom()) {
      const claimed = await messageLog.claimed(workspace, claim, windowClock.now())()
      if (E.isLeft(claimed)) return claimed
      if (O.isSome(claimed.right)) return E.right(claimed.right.value)
    }
    const permit = await admission.admit(workspace)()
    if (E.isLeft(permit)) return permit
    try {
      return await send()
    } finally {
      permit.right.release()
    }
  }
