import type { Apps } from '../../core/workspaces/apps.js'
import type { AppId } from '../../core/kernel/ids.js'
import { done } from './right-of.js'

/** Adds an app of the platform with this id, so that senders can be set with it. */
export const addApp = ({ apps }: { readonly apps: Pick<Apps, 'add'> }, id: string): Promise<void> =>
  done(apps.add({ id: id as AppId, name: id, createdAt: 0, appSecret: 'secret', verifyToken: 'word' }))
