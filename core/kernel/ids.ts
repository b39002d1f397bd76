/** A member's id: `mbr_` and 32 lowercase hexadecimal digits of a UUIDv7. */
export type MemberId = string & { readonly MemberId: unique symbol }

/** The form of a member's id. */
export const MEMBER_ID_FORM = /^mbr_[0-9a-f]{32}$/

/** Whether a text has the form of a member's id. */
export const isMemberId = (text: string): text is MemberId => MEMBER_ID_FORM.test(text)

/** The member id of a UUIDv7, without its dashes. */
export const memberIdOf = (uuid: string): MemberId => `mbr_${uuid.replaceAll('-', '')}` as MemberId

/** A workspace's id: `ws_` and 32 lowercase hexadecimal digits of a UUIDv7. */
export type WorkspaceId = string & { readonly WorkspaceId: unique symbol }

const WORKSPACE_ID_FORM = /^ws_[0-9a-f]{32}$/

/** Whether a text has the form of a workspace's id. `Workspaces` knows whether that workspace exists. */
export const isWorkspaceId = (text: string): text is WorkspaceId => WORKSPACE_ID_FORM.test(text)

/** The workspace id of a UUID, without its dashes. */
export const workspaceIdOf = (uuid: string): WorkspaceId => `ws_${uuid.replaceAll('-', '')}` as WorkspaceId

/**
 * The id under which the data about the customers of one sender is stored: when they wrote, their ids, and their names. The first sender of a workspace has the
 * workspace's own id, every further sender has one of its own, so that nothing recorded for one number counts for another.
 */
export type InboxId = WorkspaceId | (string & { readonly InboxId: unique symbol })

/** An inbox id in a text of a storage. */
export const inboxIdOf = (text: string): InboxId => text as InboxId

/** A workspace, and the inbox of one of its senders. */
export type InboxOf = { readonly workspace: WorkspaceId; readonly inbox: InboxId }

/** An event's id, unique across workspaces: `evt_` and 32 lowercase hexadecimal digits of a UUIDv7. A receiver recognises a repetition by it. */
export type EventId = string & { readonly EventId: unique symbol }

/** The form of an event's id. */
export const EVENT_ID_FORM = /^evt_[0-9a-f]{32}$/

/** Whether a text has the form of an event's id. */
export const isEventId = (text: string): text is EventId => EVENT_ID_FORM.test(text)

/** The event id of a UUIDv7, without its dashes. */
export const eventIdOf = (uuid: string): EventId => `evt_${uuid.replaceAll('-', '')}` as EventId

/** An audit entry's id: `aud_` and 32 lowercase hexadecimal digits of a UUIDv7, so ids sort by time. */
export type AuditId = string & { readonly AuditId: unique symbol }

/** The form of an audit entry's id. */
export const AUDIT_ID_FORM = /^aud_[0-9a-f]{32}$/

/** Whether a text has the form of an audit entry's id. */
export const isAuditId = (text: string): text is AuditId => AUDIT_ID_FORM.test(text)

/** The audit id of a UUIDv7, without its dashes. */
export const auditIdOf = (uuid: string): AuditId => `aud_${uuid.replaceAll('-', '')}` as AuditId

/** The id of an app of the platform: `app_` and 32 lowercase hexadecimal digits of a UUIDv7. */
export type AppId = string & { readonly AppId: unique symbol }

const APP_ID_FORM = /^app_[0-9a-f]{32}$/

/** Whether a text has the form of an app's id. */
export const isAppId = (text: string): text is AppId => APP_ID_FORM.test(text)

/** The app id of a UUIDv7, without its dashes. */
export const appIdOf = (uuid: string): AppId => `app_${uuid.replaceAll('-', '')}` as AppId

/** A batch's id: `bat_` and 32 lowercase hexadecimal digits of a UUIDv7, so ids sort by time. */
export type BatchId = string & { readonly BatchId: unique symbol }

/** The form of a batch's id. */
export const BATCH_ID_FORM = /^bat_[0-9a-f]{32}$/

/** Whether a text has the form of a batch's id. */
export const isBatchId = (text: string): text is BatchId => BATCH_ID_FORM.test(text)

/** The batch id of a UUIDv7, without its dashes. */
export const batchIdOf = (uuid: string): BatchId => `bat_${uuid.replaceAll('-', '')}` as BatchId
