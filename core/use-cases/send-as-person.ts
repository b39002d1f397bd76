import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { auditActorOf, type AuditEntry } from '../audit-entry.js'
import type { Forbidden, PortFailure } from '../errors.js'
import type { Along } from '../event.js'
import type { JsonObject } from '../json.js'
import type { MessageId, Sent } from '../message.js'
import type { MovedMessage } from '../ports/message-log.js'
import type { Workspaces } from '../ports/workspaces.js'
import type { Actor } from '../principal.js'
import type { WorkspaceId } from '../workspace.js'
import { checkAct, type Auditing } from './acting.js'
import type { SendTemplate, SendTemplateCommand, SendTemplateError } from './send-template.js'
import type { SendText, SendTextCommand, SendTextError } from './send-text.js'

/** The sends of people, each of which leaves an entry in the audit log; those with an API key leave none. */
export type SendAsPerson = {
  /** Sends a text. */
  readonly sendText: (command: AsPerson<SendTextCommand>) => TE.TaskEither<SendTextError | Forbidden | PortFailure, Sent>
  /** Sends a template. */
  readonly sendTemplate: (command: AsPerson<SendTemplateCommand>) => TE.TaskEither<SendTemplateError | Forbidden | PortFailure, Sent>
}

/** A send, and who sends. */
export type AsPerson<Command> = Omit<Command, 'along' | 'key'> & { readonly by: Actor }

/** What the sends of people need. */
export type SendAsPersonDeps = {
  readonly sendText: SendText; readonly sendTemplate: SendTemplate; readonly audit: Auditing; readonly workspaces: Pick<Workspaces, 'find'>
}

/**
 * Makes the sends of people.
 *
 * The entry of a message is stored together with its acceptance, and has the message's id and never its text. A refusal is noted after it. A repeated
 * request sends nothing, so it leaves no entry. What the platform has accepted is never an error, whether it could be noted or not.
 */
export const makeSendAsPerson = ({ sendText, sendTemplate, ...deps }: SendAsPersonDeps): SendAsPerson => ({
  sendText: ({ by, ...command }) => noted(deps, by, command.workspace, { kind: 'text' }, (along) => sendText({ ...command, along })),
  sendTemplate: ({ by, ...command }) =>
    noted(deps, by, command.workspace, { kind: 'template', template: command.name }, (along) => sendTemplate({ ...command, along })),
})

const noted =
  <Failure extends { readonly _tag: string }>(
    { audit: { auditLog, newAuditId, now }, workspaces }: Omit<SendAsPersonDeps, 'sendText' | 'sendTemplate'>, by: Actor, workspace: WorkspaceId, details: JsonObject,
    send: (along: Along<MovedMessage>) => TE.TaskEither<Failure, Sent>,
  ): TE.TaskEither<Failure | Forbidden | PortFailure, Sent> =>
  async () => {
    const entry = (outcome: AuditEntry['outcome'], more: Pick<AuditEntry, 'details'> & Partial<Pick<AuditEntry, 'subject'>>): AuditEntry => ({
      id: newAuditId(), at: now(), by: auditActorOf(by), act: 'message.send', outcome, workspace, ...(by.address !== undefined && { address: by.address }), ...more,
    })
    const refuse = (failure: { readonly _tag: string }) => auditLog.append([entry('refused', { details: { ...details, reason: failure._tag } })])()
    const allowed = await checkAct({ workspaces }, { by, act: 'message.send', workspace })
    if (E.isLeft(allowed)) {
      if (allowed.left._tag === 'PortFailure') return E.left(allowed.left)
      const appended = await refuse(allowed.left)
      return E.isLeft(appended) ? appended : E.left(allowed.left)
    }
    const taken: Array<MessageId> = []
    const sent = await send(({ message }) => {
      taken.push(message.id)
      return [entry('done', { subject: message.id, details })]
    })()
    // What follows cannot change the answer: the sender has to know it, even if it could not be noted.
    if (E.isLeft(sent)) {
      if (sent.left._tag !== 'PortFailure') await refuse(sent.left)
    } else if (taken.length === 0 && !sent.right.replayed) {
      // A report overtook the acceptance, so that the acceptance moved nothing and took nothing along.
      await auditLog.append([entry('done', { subject: sent.right.id, details })])()
    }
    return sent
  }
