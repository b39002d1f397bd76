import type { KnexStorage } from '../../adapters/knex/index.js'
import { SYSTEM } from '../../core/kernel/actor.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { makeSyncTemplates } from '../../core/templates/sync.js'
import { makeAssignSender } from '../../core/workspaces/senders.js'
import { withTemplateSource } from '../cli/template-source.js'
import type { Config } from '../server/config.js'
import { unwrap } from './unwrap.js'

/** The business account of the simulator. */
const ACCOUNT = '200000000000001'

/** Names the sender's business account, and reads its templates at once; the gateway would do so within a minute. */
export const readTemplates = async (
  storage: KnexStorage, platform: Config['platform'], workspace: WorkspaceId, phoneNumberId: string,
): Promise<void> => {
  await unwrap(makeAssignSender({ ...storage, proof: 'believed' })({ by: SYSTEM, workspace, phoneNumberId, accessToken: 'demo-token', businessAccountId: ACCOUNT }))
  await withTemplateSource(platform, (templateSource) => unwrap(makeSyncTemplates({ ...storage, templateSource })({ workspace })))
}
