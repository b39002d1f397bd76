import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { WorkspaceStates } from '../../core/all-workspaces.js'
import { workspaceStatesLaws } from '../laws/workspace-states.js'
import { brokenMemory, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const broken = (defect: (states: WorkspaceStates) => Partial<WorkspaceStates>) => brokenMemory('workspaceStates', defect)

describeMutations('the state of all workspaces', workspaceStatesLaws, [
  {
    defect: 'forgets that a sender fails',
    open: broken(({ states }) => ({ states: () => withResult(states(), RA.map((one) => ({ ...one, failingSince: undefined }))) })),
    breaks: ['the states are those of every workspace, oldest first, with its balance, its alerts and since when its sender fails'],
  },
  {
    defect: 'counts no message as failed',
    open: broken(({ sums }) => ({ sums: (...of) => withResult(sums(...of), RA.map((one) => ({ ...one, failed: 0 }))) })),
    breaks: ['the sums of a period have the messages of each workspace, those that were not delivered, and what they cost'],
  },
  {
    defect: 'has the newest bucket first',
    open: broken(({ buckets }) => ({ buckets: (...of) => withResult(buckets(...of), RA.reverse) })),
    breaks: ['the buckets of a period have the messages of the given workspaces, ordered by bucket'],
  },
])
