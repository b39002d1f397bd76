import type { KnexStorage } from '../../adapters/knex/index.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { DAY_MS, type Instant } from '../../core/kernel/time.js'
import { BUCKET_MS, bucketStart } from '../../core/messages/statistics.js'
import { unwrap } from './unwrap.js'

/** Counts the messages of a day for the overview. The gateway counted these hours before the messages were made, and would count them again only tomorrow. */
export const countDay = async ({ messageStatistics }: Pick<KnexStorage, 'messageStatistics'>, workspace: WorkspaceId, now: Instant): Promise<void> => {
  for (let start = bucketStart('1h', now - DAY_MS); start <= now; start += BUCKET_MS['5m']) await unwrap(messageStatistics.recount(workspace, '5m', start))
}
