import * as E from 'fp-ts/lib/Either.js'
import { makeAdmissionControl } from '../../adapters/admission/admission-control.js'
import { workspaceIdOf } from '../../core/kernel/ids.js'
import type { Admission, Permit } from '../../core/kernel/limits.js'
import { type AdmissionFixture, admissionLaws } from '../laws/admission.js'
import { describeMutations, namesOf } from './mutation.js'

type Limits = Parameters<AdmissionFixture['openAdmission']>[0]

const control = (limits: Limits): Admission => makeAdmissionControl({ maxInFlight: 1, platformTimeoutMs: 10_000, ...limits })
const broken = (change: (admission: Admission, limits: Limits) => Partial<Admission>, limitsOf = (limits: Limits): Limits => limits) =>
  async (): Promise<AdmissionFixture> => ({
    openAdmission: (limits) => {
      const admission = control(limitsOf(limits))
      return { ...admission, ...change(admission, limits) }
    },
  })
const permit: Permit = { release: () => undefined }

/** Releases count each time, and sends wait in order of arrival. */
const counter = ({ maxWaiting, maxWaitMs }: Limits): Admission => {
  let free = 1
  const waiting: Array<() => void> = []
  const granted: Permit = {
    release: () => {
      free += 1
      waiting.shift()?.()
    },
  }
  return {
    hasRoom: () => free > 0,
    admit: async () => {
      if (free <= 0) {
        if (waiting.length >= maxWaiting) return E.left({ _tag: 'PlatformUnreachable', cause: 'full' })
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
          setTimeout(resolve, maxWaitMs).unref()
        })
      }
      free -= 1
      return E.right(granted)
    },
  }
}

const ONE = workspaceIdOf('0198c6d2-0000-7000-8000-000000000000')

describeMutations('admission', admissionLaws, [
  {
    defect: 'admits every send',
    open: broken(() => ({ admit: async () => E.right(permit), hasRoom: () => true })),
    breaks: namesOf(admissionLaws),
  },
  {
    defect: 'counts each release, lets sends wait in order of arrival, and admits those that waited too long',
    open: async () => ({ openAdmission: counter }),
    breaks: [
      'releasing a permit again changes nothing',
      'a send that waited too long is PlatformUnreachable and takes no permit',
      'a send that waits is refused for one of a workspace with fewer',
      'workspaces whose sends wait take turns',
    ],
  },
  {
    defect: 'lets any number wait',
    open: broken(() => ({}), (limits) => ({ ...limits, maxWaiting: 1_000 })),
    breaks: ['a send for which too many wait already is PlatformUnreachable', 'a send that waits is refused for one of a workspace with fewer'],
  },
  {
    defect: 'takes all workspaces for one',
    open: broken(({ admit }) => ({ admit: () => admit(ONE) })),
    breaks: ['a send that waits is refused for one of a workspace with fewer', 'workspaces whose sends wait take turns'],
  },
])
