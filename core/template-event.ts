import type { NewEvent } from './event.js'
import { templateView } from './template-view.js'
import type { TemplateDiff } from './template.js'
import type { WorkspaceId } from './workspace.js'

/** Templates of a business account have another status, category or quality. Each workspace that is named gets every event, in the order of the templates. */
export const templatesChanged = (workspaces: ReadonlyArray<WorkspaceId>, accountId: string) => (diffs: ReadonlyArray<TemplateDiff>): ReadonlyArray<NewEvent> =>
  workspaces.flatMap((workspace) => diffs.map(({ before: { status, category, quality = null }, after }) => ({
    type: 'template.changed', workspace, subject: accountId, data: { ...templateView(after), previous: { status, category, quality } },
  })))
