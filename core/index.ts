/**
 * Postern's core: the use cases, the rules they keep, and the ports they need.
 *
 * @packageDocumentation
 */
export {
  type AddEndpoint, type AddEndpointCommand, type AddEndpointDeps, type AddEndpointError, type ChangeEndpoint, type ChangeEndpointCommand,
  type ChangeEndpointDeps, type ChangeEndpointError, type EndpointActCommand, type EndpointActDeps, type EndpointActError, type EndpointCommand,
  type EndpointWithSecret, type FindEndpoint, type FindEndpointDeps, type FindEndpointError, type ListEndpoints, type ListEndpointsDeps, makeAddEndpoint,
  makeChangeEndpoint, makeFindEndpoint, makeListEndpoints, makeRemoveEndpoint, makeRotateSecret, makeTestEndpoint, MAX_ENDPOINTS, type RemoveEndpoint,
  type RemoveEndpointDeps, type RotatedSecret, type RotateSecret, type RotateSecretDeps, SECRETS_OVERLAP_MS, type SinkAddress, type TestEndpoint,
  type TestEndpointDeps,
} from './events/endpoint-use-cases.js'
export {
  type EventUseCases, type EventUseCasesDeps, type ListDeliveries, type ListDeliveriesDeps, type ListedEvents, type ListEvents, type ListEventsDeps,
  type ListEventsError, type ListEventsQuery, makeEventUseCases, makeListDeliveries, makeListEvents, makeRedeliverEvent, makeRedeliverSince,
  type RedeliverEvent, type RedeliverEventCommand, type RedeliverEventDeps, type RedeliverEventError, type RedeliverSince, type RedeliverSinceCommand,
  type RedeliverSinceDeps, type RedeliverSinceError,
} from './events/use-cases.js'
export { auditEntryView, type AuditEntryView, type ListAudit, type ListAuditCommand, type ListAuditDeps, makeListAudit } from './access/audit.js'
export {
  type AmbiguousName, type ArchiveWorkspace, type ArchiveWorkspaceCommand, type ArchiveWorkspaceDeps, type ArchiveWorkspaceError, type CreateWorkspace,
  type CreateWorkspaceCommand, type CreateWorkspaceDeps, type CreateWorkspaceError, type CurrencyNotPriced, type FindWorkspace, type FindWorkspaceDeps,
  type FindWorkspaceError, type ListWorkspaces, type ListWorkspacesDeps, makeArchiveWorkspace, makeCreateWorkspace, makeFindWorkspace, makeListWorkspaces,
  makeRenameWorkspace, type NameTaken, type NoSuchWorkspace, type RenameWorkspace, type RenameWorkspaceCommand, type RenameWorkspaceDeps,
  type RenameWorkspaceError,
} from './workspaces/use-cases.js'
export {
  type AdjustWallet, type AdjustWalletCommand, type AdjustWalletDeps, type AdjustWalletError, type AuditBooks, type AuditBooksDeps, type CategorySpend,
  type KeyInUse, type ListKeys, type ListKeysDeps, makeAdjustWallet, makeAuditBooks, makeListKeys, makeReadStatement, makeReportSpend, makeSetWalletAlert,
  makeTopUp, type ReadStatement, type ReportSpend, type ReportSpendDeps, type SetWalletAlert, type SetWalletAlertCommand, type SetWalletAlertDeps,
  type SetWalletAlertError, type SpendReport, type SpendShare, type StatementQuery, type TopUp, type TopUpCommand, type TopUpDeps, type TopUpError,
} from './money/use-cases.js'
export {
  alongAlert, type FreeMessageDeps, quotedRate, type RateOfSender, type RecordChangeDeps, type ReserveDeps, type ReserveError, type RetryLater, type SettleDeps,
} from './sending/books.js'
export {
  type AssignSender, type AssignSenderCommand, type AssignSenderDeps, type AssignSenderError, makeAssignSender, makeRemoveSender, type RemoveSender,
  type RemoveSenderCommand, type RemoveSenderDeps, type RemoveSenderError, type SenderProof, type SenderQuestions,
} from './workspaces/senders.js'
export {
  type CustomerView, customerView, type ListOpenWindows, type ListOpenWindowsDeps, makeListOpenWindows, makeShowCustomer, type OpenWindow, type ShowCustomer,
  type ShowCustomerDeps, type ShownCustomer,
} from './customers/use-cases.js'
export {
  type FindMessage, type FindMessageDeps, type FindMessageError, LOOKED_AT_NEAR, makeFindMessage, makeShowMessage, type MessageTrail, type ShowMessage,
  type ShowMessageDeps, type ShownMessage, type TrailEvent, type TrailQuery,
} from './trail.js'
export {
  makeMintKey, makeRevokeKey, makeRotateKey, type MintKey, type MintKeyCommand, type MintKeyDeps, type MintKeyError, type RevokeKey, type RevokeKeyCommand,
  type RevokeKeyDeps, type RevokeKeyError, type RotateKey, type RotateKeyCommand, type RotateKeyDeps, type RotateKeyError,
} from './access/key-use-cases.js'
export {
  type CustomerReport, type CustomerReportDeps, type IdsChanged, type Inbound, type InboundInFuture, makeReceive, makeRecordInbound, type MarketingPreference,
  type NumberShared, type Receive, type ReceiveDeps, type ReceiveError, type RecordInbound, type RecordInboundCommand, type RecordInboundDeps,
  type RecordInboundError, type Report, type ReportOutcome, type UncountedInbound,
} from './reports/receive.js'
export {
  makeReconcile, makeReconcileByHand, makeResolveMessage, type Reconcile, type ReconcileByHand, type ReconcileByHandDeps, type Reconciled, type ReconcileDeps,
  type ResolveMessage, type ResolveMessageCommand, type ResolveMessageDeps, type ResolveMessageError,
} from './sending/reconcile.js'
export {
  makeSyncByHand, makeSyncTemplates, type SyncByHand, type SyncByHandDeps, type SyncedTemplates, type SyncStopped, type SyncTemplates,
  type SyncTemplatesCommand, type SyncTemplatesDeps, type SyncTemplatesError,
} from './templates/sync.js'
export {
  type InvalidName, type InvalidNote, type InvalidReference, MAX_NAME_LENGTH, MAX_NOTE_LENGTH, parseName, parseNote, parseReference,
} from './kernel/text.js'
export {
  type BusinessAccountNotConfigured, type FailingSender, type InvalidAccessToken, type InvalidAccountId, readableAccount, type Sender, type SenderAccount,
  type SenderNotConfigured, type SenderNotConfirmed, type Senders, type SenderTaken, type TemplateAccount,
} from './kernel/sender.js'
export {
  addToBalance, afterMoneyAdded, type AlertState, alertsView, type AlertsView, type BalanceOutOfRange, becomesLow, checkSpending, checkThreshold, ENTRY_KINDS,
  type EntryKind, type FreeMessages, type FreeTaking, HOLD_STATES, type HoldState, type HoldStep, type InsufficientBalance, isAmount, type MoveHold,
  type NewHold, NO_ALERTS, parseThreshold, type SendingKey, type Spending, type SpendingCheck, spendingDay, type SpendingLimitReached, spendingOf,
  spendingResetsAt, type StaleHold, stepHold, type TakenBy, type Wallet, type WalletAlert, type WalletAlerts, withThreshold,
} from './money/wallet.js'
export { type Admission, type ByteBudget, type Entered, makeByteBudget, type Permit, type TakenBytes, type TooManyRequests } from './kernel/limits.js'
export {
  attempt, type Cause, type CredentialsRefused, describeCause, type OutcomeUnknown, type PlatformError, type PlatformRejected, type PlatformThrottled,
  type PlatformUnanswered, type PlatformUnreachable, type PortFailure, portFailure,
} from './kernel/failure.js'
export {
  type Adjustment, type Audit, auditWallet, checkResolution, type Credit, type Entry, type EntryView, entryView, type Finding, type Ledger, type MessageMoney,
  moneyAgrees, type MoneyMismatch, type OpenHold, type ReferenceReused, type Resolution, STATEMENT_CSV_HEADER, statementCsvLine, type WalletTotals,
} from './money/ledger.js'
export {
  ACCOUNT_FIELDS, type AccountField, type AccountNotice, type AccountNoticeReport, type AccountNotices, type AccountOutcome, type AccountReport,
  type AccountReportDeps, NOTICES_KEPT, supersedes, type TemplateChanged,
} from './reports/account.js'
export {
  type Billed, billedAs, type Billing, type Claim, type Claimed, type Draft, isBilledOtherwise, isFreeType, isListed, isLookedAt, type ListMessages,
  type ListMessagesDeps, type ListMessagesQuery, makeListMessages, type MessageFilters, type MessageLog, type MessageQuery, type MessageRef, type MessagesTo,
  type MovedMessage, type Opening, otherwiseBilled, recategorised, type Recategorised, reportedType, type StaleMessage, type StaleQuery, sumBilled,
} from './messages/message-log.js'
export {
  countedIdOf, countryOf, type Customer, CUSTOMER_DIGEST_FORM, type CustomerDigest, customerDigestOf, type CustomerFact, type CustomerId, type CustomerIds,
  customerOf, type CustomerOptedOut, everyIdOf, forgetRecord, type IdRecord, type InvalidPhoneNumber, isForgotten, isUserId, type KnownId, lastReportOf,
  learnFact, NOTHING_KNOWN, parseCustomerId, parsePhoneNumber, parseUserId, parseWrittenCustomerId, parseWrittenPhoneNumber, type PhoneNumber,
  type PhoneNumberRequired, recordKeyOf, type UserId, variantsOf,
} from './customers/customer.js'
export {
  catalogueFault, type CatalogueFault, type CatalogueState, faultedState, isTooOld, listedState, type ListReading, type NamedTemplates, NEVER_LISTED,
  type TemplateCatalogue, templateCursor, type TemplatePlace, templatePlace, type TemplateQuery, type TemplateSource, type TemplateSourceError,
} from './templates/catalogue.js'
export { checkTemplate, nearestNames, type TemplateNotApproved, type TemplateNotFound, type TemplateParameters } from './templates/check.js'
export {
  type Attempted, type AttemptResult, type AttemptsOutcome, type BrokerProgress, type BrokerTask, type DeliveryAttempt, type DeliveryProgress,
  type DeliveryTask, type DeliveryView, deliveryView, type DisabledReason, type DueQuery, endpointDisabled, type EndpointHealth, type EventDeliveries,
  type EventSink, GIVES_UP_AFTER_MS, isCircuitOpen, type MadeAttempt, MOST_PENDING, MOST_REDELIVERED, nextAttemptAt, noteAttempts, pauseAfter,
  type PendingEvents, type Retry, shardOf, SHARDS,
} from './events/delivery.js'
export {
  type ChangedEndpoint, type DeliveryStatus, ENDPOINT_STATUSES, ENDPOINT_URL_FORM, type EndpointChange, type EndpointDisabled, type EndpointId, endpointIdOf,
  type EndpointNotFound, type EndpointSecret, endpointSecretOf, type EndpointSecrets, type EndpointSettings, type EndpointStatus, type EndpointView,
  endpointView, type EventEndpoint, type EventEndpoints, type FaultOfUrl, type InvalidDescription, type InvalidEndpointSettings, type InvalidEndpointUrl,
  type InvalidEventFilter, type InvalidEventTypes, isEndpointId, type LastDelivery, type LastDeliveryView, MAX_DESCRIPTION_LENGTH, MAX_ENDPOINT_URL_LENGTH,
  MAX_EVENT_TYPES, type NewEndpoint, parseEndpointSettings, parseEndpointUrl, parseEventFilter, signingSecrets, type TooManyEndpoints,
} from './events/endpoint.js'
export {
  ALL_EVENTS, type Along, alongAnyway, type AlongEntry, alongFor, type Emission, type Event, EVENT_TYPES, type EventBacklog, type EventDeps, type EventFilter,
  type EventNotFound, type EventOutbox, type EventPosition, eventsIn, type EventType, eventView, type EventView, type InvalidEventId, isAuditEntry,
  isEventPattern, isHeard, type NewEvent, PULL_LISTENS_MS, type StoredEvent, type UnknownEventType, wantsEvent,
} from './kernel/outbox.js'
export {
  AUDIT_ID_FORM, type AuditId, auditIdOf, EVENT_ID_FORM, type EventId, eventIdOf, isAuditId, isEventId, isMemberId, isWorkspaceId, MEMBER_ID_FORM,
  type MemberId, memberIdOf, type WorkspaceId, workspaceIdOf,
} from './kernel/ids.js'
export {
  type ChangedPart, changedTemplate, hasChanged, isApproved, isCatalogued, isGone, isSendable, listedTemplate, type Placeholder, placeholdersOf, type Template,
  type TemplateChange, type TemplateDiff, type TemplateRecord, templateView, type TemplateView,
} from './templates/template.js'
export { componentsFrom, previewOf, type TemplateField, templateFields, type TemplatePreview } from './templates/parts.js'
export {
  type ByteRange, type Conversation, type ConversationError, type InboundMessage, makeMarkRead, makeOpenMedia, type MarkRead, type MarkReadCommand,
  type MarkReadDeps, type MarkReadError, type Media, MEDIA_TYPES, type MediaError, type MediaGone, type MediaId, type OpenMedia, type OpenMediaCommand,
  type OpenMediaDeps, type OpenMediaError, parseMediaId, type RangeNotSatisfiable, type ReadMark, UNKNOWN_MEDIA_TYPE, type WantedMedia,
} from './messages/conversation.js'
export {
  type AsPerson, type DeliverCommand, type DeliverDeps, type DeliverError, makeSendAsPerson, makeSendTemplate, makeSendText, type PermitDeps, type ReplayDeps,
  type ReplayError, type SendAsPerson, type SendAsPersonDeps, type SendOptions, type SendTemplate, type SendTemplateCommand, type SendTemplateDeps,
  type SendTemplateError, type SendText, type SendTextCommand, type SendTextDeps, type SendTextError,
} from './sending/send.js'
export type { Outbound, Platform, SenderHealthDeps, TransmitDeps } from './sending/transmit.js'
export {
  type BrowsedTemplates, type BrowseQuery, type BrowseTemplates, type BrowseTemplatesDeps, type ListedTemplates, type ListTemplates, type ListTemplatesDeps,
  makeBrowseTemplates, makeListTemplates, makeRefreshTemplate, type PreflightDeps, type PreflightRefusal, type RefreshTemplate, type RefreshTemplateDeps,
  type TemplateEventsDeps,
} from './templates/use-cases.js'
export {
  type Ahead, makeReadAhead, type PrepareDeps, type PrepareError, type PrepareTemplateError, type PrepareTextError, type Read, type ReadAhead,
  type ReadAheadDeps, type ReadFor, type Recipient, type TemplateReads, type TemplateRecipient, type TextReads,
} from './sending/prepare.js'
export {
  makeQuoteTemplate, makeQuoteText, type PreviewView, type Quote, type QuoteDeps, type QuoteError, type QuoteTemplate, type QuoteTemplateCommand,
  type QuoteTemplateDeps, type QuoteTemplateError, type QuoteText, type QuoteTextCommand, type QuoteTextDeps, type QuoteTextError, quoteView, type QuoteView,
} from './sending/quote.js'
export {
  type Accepted, type AppliedChange, appliedChange, applyChange, claimStands, DEFAULT_LANGUAGE, entersHistory, errorCodeOf, firstMessageIdAt, forgetMessage,
  FORGOTTEN_PLATFORM_ID, forgottenError, type HistoryEntry, type IdempotencyInProgress, type IdempotencyKey, type IdempotencyKeyReused,
  type InvalidIdempotencyKey, isMessageId, isOutcomeUnknown, keepsIdempotencyKey, KEY_KEPT_MS, MAX_TEMPLATE_NAME_LENGTH, MAX_TEXT_LENGTH, merge, type Message,
  MESSAGE_KINDS, MESSAGE_STATES, type MessageId, messageIdOf, type MessageKind, type MessageProgress, type MessageRecord, type MessageState, messageView,
  type MessageView, type MoneyMove, type NewMessage, type NewTemplateMessage, type NoSuchMessage, type NotUnconfirmed, openProgress, openRecord,
  parseIdempotencyKey, type PlatformId, type Sent, type StateChange, type TemplateMessage, type TextMessage, type WithMessageId,
} from './messages/message.js'
export {
  type EraseCustomer, type EraseCustomerCommand, type EraseCustomerDeps, type EraseCustomerError, type Erased, type ForgetQuery, type ForgetStep,
  type Forgotten, isEventAbout, makeEraseCustomer, makeRunRetention, type MessagesUnderWay, type PersonalData, type RetentionRun, type RunRetention,
  type RunRetentionCommand, type RunRetentionDeps,
} from './privacy.js'
export {
  type Access, addsTo, type AttemptName, type Attempts, CLOCK_SKEW_MS, delayedUntil, type Digest, FIRST_LINK_MS, FRESH_LINK_MS, type Identity,
  type IdentityRefused, type InvalidEmail, type Invitation, INVITATION_MS, isElsewhere, isForSame, isSessionId, type LastOperator, levelOf, type Link,
  type LinkPurpose, type LinkUnusable, MAX_EMAIL_LENGTH, type Member, type MemberNotFound, type Members, NO_ATTEMPTS, type NotSignedIn, parseEmail,
  type PendingInvitation, type Session, SESSION_ID_FORM, SESSION_IDLE_MS, SESSION_MS, type SessionId, sessionIdOf, type SessionOpening, type Sessions,
  type SignInRefused, type Standing, type Token, type TooManyAttempts, withAccess, withAttempt, withoutAttempt,
} from './access/members.js'
export { ACCESS, checkAccess, type Forbidden, isAllowed, type Place, type Rule } from './access/access.js'
export {
  isDue, isLostState, LOST_MESSAGES_KEPT, type LostCount, type LostMessage, type LostMessages, type LostMessageSettled, lostReference, type LostSettlement,
  type LostState, type LostStatus, makeSettleLostMessage, type NoSuchLostMessage, noteLost, type NotYetKnown, type SettledLost, type SettleLostMessage,
  type SettleLostMessageCommand, type SettleLostMessageDeps, type SettleLostMessageError, type StatusOutcome, type StatusReport, type StatusReportDeps,
} from './reports/status.js'
export {
  type ApiKey, apiKeyIdIn, apiKeyOf, checkReplaceable, DEFAULT_OVERLAP, endOfReplaced, hasEnded, type InvalidExpiry, type InvalidOverlap, type InvalidScopes,
  isApiKeyId, KEY_ID_BYTES, KEY_SECRET_BYTES, type KeyEnded, type KeyLife, type KeyReplaced, type KeyStore, type KeySuccession, MAX_EXPIRY_MS, MAX_OVERLAP_MS,
  type MintedKey, type NewKey, parseExpiry, parseOverlap, parseScopes, type Rotation, type Successor, type UnknownApiKey, type WorkspaceKey,
} from './access/keys.js'
export { type NewWorkspace, parseWorkspaceName, type UnknownWorkspace, type Workspace, type Workspaces } from './kernel/workspace.js'
export {
  closesAt, type CustomerWindow, type CustomerWindows, type CustomerWindowsQuery, type InboundMark, isOpen, lastInboundOf, markInbound, parseWindowCursor,
  type RecordedInbound, WINDOW_MS, type WindowClock, type WindowClosed, windowCursorOf, type WindowDeps, windowView, type WindowView,
} from './customers/window.js'
export { type Json, type JsonObject, type Page, pageOf, type PageQuery } from './kernel/json.js'
export {
  type Balance, balanceView, type BalanceView, CATEGORIES, type Category, categoryNamed, checkCorrection, checkCredit, type Currency, formatMicros,
  type GeneralCategory, generalCategory, type InvalidAmount, MAX_MICROS, type Money, parseCorrection, parseCredit, parseCurrency, parseMicros, type Price,
  reportedCategory, type SpecialCategory,
} from './kernel/money.js'
export {
  cardAt, categoryOf, hasBegun, marketNameOf, priceBy, type PriceOf, priceOn, type Prices, type Rate, type RateCard, type RateCards, ratesOf,
} from './money/rate-card.js'
export type { Customers, LearnedFact, ReportedCustomer } from './customers/learn.js'
export { type Clock, DAY_MS, HOUR_MS, type Instant, MINUTE_MS, monthOf, SECOND_MS } from './kernel/time.js'
export type { AccessPorts, EventPorts, StoragePorts } from './postern.js'
export {
  BUCKET_MS, bucketSpan, bucketStart, type BucketWidth, chargedIn, COUNTED_MS, countMessages, type DueBucket, firstProgress, isInSpan, isPastMissing, KEPT_MS,
  makeRollUpMessages, type MessageCount, type MessageStatistics, nextDue, type Note, presentBuckets, type RolledUp, type RollUpMessages,
  type RollUpMessagesDeps, type Skip, sumCounts, type TimeSpan,
} from './messages/statistics.js'
export {
  type Attention, type AttentionDeps, cutRange, endOfHour, type Figures, figuresOf, groupOf, makeShowOverview, MOST_WINDOWS, type Overview, OVERVIEW_RANGES,
  type OverviewQuery, type OverviewRange, partsOf, type RangePart, RATE_MS, rateOf, type Shares, sharesOf, type ShowOverview, type ShowOverviewDeps,
  type SpendRate, STATE_GROUPS, type StateGroup, totalOf,
} from './overview.js'
export {
  type Authenticate, type Authenticated, type AuthenticateDeps, type BegunSignIn, type DeviceDeps, type EndSessionsCommand, type IdentityCommand,
  type IdentityProvider, type InvalidPassword, type InviteCommand, type Invited, makeAuthenticate, makeSignIn, makeSignInWithIdentity, MAX_PASSWORD_LENGTH,
  type MemberDeps, MIN_PASSWORD_LENGTH, type OpenSessionDeps, parsePassword, type PasswordHasher, type PasswordTurn, type PasswordTurns, PENDING_MS,
  type ProvenIdentity, type RemoveMemberCommand, type SetPasswordCommand, type SignedIn, type SignIn, type SignInCommand, type SignInDeps, type SignInPlace,
  type SignInWithIdentity, type SignInWithIdentityDeps, type TakeLinkCommand, type TurnOf,
} from './access/sign-in.js'
export {
  type Act, type Actor, ACTS, type AuditActor, auditActorOf, type AuditedAct, type AuditEntry, type CommandLine, type Email, isRole, isView, type KeyPrincipal,
  type MemberPrincipal, type Principal, type Role, ROLES, type Scope, SCOPES, type System, SYSTEM, UNGUARDED_ACTS,
} from './kernel/actor.js'
export {
  type ActDeps, type Acting, type Auditing, type AuditLog, type AuditQuery, checkView, type Consequences, type Described, perform,
} from './access/acting.js'
export {
  type EndSessions, type EndSessionsDeps, type FindChangedWatchers, type FindChangedWatchersDeps, type InviteMember, type InviteMemberDeps,
  type InviteMemberError, type ListInvitations, type ListInvitationsDeps, type ListMembers, type ListMembersCommand, type ListMembersDeps, type ListSessions,
  type ListSessionsDeps, makeEndSessions, makeInviteMember, makeListInvitations, makeListMembers, makeListSessions, makeMemberUseCases, makeRemoveMember,
  type MemberUseCases, type MemberUseCasesDeps, type RemoveMember, type RemoveMemberDeps, type RemoveMemberError, type Watcher,
} from './access/member-use-cases.js'
export {
  type FirstLink, type FirstLinkDeps, makeFirstLink, makePeekLink, makeSetPassword, makeTakeLink, type PeekLink, type PeekLinkDeps, type SetPassword,
  type SetPasswordDeps, type SetPasswordError, type TakeLink, type TakeLinkDeps,
} from './access/links.js'
export type { Callers } from './kernel/fairness.js'
