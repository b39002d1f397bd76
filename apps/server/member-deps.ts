import { createHash, createHmac, randomBytes } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { noteFewStrangers } from '../../core/access/audit.js'
import { type Digest, sessionIdOf, type Token } from '../../core/access/members.js'
import { memberIdOf } from '../../core/kernel/ids.js'
import type { Workspaces } from '../../core/kernel/workspace.js'
import type { AccessPorts } from '../../core/postern.js'
import { auditingOf } from './auditing.js'

const TOKEN_BYTES = 32

/** What the use cases of members need of a storage and of the machine, but for the hasher of passwords. */
export const memberDepsOf = (
  { members, sessions, auditLog, workspaces }: Pick<AccessPorts, 'members' | 'sessions' | 'auditLog'> & { readonly workspaces: Pick<Workspaces, 'find'> },
) => ({
  members, sessions, workspaces,
  audit: auditingOf({ auditLog: noteFewStrangers(auditLog, Date.now) }),
  digestOf: (text: string) => createHash('sha256').update(text).digest('hex') as Digest,
  signatureOf: (key: string, text: string) => createHmac('sha256', key).update(text).digest('base64url'),
  newToken: () => randomBytes(TOKEN_BYTES).toString('base64url') as Token,
  newMemberId: () => memberIdOf(uuidv7()),
  newSessionId: () => sessionIdOf(uuidv7()),
  now: Date.now,
})
