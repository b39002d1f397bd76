import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { auditActorOf } from '../audit-entry.js'
import type { PortFailure } from '../errors.js'
import type { Forgotten, PersonalData } from '../ports/personal-data.js'
import { SYSTEM } from '../principal.js'
import type { Instant } from '../time.js'
import type { Auditing } from './acting.js'

/**
 * Forgets everyone in what is older than a moment, step by step, until all is done or it is asked to stop.
 *
 * It may be ended at any point, even by a kill: what is forgotten stays so, and the next run begins again and passes over it. A run that forgot something
 * leaves one audit entry with the counts, also where it stopped early or failed.
 */
export type RunRetention = (command: RunRetentionCommand) => TE.TaskEither<PortFailure, RetentionRun>

/** Before which moment everything is forgotten. */
export type RunRetentionCommand = {
  readonly before: Instant
  /** Asked after each step, with what was forgotten so far; a run ends early where it answers `false`. */
  readonly goOn?: (soFar: Forgotten) => Promise<boolean>
}

/** What a run has forgotten, and whether it came to the end. */
export type RetentionRun = { readonly forgotten: Forgotten; readonly finished: boolean }

/** What a run of retention needs. Without `audit` it notes nothing. */
export type RunRetentionDeps = { readonly personalData: Pick<PersonalData, 'forgetBefore'>; readonly audit?: Auditing }

/** How many records a step looks at, so that none of its transactions takes long. */
const STEP = 500

/** Makes the use case of what it needs. */
export const makeRunRetention =
  (deps: RunRetentionDeps): RunRetention =>
  ({ before, goOn = () => Promise.resolve(true) }) =>
  async () => {
    let forgotten: Forgotten = { messages: 0, customers: 0, windows: 0 }
    let cursor: string | undefined
    do {
      const step = await deps.personalData.forgetBefore({ before, limit: STEP, ...(cursor !== undefined && { cursor }) })()
      if (E.isLeft(step)) {
        await noteRun(deps, before, forgotten)
        return step
      }
      forgotten = sumOf(forgotten, step.right.forgotten)
      cursor = step.right.next
    } while (cursor !== undefined && (await goOn(forgotten)))
    const noted = await noteRun(deps, before, forgotten)
    return E.isLeft(noted) ? noted : E.right({ forgotten, finished: cursor === undefined })
  }

const sumOf = (a: Forgotten, b: Forgotten): Forgotten =>
  ({ messages: a.messages + b.messages, customers: a.customers + b.customers, windows: a.windows + b.windows })

const noteRun = async ({ audit }: RunRetentionDeps, before: Instant, forgotten: Forgotten): Promise<E.Either<PortFailure, void>> => {
  if (audit === undefined || Object.values(forgotten).every((count) => count === 0)) return E.right(undefined)
  return audit.auditLog.append([{
    id: audit.newAuditId(), at: audit.now(), by: auditActorOf(SYSTEM), act: 'retention.run', outcome: 'done',
    details: { ...forgotten, before: new Date(before).toISOString() },
  }])()
}
