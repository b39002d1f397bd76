import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Admission, Permit, PlatformUnreachable, WorkspaceId } from '../../../core/ports/admission.js'

const full: PlatformUnreachable = { _tag: 'PlatformUnreachable', cause: 'too many sends are under way' }

export const admission = (most: number, admitted: Map<WorkspaceId, Permit>): Admission => ({
  admit: (workspace: WorkspaceId): TE.TaskEither<PlatformUnreachable, Permit> => {
    if (admitted.size >= most) return TE.left(full)
    const permit: Permit = { release: () => void admitted.delete(workspace) }
    admitted.set(workspace, permit)
    return TE.right(permit)
  },
  hasRoom: () => admitted.size < most,
})
