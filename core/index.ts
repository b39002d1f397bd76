/**
 * Postern's core: the use cases, the rules they keep, and the ports they need.
 *
 * @packageDocumentation
 */
export {
  type AddEndpoint, type AddEndpointCommand, type AddEndpointDeps, type AddEndpointError, type EndpointWithSecret, makeAddEndpoint, MAX_ENDPOINTS,
} from './use-cases/add-endpoint.js'
export { type ChangeEndpoint, type ChangeEndpointCommand, type ChangeEndpointDeps, type ChangeEndpointError, makeChangeEndpoint } from './use-cases/change-endpoint.js'
export { type EndpointActCommand, type EndpointActDeps, type EndpointActError } from './use-cases/endpoint-act.js'
export { type EndpointCommand, type FindEndpoint, type FindEndpointDeps, type FindEndpointError, makeFindEndpoint } from './use-cases/find-endpoint.js'
export { type EventUseCases, type EventUseCasesDeps, makeEventUseCases } from './use-cases/event-use-cases.js'
export { type ListDeliveries, type ListDeliveriesDeps, makeListDeliveries } from './use-cases/list-deliveries.js'
export { type ListAudit, type ListAuditCommand, type ListAuditDeps, makeListAudit } from './use-cases/list-audit.js'
export { type ListEndpoints, type ListEndpointsDeps, makeListEndpoints } from './use-cases/list-endpoints.js'
export { type ListedEvents, type ListEvents, type ListEventsDeps, type ListEventsError, type ListEventsQuery, makeListEvents } from './use-cases/list-events.js'
export { makeRedeliverEvent, type RedeliverEvent, type RedeliverEventCommand, type RedeliverEventDeps, type RedeliverEventError } from './use-cases/redeliver-event.js'
export {
  makeRedeliverSince, type RedeliverSince, type RedeliverSinceCommand, type RedeliverSinceDeps, type RedeliverSinceError,
} from './use-cases/redeliver-since.js'
export { makeRemoveEndpoint, type RemoveEndpoint, type RemoveEndpointDeps } from './use-cases/remove-endpoint.js'
export { makeRotateSecret, type RotatedSecret, type RotateSecret, type RotateSecretDeps, SECRETS_OVERLAP_MS } from './use-cases/rotate-secret.js'
export { type ListWorkspaces, type ListWorkspacesDeps, makeListWorkspaces } from './use-cases/list-workspaces.js'
export { makeTestEndpoint, type SinkAddress, type TestEndpoint, type TestEndpointDeps } from './use-cases/test-endpoint.js'
export { makeAdjustWallet, type AdjustWallet, type AdjustWalletCommand, type AdjustWalletDeps, type AdjustWalletError } from './use-cases/adjust-wallet.js'
export { makeArchiveWorkspace, type ArchiveWorkspace, type ArchiveWorkspaceCommand, type ArchiveWorkspaceDeps, type ArchiveWorkspaceError } from './use-cases/archive-workspace.js'
export { makeAssignSender, type AssignSender, type AssignSenderCommand, type AssignSenderDeps, type AssignSenderError, type SenderProof, type SenderQuestions } from './use-cases/assign-sender.js'
export { makeAuditBooks, type AuditBooks, type AuditBooksDeps } from './use-cases/audit-books.js'
export {
  makeCreateWorkspace, type CreateWorkspace, type CreateWorkspaceCommand, type CreateWorkspaceDeps, type CreateWorkspaceError,
  type CurrencyNotPriced, type NameTaken,
} from './use-cases/create-workspace.js'
export { type ListOpenWindows, type ListOpenWindowsDeps, makeListOpenWindows, type OpenWindow } from './use-cases/list-open-windows.js'
export { makeShowMessage, type ShowMessage, type ShowMessageDeps, type ShownMessage } from './use-cases/show-message.js'
export { makeFindMessage, type FindMessage, type FindMessageDeps, type FindMessageError } from './use-cases/find-message.js'
export {
  makeFindWorkspace, type AmbiguousName, type FindWorkspace, type FindWorkspaceDeps, type FindWorkspaceError, type NoSuchWorkspace,
} from './use-cases/find-workspace.js'
export { makeMintKey, type MintKey, type MintKeyCommand, type MintKeyDeps, type MintKeyError } from './use-cases/mint-key.js'
export {
  makeRecordInbound, type InboundInFuture, type RecordInbound, type RecordInboundCommand, type RecordInboundDeps, type RecordInboundError,
} from './use-cases/record-inbound.js'
export {
  makeRenameWorkspace, type RenameWorkspace, type RenameWorkspaceCommand, type RenameWorkspaceDeps, type RenameWorkspaceError,
} from './use-cases/rename-workspace.js'
export { makeResolveMessage, type ResolveMessage, type ResolveMessageCommand, type ResolveMessageDeps, type ResolveMessageError } from './use-cases/resolve-message.js'
export { makeRotateKey, type RotateKey, type RotateKeyCommand, type RotateKeyDeps, type RotateKeyError } from './use-cases/rotate-key.js'
export { makeRevokeKey, type RevokeKey, type RevokeKeyCommand, type RevokeKeyDeps, type RevokeKeyError } from './use-cases/revoke-key.js'
export { makeSyncByHand, type SyncByHand, type SyncByHandDeps } from './use-cases/sync-by-hand.js'
export {
  makeSyncTemplates, type SyncedTemplates, type SyncStopped, type SyncTemplates, type SyncTemplatesCommand, type SyncTemplatesDeps, type SyncTemplatesError,
} from './use-cases/sync-templates.js'
export { makeTopUp, type TopUp, type TopUpCommand, type TopUpDeps, type TopUpError } from './use-cases/top-up.js'
export { MAX_NAME_LENGTH, MAX_NOTE_LENGTH, parseName, parseNote } from './name.js'
export { parseReference } from './reference.js'
export { readableAccount } from './readable-account.js'
export { checkSpending, type SendingKey, type Spending, type SpendingCheck, spendingDay, spendingOf, spendingResetsAt } from './spending-limit.js'
export { type ByteBudget, makeByteBudget, type TakenBytes } from './byte-budget.js'
export type { Entered, TooManyRequests } from './limiter.js'
export { describeCause, type Cause } from './cause.js'
export { auditWallet, type WalletTotals } from './audit.js'
export { ACCOUNT_FIELDS, type AccountField, type AccountNotice, NOTICES_KEPT, supersedes } from './account-notice.js'
export { addToBalance, isAmount } from './balance.js'
export { billedAs, type Billed, type Billing, isBilledOtherwise, isFreeType, otherwiseBilled, reportedType, sumBilled } from './billed.js'
export {
  customerOf, type Customer, type CustomerFact, type CustomerId, type CustomerIds, countedIdOf, type IdRecord, isUserId, type KnownId, learnFact,
  NOTHING_KNOWN, parseCustomerId, parseWrittenCustomerId, recordKeyOf,
} from './customer.js'
export { catalogueFault } from './catalogue-fault.js'
export { type CatalogueFault, type CatalogueState, faultedState, isTooOld, listedState, NEVER_LISTED } from './catalogue-state.js'
export { checkTemplate } from './check-template.js'
export {
  type AttemptsOutcome, type DisabledReason, type EndpointHealth, isCircuitOpen, type MadeAttempt, noteAttempts, pauseAfter,
} from './delivery-decision.js'
export { type Attempted, GIVES_UP_AFTER_MS, nextAttemptAt } from './delivery-schedule.js'
export type { AttemptResult, DeliveryAttempt } from './delivery.js'
export { endpointDisabled } from './endpoint-disabled.js'
export {
  type EndpointId, endpointIdOf, type EndpointSecret, endpointSecretOf, type EndpointSecrets, type EndpointStatus, ENDPOINT_STATUSES, type EventEndpoint,
  isEndpointId, type LastDelivery, signingSecrets,
} from './event-endpoint.js'
export {
  type EndpointSettings, type FaultOfUrl, type InvalidEndpointSettings, type InvalidEventFilter, MAX_DESCRIPTION_LENGTH, MAX_EVENT_TYPES, parseEndpointSettings, parseEventFilter,
} from './endpoint-settings.js'
export { ENDPOINT_URL_FORM, MAX_ENDPOINT_URL_LENGTH, parseEndpointUrl } from './endpoint-url.js'
export { ALL_EVENTS, type EventFilter, isEventPattern, wantsEvent } from './event-filter.js'
export {
  type Along, type AlongEntry, type Event, EVENT_ID_FORM, EVENT_TYPES, type EventId, eventIdOf, type EventPosition, type EventType, eventsIn, isAuditEntry, isEventId, type NewEvent, type StoredEvent,
} from './event.js'
export type { Placeholder } from './placeholder.js'
export { placeholdersOf } from './template-placeholders.js'
export { previewOf, type TemplatePreview } from './template-preview.js'
export { templateView, type TemplateView } from './template-view.js'
export { nearestNames } from './nearest-names.js'
export {
  type ChangedPart, changedTemplate, hasChanged, isApproved, isCatalogued, isGone, isSendable, listedTemplate, type Template, type TemplateChange,
  type TemplateDiff, type TemplateRecord,
} from './template.js'
export { templateCursor, type TemplatePlace, templatePlace } from './template-cursor.js'
export { countryOf, parseUserId, type UserId } from './user-id.js'
export { makeListKeys, type KeyInUse, type ListKeys, type ListKeysDeps } from './use-cases/list-keys.js'
export { makeListMessages, type ListMessages, type ListMessagesDeps, type ListMessagesQuery } from './use-cases/list-messages.js'
export { makeMarkRead, type MarkRead, type MarkReadCommand, type MarkReadDeps, type MarkReadError } from './use-cases/mark-read.js'
export { makeOpenMedia, type OpenMedia, type OpenMediaCommand, type OpenMediaDeps, type OpenMediaError } from './use-cases/open-media.js'
export { makeShowCustomer, type ShowCustomer, type ShowCustomerDeps, type ShownCustomer } from './use-cases/show-customer.js'
export { alongAnyway, alongFor, type Emission, type EventDeps, isHeard } from './use-cases/event-deps.js'
export type { CustomerReport, CustomerReportDeps, IdsChanged, MarketingPreference, NumberShared } from './use-cases/customer-report.js'
export { quotedRate, type FreeMessageDeps, type RateOfSender } from './use-cases/free-message.js'
export type { DeliverCommand, DeliverDeps, DeliverError, PermitDeps, SendOptions } from './use-cases/deliver.js'
export type { SenderHealthDeps, TransmitDeps } from './use-cases/transmit.js'
export type { TemplateEventsDeps } from './use-cases/template-events.js'
export { makeListTemplates, type ListTemplates, type ListTemplatesDeps } from './use-cases/list-templates.js'
export type { ListedTemplates, PreflightDeps, PreflightRefusal } from './use-cases/preflight.js'
export { makeReadAhead, type ReadAhead } from './use-cases/read-ahead.js'
export type { Ahead, PrepareDeps, PrepareError, Read, ReadAheadDeps, ReadFor, Recipient } from './use-cases/prepare.js'
export type { PrepareTextError, TextReads } from './use-cases/prepare-text.js'
export type { PrepareTemplateError, TemplateReads, TemplateRecipient } from './use-cases/prepare-template.js'
export type { Quote, QuoteDeps, QuoteError } from './use-cases/quote.js'
export {
  makeQuoteTemplate, type QuoteTemplate, type QuoteTemplateCommand, type QuoteTemplateDeps, type QuoteTemplateError,
} from './use-cases/quote-template.js'
export { makeQuoteText, type QuoteText, type QuoteTextCommand, type QuoteTextDeps, type QuoteTextError } from './use-cases/quote-text.js'
export { makeRefreshTemplate, type RefreshTemplate, type RefreshTemplateDeps } from './use-cases/refresh-template.js'
export {
  entersHistory, isOutcomeUnknown, keepsIdempotencyKey, merge, MESSAGE_STATES, type MessageState, type MoneyMove,
  type StateChange,
} from './message-state.js'
export {
  type BalanceOutOfRange, type BusinessAccountNotConfigured, type CredentialsRefused, type CustomerOptedOut, type EndpointDisabled,
  type EndpointNotFound, type EventNotFound, type IdempotencyInProgress, type IdempotencyKeyReused, type InsufficientBalance, type MediaGone,
  type MessagesUnderWay, type RangeNotSatisfiable, type ReferenceReused, type SenderNotConfigured, type SenderNotConfirmed, type SenderTaken, type SignInRefused, type SpendingLimitReached, type TemplateNotApproved, type TemplateNotFound,
  type Forbidden, type IdentityRefused, type LastOperator, type LinkUnusable, type LostMessageSettled, type MemberNotFound, type NoSuchLostMessage, type NoSuchMessage, type NotSignedIn, type NotUnconfirmed, type NotYetKnown, type OutcomeUnknown, type PhoneNumberRequired, type PlatformError, type PlatformRejected, type PlatformThrottled, type PlatformUnanswered, type PlatformUnreachable, type PortFailure, portFailure,
  type TemplateParameters, type TooManyAttempts, type TooManyEndpoints, type KeyEnded, type KeyReplaced, type UnknownApiKey, type UnknownWorkspace, type WindowClosed, type WithMessageId,
} from './errors.js'
export {
  CUSTOMER_DIGEST_FORM, type CustomerDigest, customerDigestOf, everyIdOf, FORGOTTEN_PLATFORM_ID, forgetRecord, forgottenError, isEventAbout, isForgotten,
  lastReportOf,
} from './forgotten.js'
export { ENTRY_KINDS, type EntryKind, HOLD_STATES, type HoldState, type HoldStep, stepHold } from './hold.js'
export type { InboundMessage } from './inbound-message.js'
export { claimStands, type IdempotencyKey, KEY_KEPT_MS, parseIdempotencyKey } from './idempotency.js'
export type { Json, JsonObject } from './json.js'
export { DEFAULT_OVERLAP, MAX_EXPIRY_MS, MAX_OVERLAP_MS, parseExpiry, parseOverlap, parseScopes } from './key-limits.js'
export {
  type Accepted, DEFAULT_LANGUAGE, firstMessageIdAt, isMessageId, MAX_TEMPLATE_NAME_LENGTH, MAX_TEXT_LENGTH, type Message, type MessageId, messageIdOf,
  type NewTemplateMessage, type PlatformId, type Sent, type TemplateMessage, type TextMessage,
} from './message.js'
export {
  type AppliedChange, appliedChange, applyChange, errorCodeOf, forgetMessage, type HistoryEntry, MESSAGE_KINDS, type MessageKind, type MessageProgress,
  type MessageRecord, type NewMessage, openProgress, openRecord,
} from './message-record.js'
export {
  type Balance, checkCorrection, checkCredit, type Currency, formatMicros, MAX_MICROS, type Money, parseCorrection,
  parseCredit, parseCurrency, parseMicros,
} from './money.js'
export { type Page, pageOf, type PageQuery } from './page.js'
export {
  cardAt, CATEGORIES, type Category, categoryNamed, categoryOf, type GeneralCategory, generalCategory, hasBegun, type Price, priceBy, type PriceOf,
  priceOn, type Prices, type Rate, type RateCard, type RateCards, reportedCategory, type SpecialCategory,
} from './rate-card.js'
export type { AccountNoticeReport, AccountOutcome, AccountReport, AccountReportDeps, TemplateChanged } from './use-cases/account-report.js'
export type { ReportedCustomer } from './use-cases/learn-customer.js'
export {
  type Inbound, makeReceive, type Receive, type ReceiveDeps, type ReceiveError, type Report, type ReportOutcome, type UncountedInbound,
} from './use-cases/receive.js'
export type { StatusOutcome, StatusReport, StatusReportDeps } from './use-cases/status-report.js'
export { makeReconcileByHand, type ReconcileByHand, type ReconcileByHandDeps } from './use-cases/reconcile-by-hand.js'
export { makeReconcile, type Reconcile, type Reconciled, type ReconcileDeps } from './use-cases/reconcile.js'
export type { ReplayDeps, ReplayError } from './use-cases/replay.js'
export type { ReserveDeps, ReserveError } from './use-cases/reserve.js'
export { makeSendTemplate, type SendTemplate, type SendTemplateCommand, type SendTemplateDeps, type SendTemplateError } from './use-cases/send-template.js'
export { makeSendText, type SendText, type SendTextCommand, type SendTextDeps, type SendTextError } from './use-cases/send-text.js'
export type { RecordChangeDeps, RetryLater, SettleDeps } from './use-cases/settle.js'
export { parsePhoneNumber, parseWrittenPhoneNumber, type PhoneNumber, variantsOf } from './phone-number.js'
export { type Clock, DAY_MS, HOUR_MS, type Instant, MINUTE_MS, monthOf, SECOND_MS } from './time.js'
export {
  alertsView, type AlertsView, auditEntryView, type AuditEntryView, balanceView, type BalanceView, type CustomerView, customerView, type DeliveryStatus, type DeliveryView, deliveryView, type EndpointView, endpointView,
  type EntryView, entryView, eventView, type EventView, type LastDeliveryView, messageView, type MessageView, type PreviewView,
  quoteView, type QuoteView, windowView, type WindowView,
} from './views.js'
export { closesAt, type InboundMark, isOpen, lastInboundOf, markInbound, WINDOW_MS, type WindowDeps } from './window.js'
export { afterMoneyAdded, type AlertState, becomesLow, checkThreshold, NO_ALERTS, parseThreshold, type WalletAlert, withThreshold } from './wallet-alert.js'
export { isWorkspaceId, type NewWorkspace, parseWorkspaceName, type Workspace, type WorkspaceId, workspaceIdOf } from './workspace.js'
export type { AccountNotices } from './ports/account-notices.js'
export type { Admission, Permit } from './ports/admission.js'
export { type ByteRange, MEDIA_TYPES, type MediaId, parseMediaId, UNKNOWN_MEDIA_TYPE } from './media.js'
export type { Conversation, ConversationError, Media, MediaError, ReadMark, WantedMedia } from './ports/conversation.js'
export type { ApiKey, KeyStore, KeySuccession, MintedKey, NewKey, Successor, WorkspaceKey } from './ports/key-store.js'
export type { Adjustment, Audit, Credit, Entry, Finding, Ledger } from './ports/ledger.js'
export type { Customers, LearnedFact } from './ports/customers.js'
export type { FreeMessages, FreeTaking, TakenBy } from './ports/free-messages.js'
export type { LostCount, LostMessages, LostSettlement, SettledLost } from './ports/lost-messages.js'
export { isDue, isLostState, LOST_MESSAGES_KEPT, type LostMessage, lostReference, type LostState, type LostStatus, noteLost } from './lost-message.js'
export {
  makeSettleLostMessage, type SettleLostMessage, type SettleLostMessageCommand, type SettleLostMessageDeps, type SettleLostMessageError,
} from './use-cases/settle-lost-message.js'
export { isListed, isLookedAt } from './ports/message-log.js'
export type {
  Claim, Claimed, Draft, MessageFilters, MessageLog, MessageQuery, MessageRef, MessagesTo, MovedMessage, Opening, Recategorised, StaleMessage,
  StaleQuery,
} from './ports/message-log.js'
export {
  type BrokerProgress, type BrokerTask, type DeliveryProgress, type DeliveryTask, type DueQuery, type EventDeliveries, MOST_PENDING, MOST_REDELIVERED, type PendingEvents, type Retry, shardOf, SHARDS,
} from './ports/event-deliveries.js'
export type { ChangedEndpoint, EndpointChange, EventEndpoints, NewEndpoint } from './ports/event-endpoints.js'
export { type EraseCustomer, type EraseCustomerCommand, type EraseCustomerDeps, type EraseCustomerError, makeEraseCustomer } from './use-cases/erase-customer.js'
export { makeRunRetention, type RetentionRun, type RunRetention, type RunRetentionCommand, type RunRetentionDeps } from './use-cases/run-retention.js'
export type { Erased, ForgetQuery, Forgotten, ForgetStep, PersonalData } from './ports/personal-data.js'
export { type EventBacklog, type EventOutbox, PULL_LISTENS_MS } from './ports/event-outbox.js'
export type { EventSink } from './ports/event-sink.js'
export type { EventPorts } from './ports/event-storage.js'
export type { Outbound, Platform } from './ports/platform.js'
export type { FailingSender, Sender, SenderAccount, Senders } from './ports/senders.js'
export type { StoragePorts } from './ports/storage.js'
export type { NamedTemplates, TemplateCatalogue, TemplateQuery } from './ports/template-catalogue.js'
export type { ListReading, TemplateAccount, TemplateSource, TemplateSourceError } from './ports/template-source.js'
export type { MoveHold, NewHold, StaleHold, Wallet } from './ports/wallet.js'
export { type CustomerWindow, type CustomerWindows, type CustomerWindowsQuery, parseWindowCursor, windowCursorOf } from './ports/customer-windows.js'
export { LOOKED_AT_NEAR, type MessageTrail, type TrailEvent, type TrailQuery } from './ports/message-trail.js'
export type { WalletAlerts } from './ports/wallet-alerts.js'
export { checkResolution, type MessageMoney, moneyAgrees, type MoneyMismatch, type Resolution } from './ports/message-money.js'
export type { MessageStatistics } from './ports/message-statistics.js'
export {
  BUCKET_MS, bucketSpan, bucketStart, type BucketWidth, chargedIn, countMessages, isInSpan, type MessageCount, sumCounts, type TimeSpan,
} from './message-statistics.js'
export { COUNTED_MS, type DueBucket, firstProgress, isPastMissing, KEPT_MS, nextDue, type Note, presentBuckets, type Skip } from './roll-up-schedule.js'
export { makeRollUpMessages, type RolledUp, type RollUpMessages, type RollUpMessagesDeps } from './use-cases/roll-up-messages.js'
export {
  cutRange, endOfHour, type Figures, figuresOf, groupOf, OVERVIEW_RANGES, type OverviewRange, partsOf, type RangePart, RATE_MS, rateOf, type Shares, sharesOf,
  type SpendRate, STATE_GROUPS, type StateGroup, totalOf,
} from './overview.js'
export type { Attention, AttentionDeps } from './use-cases/attention.js'
export { makeShowOverview, MOST_WINDOWS, type Overview, type OverviewQuery, type ShowOverview, type ShowOverviewDeps } from './use-cases/show-overview.js'
export {
  makeSetWalletAlert, type SetWalletAlert, type SetWalletAlertCommand, type SetWalletAlertDeps, type SetWalletAlertError,
} from './use-cases/set-wallet-alert.js'
export { alongAlert } from './use-cases/alert-entries.js'
export type { RecordedInbound, WindowClock } from './ports/window-clock.js'
export type { Workspaces } from './ports/workspaces.js'
export type {
  InvalidAccessToken, InvalidAccountId, InvalidAmount, InvalidDescription, InvalidEndpointUrl, InvalidEventId, InvalidEventTypes, InvalidIdempotencyKey,
  InvalidEmail, InvalidExpiry, InvalidName, InvalidNote, InvalidOverlap, InvalidPassword, InvalidPhoneNumber, InvalidReference, InvalidScopes, UnknownEventType,
} from './invalid.js'
export {
  apiKeyIdIn, apiKeyOf, checkReplaceable, endOfReplaced, hasEnded, isApiKeyId, KEY_ID_BYTES, KEY_SECRET_BYTES, type KeyLife, type Rotation,
} from './api-key.js'
export { type Actor, type CommandLine, type KeyPrincipal, type MemberPrincipal, type Principal, type Scope, SCOPES, type System, SYSTEM } from './principal.js'
export { ACCESS, checkAccess, isAllowed, type Place, type Rule } from './access.js'
export { type Act, ACTS, isView } from './act.js'
export {
  AUDIT_ID_FORM, auditActorOf, type AuditActor, type AuditedAct, type AuditEntry, type AuditId, auditIdOf, isAuditId, UNGUARDED_ACTS,
} from './audit-entry.js'
export {
  type Access, addsTo, type Email, isElsewhere, isForSame, isMemberId, isRole, MAX_EMAIL_LENGTH, type Member, MEMBER_ID_FORM, type MemberId, memberIdOf, parseEmail, type PendingInvitation, type Role, ROLES, withAccess,
} from './member.js'
export {
  CLOCK_SKEW_MS, type Digest, FIRST_LINK_MS, FRESH_LINK_MS, INVITATION_MS, isSessionId, type Session, SESSION_ID_FORM, SESSION_IDLE_MS, SESSION_MS,
  type SessionId, sessionIdOf, type SessionOpening, type Token,
} from './session.js'
export { type ActDeps, type Acting, type Auditing, checkView, type Consequences, type Described, perform } from './use-cases/acting.js'
export type {
  Authenticated, EndSessionsCommand, IdentityCommand, InviteCommand, Invited, RemoveMemberCommand, SetPasswordCommand, SignedIn, SignInCommand, SignInPlace,
  TakeLinkCommand,
} from './use-cases/member-commands.js'
export { makeMemberUseCases, type MemberUseCases, type MemberUseCasesDeps } from './use-cases/member-use-cases.js'
export { type Authenticate, type AuthenticateDeps, makeAuthenticate } from './use-cases/authenticate.js'
export { type EndSessions, type EndSessionsDeps, makeEndSessions } from './use-cases/end-sessions.js'
export { type FirstLink, type FirstLinkDeps, makeFirstLink } from './use-cases/first-link.js'
export { type InviteMember, type InviteMemberDeps, type InviteMemberError, makeInviteMember } from './use-cases/invite-member.js'
export {
  type ListInvitations, type ListInvitationsDeps, type ListMembers, type ListMembersCommand, type ListMembersDeps, makeListInvitations, makeListMembers,
} from './use-cases/list-members.js'
export { type ListSessions, type ListSessionsDeps, makeListSessions } from './use-cases/list-sessions.js'
export { makePeekLink, type PeekLink, type PeekLinkDeps } from './use-cases/peek-link.js'
export { makeRemoveSender, type RemoveSender, type RemoveSenderCommand, type RemoveSenderDeps, type RemoveSenderError } from './use-cases/remove-sender.js'
export { makeRemoveMember, type RemoveMember, type RemoveMemberDeps, type RemoveMemberError } from './use-cases/remove-member.js'
export { makeSetPassword, type SetPassword, type SetPasswordDeps, type SetPasswordError } from './use-cases/set-password.js'
export { makeSignIn, type SignIn, type SignInDeps } from './use-cases/sign-in.js'
export { makeSignInWithIdentity, type SignInWithIdentity, type SignInWithIdentityDeps } from './use-cases/sign-in-with-identity.js'
export { makeTakeLink, type TakeLink, type TakeLinkDeps } from './use-cases/take-link.js'
export type { DeviceDeps } from './use-cases/known-device.js'
export type { FindChangedWatchers, FindChangedWatchersDeps, Watcher } from './use-cases/watch-access.js'
export type { MemberDeps } from './use-cases/member-deps.js'
export type { OpenSessionDeps } from './use-cases/open-session.js'
export { delayedUntil, levelOf, NO_ATTEMPTS, withAttempt, withoutAttempt, type AttemptName, type Attempts } from './attempts.js'
export { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH, parsePassword } from './password.js'
export type { PasswordHasher } from './ports/password-hasher.js'
export type { PasswordTurn, PasswordTurns, TurnOf } from './ports/password-turns.js'
export type { AccessPorts } from './ports/access-storage.js'
export type { AuditLog, AuditQuery } from './ports/audit-log.js'
export { type BegunSignIn, type IdentityProvider, PENDING_MS, type ProvenIdentity } from './ports/identity-provider.js'
export type { Identity, Invitation, Link, LinkPurpose, Members } from './ports/members.js'
export type { Sessions, Standing } from './ports/sessions.js'
export { makeSendAsPerson, type AsPerson, type SendAsPerson, type SendAsPersonDeps } from './use-cases/send-as-person.js'
export { makeBrowseTemplates, type BrowsedTemplates, type BrowseQuery, type BrowseTemplates, type BrowseTemplatesDeps } from './use-cases/browse-templates.js'
export type { Callers } from './quiet-first.js'
export { makeReadStatement, type ReadStatement, type StatementQuery } from './use-cases/read-statement.js'
export { makeReportSpend, type CategorySpend, type ReportSpend, type ReportSpendDeps, type SpendReport, type SpendShare } from './use-cases/report-spend.js'
export { STATEMENT_CSV_HEADER, statementCsvLine } from './statement-csv.js'
export { componentsFrom, templateFields, type TemplateField } from './template-form.js'
export { marketNameOf, ratesOf } from './rate-card.js'
export type { OpenHold } from './ports/ledger.js'
