import * as E from 'fp-ts/lib/Either.js'
import type { PlatformUnreachable } from '../../core/kernel/failure.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Admission, Permit } from '../../core/kernel/limits.js'
import { done, holds, refused, same } from './expect.js'
import { newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'

/** Creates admissions that admit one send at a time. */
export type AdmissionFixture = {
  /** An admission that lets `maxWaiting` sends wait, each at most `maxWaitMs`. */
  readonly openAdmission: (limits: { readonly maxWaiting: number; readonly maxWaitMs: number }) => Admission
}

/** Longer than a check takes. */
const LONG_MS = 60_000

type Admitted = Promise<E.Either<PlatformUnreachable, Permit>>

const admit = (admission: Admission, workspace = newWorkspaceId()): Promise<Permit> =>
  done('a send is admitted', admission.admit(workspace))

/** Asks for a permit and releases it as soon as it is granted, recording the name. */
const admitAndRelease = async (admission: Admission, workspace: WorkspaceId, name: string, admitted: string[]): Admitted => {
  const permit = await admission.admit(workspace)
  if (E.isRight(permit)) {
    admitted.push(name)
    permit.right.release()
  }
  return permit
}

/** Releases a permit and lets every waiting send have its turn. */
const releaseAll = async (permit: Permit, waiting: ReadonlyArray<Admitted>): Promise<void> => {
  permit.release()
  await Promise.all(waiting)
}

/** The promises of every `Admission`. */
export const admissionLaws: ReadonlyArray<Law<AdmissionFixture>> = [
  {
    name: 'there is room until as many sends are under way as may be, and again when one has ended',
    check: async ({ openAdmission }) => {
      const admission = openAdmission({ maxWaiting: 1, maxWaitMs: LONG_MS })
      same('room before the first send', admission.hasRoom(), true)
      const permit = await admit(admission)
      same('room while the only send is under way', admission.hasRoom(), false)
      permit.release()
      same('room when it has ended', admission.hasRoom(), true)
    },
  },
  {
    name: 'a send waits until another one ends',
    check: async ({ openAdmission }) => {
      const admission = openAdmission({ maxWaiting: 1, maxWaitMs: LONG_MS })
      const admitted: string[] = []
      const first = await admit(admission)
      const second = admitAndRelease(admission, newWorkspaceId(), 'second', admitted)
      await new Promise((resolve) => setTimeout(resolve, 5))
      same('the second send before the first has ended', [...admitted], [])
      await releaseAll(first, [second])
      same('the second send when the first has ended', admitted, ['second'])
    },
  },
  {
    name: 'releasing a permit again changes nothing',
    check: async ({ openAdmission }) => {
      const admission = openAdmission({ maxWaiting: 0, maxWaitMs: LONG_MS })
      const first = await admit(admission)
      first.release()
      const second = await admit(admission)
      first.release()
      same('room while the second send is under way', admission.hasRoom(), false)
      second.release()
    },
  },
  {
    name: 'a send that waited too long is PlatformUnreachable and takes no permit',
    check: async ({ openAdmission }) => {
      const admission = openAdmission({ maxWaiting: 1, maxWaitMs: 5 })
      const first = await admit(admission)
      await refused('a send that waits longer than it may', 'PlatformUnreachable', admission.admit(newWorkspaceId()))
      first.release()
      same('room when the only admitted send has ended', admission.hasRoom(), true)
    },
  },
  {
    name: 'a send for which too many wait already is PlatformUnreachable',
    check: async ({ openAdmission }) => {
      const admission = openAdmission({ maxWaiting: 1, maxWaitMs: LONG_MS })
      const workspace = newWorkspaceId()
      const first = await admit(admission, workspace)
      const waiting = admitAndRelease(admission, workspace, 'waiting', [])
      await refused('a send beyond those that may wait', 'PlatformUnreachable', orAdmittedAfter(admission, workspace, first))
      await releaseAll(first, [waiting])
    },
  },
  {
    name: 'a send that waits is refused for one of a workspace with fewer',
    check: async ({ openAdmission }) => {
      const admission = openAdmission({ maxWaiting: 2, maxWaitMs: LONG_MS })
      const [loud, quiet] = [newWorkspaceId(), newWorkspaceId()]
      const admitted: string[] = []
      const first = await admit(admission, loud)
      const waiting = [...times(2, (n) => admitAndRelease(admission, loud, `loud ${n}`, admitted))]
      waiting.push(admitAndRelease(admission, quiet, 'quiet', admitted))
      await releaseAll(first, waiting)
      same('those that were admitted', [...admitted].sort(), ['loud 0', 'quiet'])
    },
  },
  {
    name: 'workspaces whose sends wait take turns',
    check: async ({ openAdmission }) => {
      const admission = openAdmission({ maxWaiting: 20, maxWaitMs: LONG_MS })
      const [loud, quiet] = [newWorkspaceId(), newWorkspaceId()]
      const admitted: string[] = []
      const first = await admit(admission, loud)
      const waiting = [...times(10, () => admitAndRelease(admission, loud, 'loud', admitted))]
      waiting.push(...times(2, () => admitAndRelease(admission, quiet, 'quiet', admitted)))
      await releaseAll(first, waiting)
      same('how many were admitted', admitted.length, 12)
      holds('both sends of the workspace with two are among the first five', admitted.lastIndexOf('quiet') < 5, admitted)
    },
  },
]

/** Admits a send; if it is not refused immediately, releasing the first permit admits it, so that a check never hangs. */
const orAdmittedAfter = async (admission: Admission, workspace: WorkspaceId, first: Permit) => {
  const late = setTimeout(first.release, 50)
  const permit = await admission.admit(workspace)
  clearTimeout(late)
  return permit
}
