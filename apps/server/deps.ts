import { createHash, createHmac, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { uuidv7 } from 'uuidv7'
import type { Auditing } from '../../core/access/acting.js'
import { noteFewStrangers } from '../../core/access/audit.js'
import { type Digest, sessionIdOf, type Token } from '../../core/access/members.js'
import { endpointIdOf, endpointSecretOf } from '../../core/events/endpoint.js'
import type { EventUseCasesDeps } from '../../core/events/use-cases.js'
import { type Cause, describeCause } from '../../core/kernel/failure.js'
import { type AuditId, auditIdOf, type EventId, eventIdOf, memberIdOf } from '../../core/kernel/ids.js'
import type { Emission } from '../../core/kernel/outbox.js'
import type { Workspaces } from '../../core/kernel/workspace.js'
import type { AccessPorts, EventPorts } from '../../core/postern.js'

/** Describes a cause. If an optional package is not installed, the message says how to install it. */
export const causeOf = (cause: unknown): Cause => {
  const described = describeCause(cause)
  return { ...described, message: missingPackage(cause) ?? described.message }
}

const MISSING = /^Cannot find (?:package|module) '((?:@[^/']+\/)?[^./'@][^/']*)/

const missingPackage = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  if (error.code !== 'ERR_MODULE_NOT_FOUND' && error.code !== 'MODULE_NOT_FOUND') return undefined
  const name = MISSING.exec(error.message)?.[1]
  return name && `the package ${name} is needed and not installed; \`npm install ${name}\` adds it`
}

/** A new id of an audit entry; ids sort by time. */
export const newAuditId = (): AuditId => auditIdOf(uuidv7())

/** What use cases need to note who did what. */
export const auditingOf = ({ auditLog }: Pick<Auditing, 'auditLog'>): Auditing => ({ auditLog, newAuditId, now: Date.now })

/** A new event id; ids sort by time. */
export const newEventId = (): EventId => eventIdOf(uuidv7())

/** What use cases need to make the events that a storage keeps. */
export const emissionOf = ({ eventOutbox }: Pick<EventPorts, 'eventOutbox'>): Emission => ({ outbox: eventOutbox, newEventId, now: Date.now })

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

const SECRET_BYTES = 24

/** Makes the ids and the secrets of endpoints, and the ids of attempts; ids sort by time. */
export const endpointIds: Pick<EventUseCasesDeps, 'newEndpointId' | 'newSecret' | 'newAttemptId'> = {
  newEndpointId: () => endpointIdOf(uuidv7()),
  newSecret: () => endpointSecretOf(randomBytes(SECRET_BYTES).toString('base64')),
  newAttemptId: () => uuidv7().replaceAll('-', ''),
}

/** The version in this package's package.json. Compiled files are one folder deeper than sources, so two places are tried. */
export const version = (): string => {
  const manifest = ['../../package.json', '../../../package.json'].map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url))
  const text = manifest === undefined ? '{}' : readFileSync(manifest, 'utf8')
  return (JSON.parse(text) as { readonly version?: string }).version ?? 'unknown'
}
