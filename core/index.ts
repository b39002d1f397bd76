/**
 * Postern's core: the use cases, the rules they keep, and the ports they need.
 *
 * @packageDocumentation
 */
export type {
  AddEndpoint, AddEndpointCommand, AddEndpointError, ChangeEndpoint, ChangeEndpointCommand, ChangeEndpointError, EndpointActCommand,
  EndpointActError, EndpointCommand, EndpointWithSecret, FindEndpoint, FindEndpointError, ListEndpoints, RemoveEndpoint, RotatedSecret,
  RotateSecret, SinkAddress, TestEndpoint,
} from './events/endpoint-use-cases.js'
export type {
  CountFailed, EventUseCases, FailedCommand, FailedCount, ListDeliveries, ListedEvents, ListEvents, ListEventsError, ListEventsQuery,
  RedeliverEvent, RedeliverEventCommand, RedeliverEventError, RedeliverFailed, RedeliverFailedError, RedeliverSince, RedeliverSinceCommand,
  RedeliverSinceError,
} from './events/use-cases.js'
export {
  ALERT_KINDS, type AlertKind, type AlertRecipient, type Alerts, alertsToRaise, type KnownTrouble, MAX_WAITING_ALERTS, REPEATED_AFTER_MS,
  type Trouble, type WaitingAlert,
} from './alerts/alert.js'
export type {
  AlertCarrier, AlertCarriers, AlertText, AlertUseCases, DeliverAlerts, DeliveredAlerts, SetAlertChannel, SetAlertChannelCommand,
  SetAlertChannelError, WatchWorkspaces,
} from './alerts/use-cases.js'
export type { TroubleFact } from './alerts/texts.js'
export { auditEntryView, type AuditEntryView, type ListAudit, type ListAuditCommand } from './access/audit.js'
export type {
  AmbiguousName, ArchiveWorkspace, ArchiveWorkspaceCommand, ArchiveWorkspaceError, CreateWorkspace, CreateWorkspaceCommand,
  CreateWorkspaceError, CurrencyNotPriced, FindWorkspace, FindWorkspaceError, ListWorkspaces, NameTaken, NoSuchWorkspace, RenameWorkspace,
  RenameWorkspaceCommand, RenameWorkspaceError,
} from './workspaces/use-cases.js'
export type {
  AdjustWallet, AdjustWalletCommand, AdjustWalletError, AuditBooks, CategorySpend, KeyInUse, ListKeys, ListMonths, MonthSpend, ReportSpend,
  SetWalletAlert, SetWalletAlertCommand, SetWalletAlertError, KeySpend, SpendReport, SpendShare, TemplateSpend, TopUp, TopUpCommand,
  TopUpError, ToppedUp,
} from './money/use-cases.js'
export type {
  DayStatement, LatestMovements, PeriodStatement, ReadStatement, ShowDay, ShowLatest, ShowStatement, StatementLine, StatementQuery,
  StatementRow, StatementSum,
} from './money/statement.js'
export {
  type AnsweredCall, type FindRequest, isListedRequest, type ListRequests, type LoggedRequest, type RequestLog, type RequestQuery,
  REQUESTS_KEPT_MS, type RequestUseCases,
} from './requests/request-log.js'
export {
  type Backlog, type BacklogQuery, type ClaimedRef, type DueMessagesQuery, type DueSender, inDueOrder, type MessageQueue,
  type NextMessagesQuery, type PlacedMessage, type Postponed, type QueuedCount, type QueuedMessage, type QueuedRef, type QueuedSender,
  type QueuePosition, type QueueTimes, readQueued, type ScheduledMoney, type ScheduledQuery, type SendersDueQuery, type Waiting,
  type WaitingQuery, writeQueued,
} from './messages/queue.js'
export { type GivenHours, type Hours, type Weekday, WEEKDAYS } from './customers/hours.js'
export {
  type Batch, BATCH_STATES, type BatchChange, type BatchCounts, type Batches, type BatchRef, type BatchRequest, type BatchState,
  type BatchTiming, type Brake, type CheckedLine, type Confirmed, type Count, CUSTOMER_ERASED, customerOfLine, DEFAULT_BRAKE,
  type FailureCode, type FirstWave, type LineContent, type LineProblemCode, type LineRate, type LinesQuery, MAX_BATCH_LINES,
  MAX_GIVEN_TO_LENGTH, movedBatch, type MovingField, needsSender, type NewLine, type NoSuchBatch, PAUSE_REASONS, type PauseReason,
  type PricePart, readBatch, REQUEST_UPLOAD, type StoredLine, writeBatch, type WrongBatchState,
} from './batches/batch.js'
export { type AddFromError, AGAIN_STATES, type AgainState, type ContentGone, type FromBatch } from './batches/again.js'
export type { SubmitBatch, SubmitBatchCommand, SubmitBatchError, Submitted } from './batches/submit.js'
export type { BatchChanged, Checked, CheckError, FoundProblem, LineRefusal } from './batches/check.js'
export { type BatchResult, type BatchResults, type ReadResults, RESULT_STATES, type ResultState } from './batches/results.js'
export type { Ran, RunBatches } from './batches/run.js'
export type { BrakeLevel } from './batches/brake.js'
export type { FailureCount, ShowBatch, ShownBatch } from './batches/show.js'
export type { ShowLine, ShowLineCommand, ShownLine } from './batches/show-line.js'
export type { ShownWave, ShowWave, Wave } from './batches/wave.js'
export type { LimitUse, ShowLimitUse } from './batches/limit-use.js'
export type { Line, LineCode, LineProblem, LinesForm, ValueProblem } from './kernel/lines.js'
export type { BatchDay, BatchWarning, Forecast, Progress } from './batches/forecast.js'
export type { PreflightChanged } from './batches/hold.js'
export type { BatchLine, BatchRecipient } from './batches/lines.js'
export type {
  Added, AddRecipients, AddRecipientsError, BatchCommand, BatchUseCases, ConfirmBatch, ConfirmCommand, ConfirmError, CreateBatch,
  CreateBatchCommand, CreateBatchError, FindLinesForm, LinesCommand, ListBatches, MoveBatch, NothingToSend, Preflight, PreflightBatch,
  PreflightError, ReadLines, TooManyLines, UnreadableFile,
} from './batches/use-cases.js'
export {
  type AddedView, addedView, type BatchView, batchView, type BrakeLevelView, type CategoryView, type CountsView, type DayView,
  type FailureView, type HoursView, type LineProblemView,
  lineProblemView, type MarketView, type PreflightView, preflightView, type ShownBatchView, shownBatchView, type WarningView,
} from './batches/view.js'
export type {
  AskDeps, AskedConsent, AskedMessages, AskedRecipient, ConsentRefusal, ConsentRequired, CustomerOptedOut, ErasedIds,
} from './consent/asking.js'
export {
  type FactOfCustomer, type GivenConsent, type InvalidConsent, parseConsent, type RecordFactsDeps,
} from './consent/record.js'
export type { ImportConsents, ImportConsentsCommand, ImportConsentsDeps, ImportedConsents, LinesIncomplete } from './consent/import.js'
export type { ConsentLine } from './consent/lines.js'
export {
  type ConsentUseCases, type ConsentView, customerConsentView, type CustomerConsentView, type CustomerWithConsent,
  type CustomerWithConsentView, type InvalidOptOut,
  type RecordConsent, type RecordConsentCommand, type RecordConsentError, type SetMarketingConsent, type SetMarketingConsentCommand,
  type SetOptOut, type SetOptOutCommand, type SetOptOutError, type ShowConsent, type ShowConsentHistory, type ShowConsentSettings,
  type ShowCustomerWithConsent,
} from './consent/use-cases.js'
export {
  type Consent, CONSENT_STATUSES, CONSENT_TOPICS, type ConsentFact, type ConsentItem, type ConsentRules, type Consents,
  type ConsentSettings, type ConsentsQuery, type ConsentStatus, type ConsentTopic, type CustomerConsent, DEFAULT_CONSENT_SETTINGS,
  type EntriesOfItem, laterConsent, type ListedConsent, MAX_SOURCE_LENGTH, mergeConsents, NO_CONSENT, type OptOut,
  type RecordedConsent, SHIPPED_OPT_OUT,
} from './consent/consent.js'
export {
  comparedWord, MAX_OPT_OUT_WORD_LENGTH, MAX_OPT_OUT_WORDS, optOutWordIn, type OptOutWords, SHIPPED_WORDS,
} from './consent/words.js'
export type { TimezoneUnknown, Zone } from './customers/time-zones.js'
export type { ShowScheduled } from './money/scheduled.js'
export {
  type AlreadySent, type CancelCommand, type CancelError, type CancelFailure, type CancelMessage, type Queue, type Queued,
  type QueueUnavailable,
  type SendOrQueue, type TimedCommand, type TimedError,
} from './sending/queue.js'
export type {
  CountHeld, Departure, DeparturesOf, HeldMessages, HeldView, MeasureQueue, MeasureQueueDeps, NextMessage, QueueMeasures,
  QueueView, ReadQueueDeps, SenderQueueView, ShowWorkspaceQueue, ShowWorkspaceQueueDeps, WaitingSender, WorkspaceQueueView,
} from './sending/show-queue.js'
export { type InvalidTiming, MAX_SCHEDULE_MS, SENDABLE_FOR_MS, type Timing } from './sending/timing.js'
export type { Draining, DrainQueue } from './sending/drain.js'
export type { Drained, DrainSender, Turn } from './sending/turns.js'
export {
  heldStart, heldStartOf, type Heartbeat, type HoldReason, INSTALLATION_KEPT_MS, isBeatDue, type QueueHold, type QueueHolds,
  type SeenInstallation,
} from './messages/queue-holds.js'
export { checkHolds, type HeldNow, type HeldStart, type HoldDeps, type HoldGate, makeHoldGate } from './sending/holds.js'
export type {
  CancelAsPerson, CancelAsPersonCommand, HoldQueue, HoldQueueCommand, HoldQueueError, QueueControl, ResumeQueue,
  ResumeQueueCommand, ResumeQueueError, ShowQueue, WatchQueue,
} from './sending/queue-control.js'
export type { RateOfSender, ReserveError } from './sending/accept.js'
export {
  type CustomersUsed, FAILING_REASONS, type FailingReason, type ShownSender, type ShowSender, type ShowSenders,
} from './senders/show-senders.js'
export type {
  AssignSender, AssignSenderCommand, AssignSenderError, RemoveSender, RemoveSenderError, ReplaceSender, ReplaceSenderCommand,
  ReplaceSenderError, SenderCommand, SenderForm, SenderQuestions, SenderVerification, SetDefaultSender,
} from './senders/use-cases.js'
export {
  type CustomerView, customerView, type CustomerWindowsShown, type CustomerWindowsView, customerWindowsView, type ListOpenWindows,
  type NameCustomers, type OpenWindow, type SenderWindow, type SenderWindowView, type ShowCustomer, type ShownCustomer, type ShowWindows,
} from './customers/use-cases.js'
export {
  type FindMessage, type FindMessageError, LOOKED_AT_NEAR, type MessageTimeline, type ShowMessage, type ShownMessage, type TimelineEvent,
  type TimelineQuery, type ConversationLine, type ReceivedQuery, type ListUnanswered, type ShowConversation, type ShownConversation,
} from './timeline.js'
export type {
  AuthenticateKey, MintKey, MintKeyCommand, MintKeyError, RevokeKey, RevokeKeyCommand, RevokeKeyError, RotateKey, RotateKeyCommand,
  RotateKeyError,
} from './access/key-use-cases.js'
export type {
  CustomerReport, IdsChanged, Inbound, InboundInFuture, MarketingPreference, NumberShared, Receive, ReceiveError, RecordInbound,
  RecordInboundCommand, RecordInboundError, Report, ReportOutcome, UncountedInbound,
} from './reports/receive.js'
export type {
  Reconcile, ReconcileByHand, Reconciled, ResolveMessage, ResolveMessageCommand, ResolveMessageError,
} from './sending/reconcile.js'
export type { SyncByHand, SyncedTemplates, SyncStopped, SyncTemplates, SyncTemplatesCommand, SyncTemplatesError } from './templates/sync.js'
export type { InvalidName, InvalidNote, InvalidReference } from './kernel/text.js'
export {
  afterReading, type CustomersPerDay, hasNumberChanged, type KnownNumber, type KnownNumbers, nextReadingAt, NUMBER_QUALITIES,
  type NumberChange, numberDigits,
  type NumberFacts, type NumberHealth, type NumberQuality, type NumberReading, type PlatformNumberError, type PlatformNumbers,
  READ_EVERY_MS, type RefreshedNumbers, type RefreshNumber, type RefreshNumberError, type RefreshNumbers, type WantedNumbers,
} from './senders/number-health.js'
export {
  type AssignFailure, type BusinessAccountNotConfigured, type FailingSender, type FindSender, FORMER_ID_MS, inboxOf,
  type InvalidAccessToken, type InvalidAccountId, type LastSender, MAX_SENDERS, type NoSender, type NoSuchApp, readableAccount,
  type ReplaceFailure, type Sender, type SenderAccount, type SenderAccounts, type SenderAssignment, type SenderChoice,
  type SenderDirectory, type SenderHealth, type SenderId, senderIdOf, senderInUse, type SenderInUse,
  type ListedSender, type SenderLists, type SenderNotConfigured, type SenderNotConfirmed, type SenderOf, type SenderOwner, type Senders,
  type SenderTaken, type SendingSenders, type TemplateAccount, type TooManySenders, type UnknownSender,
} from './senders/sender.js'
export {
  addToBalance, afterMoneyAdded, type AlertState, alertsView, type AlertsView, type BalanceOutOfRange, becomesLow, type CapturePart,
  changeByPart, changeHold, checkPart, checkSpending, ENTRY_KINDS, type EntryKind, type ExceedsHold, type FreeMessages, type FreeTaking,
  type HeldMoney, HOLD_STATES, type HoldChange, type HoldState, type HoldStep, type InsufficientBalance, isAmount, type MoveHold,
  type NewHold, NO_ALERTS, type SendingKey, type Spending, type SpendingCheck, spendingDay, type SpendingLimitReached, type StaleHold,
  stepHold, type TakenBy, type UnheldPrice, type Wallet, type WalletAlert, type WalletAlerts, withThreshold,
} from './money/wallet.js'
export {
  type BatchCustomers, CUSTOMER_COUNTS_MS, type CountedCustomers, countedKeyOf, customersUsedIn, type CountedMessage, leavesAt,
  type PortfolioBudget, type PortfolioId, portfolioIdOf, type PortfolioLimitReached, type PortfolioLimits, portfolioLimitsIn, portfolioOf,
  PORTFOLIO_DAYS_KEPT_MS, type PortfolioDay, type PortfolioTaking, stillCounts, takeCustomer,
} from './messages/portfolio-budget.js'
export {
  countInbound, INBOUND_COUNTS_MS, inboundAhead, makeSenderRates, NO_SLOTS_TAKEN, PLATFORM_MESSAGES_PER_SECOND, rateOf,
  type SenderBudget, type SenderLimit, type SenderLimitReached, type SenderRate, type SenderRates, senderRatesIn,
  type SenderSlot, type SenderSlots, slotLength, type SlowDown, slowedDown, type SlotTaking, takeSenderSlot, waitFor,
  type WholeRate,
} from './senders/sender-budget.js'
export {
  type Pair, type PairLimit, type PairLimitReached, type PairLimits, type PairTaking, PLATFORM_PAIR_LIMIT, takePair,
} from './customers/pair-limit.js'
export {
  checkSplit, type HoldPart, type NewSharedHold, type NoSuchSharedHold, type SharedHold, type SharedHoldMove, type SharedHoldRef,
  type SharedHoldReleased, type SharedHolds,
} from './money/shared-holds.js'
export { LONGEST_LEASE_MS, longestLease, type Leases } from './kernel/leases.js'
export type { Admission, Permit, TooManyRequests } from './kernel/limits.js'
export {
  attempt, type Cause, type CredentialsRefused, describeCause, type OutcomeUnknown, type PlatformError, type PlatformRejected,
  type PlatformThrottled, type PlatformUnanswered, type PlatformUnreachable, type PortFailure, portFailure,
} from './kernel/failure.js'
export {
  LISTED, type Listed, type ListedStates, type ListedWorkspace, type ListStates, needOf, WORKSPACE_ORDERS, type WorkspaceBucket,
  type WorkspaceNeed, type WorkspaceOrder, type WorkspaceState, type WorkspaceStates, type WorkspaceSum,
} from './all-workspaces.js'
export {
  type Adjustment, type Audit, auditWallet, balanceChange, checkResolution, type Credit, type DaySum, type Entry, type EntryView, entryView,
  type Finding, freeDraft, type FreeOffer, holdOfDraft, type Ledger, type LedgerDays, type LedgerPeriod, MAX_PAID, type MessageMoney,
  moneyAgrees, type MoneyMismatch, type MovementKind, type MovementsQuery, type OpenHold, type ReferenceReused, type Reserved,
  type LimitReached, type Reserving, type Resolution, type SendLimits, type WalletTotals,
} from './money/ledger.js'
export {
  ACCOUNT_FIELDS, type AccountField, type AccountNotice, type AccountNoticeReport, type AccountNotices, type AccountOutcome,
  type AccountReport, NOTICES_KEPT, supersedes, type TemplateChanged,
} from './reports/account.js'
export {
  FILE_TYPES, type FileBytes, type FileType, type IncomingFile, type MediaInvalid, UPLOAD_KEPT_MS, type UploadedFile, type UploadedFiles,
  type UploadKey,
} from './messages/files.js'
export {
  canConfirmWithin, type DeliveryDeadlines, isOverdue, MAX_CONFIRM_WITHIN_MS, messageOverdue, MIN_CONFIRM_WITHIN_MS, type NotedOverdue,
  type NoteOverdue, type SettledDeadlines,
} from './messages/deadlines.js'
export { type KeptContent, keptContentOf, type MessageContents } from './messages/kept-content.js'
export type {
  FileAsPerson, FileMessage, SendFile, SendFileAsPerson, SendFileCommand, SendFileError, Upload, UploadCommand, UploadError, UploadFile,
} from './sending/files.js'
export {
  type Billed, billedAs, type Billing, type Claim, type Claimed, type Draft, type FilterBySender, isListed, isLookedAt, isThrough,
  type ListMessages, type ListMessagesQuery, type MessageFilters, type MessageLog, type MessageQuery, type MessageRef, type MessagesTo,
  type MovedMessage, type Opening, parseMessageRef, recategorised, type Recategorised, readRecord, reportedType, type SenderFilter,
  type StaleMessage, type StaleQuery, sumBilled, writeRecord,
} from './messages/message-log.js'
export {
  countedIdOf, type Customer, type CustomerDigest, customerDigestOf, type CustomerFact, type CustomerId, type CustomerIds, customerOf,
  type DialledNumber, type DialledNumbers, everyIdOf, forgetRecord, type IdRecord, type InvalidPhoneNumber,
  type KnownId, lastReportOf, LEAVE_OUT_TRUNK_ZERO, recordFact, NOTHING_KNOWN, parseCustomerId, parsePhoneNumber, parseUserId,
  parseWrittenCustomerId, parseWrittenPhoneNumber, type PhoneNumber, phoneNumberOf, type PhoneNumberRequired, recordKeyOf, type UserId,
  variantsOf,
} from './customers/customer.js'
export {
  type CatalogueFault, type CatalogueState, faultedState, listedState, type ListReading, makeCheckAccount, type NamedTemplates,
  NEVER_LISTED, type TemplateCatalogue, templateCursor, type TemplatePlace, templatePlace, type TemplateQuery, type TemplateSource,
  type TemplateSourceError,
} from './templates/catalogue.js'
export type { TemplateMismatch, TemplateNotApproved, TemplateNotFound, TemplateParameters } from './templates/check.js'
export {
  type Attempted, type AttemptResult, type AttemptsOutcome, type BrokerProgress, type BrokerTask, type DeliveryAttempt,
  type DeliveryProgress, type DeliveryTask, deliveryView, type DeliveryView, type DisabledReason, type DueQuery, type EndpointHealth,
  type EventDeliveries, type EventSink, type FailedEvents, type FailedFilter, type FailedPass, isFailedMatch, isPaused, type MadeAttempt,
  MAX_STORED_PAUSE_MS, MAX_PENDING, MAX_REDELIVERED, type PendingEvents, type Retry, shardOf,
} from './events/delivery.js'
export {
  type ChangedEndpoint, type DeliveryStatus, ENDPOINT_FORMATS, ENDPOINT_STATUSES, type EndpointChange, type EndpointDisabled,
  type EndpointFormat, type EndpointId, endpointIdOf, type EndpointNotFound, type EndpointSecret, endpointSecretOf, type EndpointSecrets,
  type EndpointSettings, type EndpointStatus, type EndpointView, endpointView, type EventEndpoint, type EventEndpoints, type FaultOfUrl,
  formatOf, type InvalidDescription, type InvalidEndpointSettings, type InvalidEndpointUrl, type InvalidEventFilter, type InvalidEventTypes,
  type LastDelivery, type LastDeliveryView, type NewEndpoint, type TooManyEndpoints,
} from './events/endpoint.js'
export { makeRelay, type Relay, type RelayDeps, type RelayedChange } from './events/relay.js'
export {
  type MakeOutboxEntries, type OutboxEntry, type OutboxWriter, type Event, EVENT_TYPES, type EventBacklog, type EventDeps, type EventFilter,
  type EventNotFound, type EventOutbox, type EventPosition, eventsIn, type EventType, type EventView, eventView, type InvalidEventId,
  isAuditEntry, type NewEvent, PLATFORM_NOTIFICATION, PULL_LISTENS_MS, type StoredEvent, type UnknownEventType, wantsEvent,
} from './kernel/outbox.js'
export {
  type AppId, appIdOf, type AuditId, auditIdOf, type BatchId, batchIdOf, type EventId, eventIdOf, type InboxId, inboxIdOf, type InboxOf,
  isAppId, isBatchId, isWorkspaceId, type MemberId, memberIdOf, type WorkspaceId, workspaceIdOf,
} from './kernel/ids.js'
export { type Language, LANGUAGES, parseLanguage } from './kernel/language.js'
export {
  type ChangedPart, changedTemplate, hasChanged, isCatalogued, isGone, listedTemplate, type Placeholder, type Template, type TemplateChange,
  type TemplateDiff, type TemplateRecord, type TemplateView, templateView,
} from './templates/template.js'
export type { TemplateField, TemplatePreview } from './templates/parts.js'
export {
  ANSWERED_AMONG, ANSWERED_WITHIN_MS, type Answerable, answerableOf, answeredBy, type CustomerReply, repliedTo, RESULT_WIDTHS,
  type ResultCount, type ResultPart, type ResultsQuery, type ResultWidth, type ShownResults, type ShowTemplateResults, type TemplateFigures,
  type TemplateResults, UNANSWERABLE,
} from './templates/results.js'
export type {
  ByteRange, Conversation, ConversationError, InboundMessage, MarkRead, MarkReadCommand, MarkReadError, Media, MediaError, MediaGone,
  MediaId, MediaUpload, OpenMedia, OpenMediaCommand, OpenMediaError, RangeNotSatisfiable, ReadMark, WantedMedia,
} from './messages/conversation.js'
export type {
  AsPerson, DeliverError, ReplayError, SendAsPerson, SendCommand, SendError, SendMessage, SendOptions, SendTemplate, SendTemplateCommand,
  SendTemplateError, SendText, SendTextCommand, SendTextError,
} from './sending/send.js'
export type { AgainCommand, ContentNotKept, NotAgain, NotFailed, QuoteAgain, SendAgain } from './sending/again.js'
export type { LimitEvent, OnLimit, Outbound, Platform, RetryLater } from './sending/dispatch.js'
export type {
  BrowsedTemplates, BrowseQuery, BrowseTemplates, ListedTemplates, ListTemplates, ListTemplatesDeps, PreflightRefusal, RefreshTemplate,
} from './templates/use-cases.js'
export type {
  FreeFormReads, Prefetch, Prefetched, PrepareError, PrepareFreeFormError, PrepareTemplateError, Read, Reads, Recipient, RefusalOf,
  PortfolioReads, TemplateReads, TemplateRecipient, Wanted,
} from './sending/prepare.js'
export {
  type FundsError, type PreviewView, type Quote, type QuoteCommand, type QuoteError, type QuoteMessage, quoteView, type QuoteView,
} from './sending/quote.js'
export { type Breach, checkContent, type Content, CONTENT_TYPES, type ContentType } from './messages/content.js'
export {
  type Accepted, type Addressed, appliedChange, type AppliedChange, applyChange, claimStands, type ContentMessage, type Context,
  DEFAULT_LANGUAGE, entersHistory, firstMessageIdAt, forgetMessage, FORGOTTEN_PLATFORM_ID, forgottenError, type FreeFormMessage,
  type HistoryEntry, type IdempotencyInProgress, type IdempotencyKey, idempotencyKeyOf, type IdempotencyKeyReused,
  type InvalidIdempotencyKey, isOutcomeUnknown, keepsIdempotencyKey, KEY_KEPT_MS, merge, type Message, MESSAGE_KINDS, MESSAGE_STATES,
  type MessageId, isMessageId, isTemplateLanguage, isTemplateName, MAX_LANGUAGE_LENGTH, MAX_TEMPLATE_NAME_LENGTH, messageIdOf,
  type MessageKind, type MessageProgress, type MessageRecord, type MessageState, messageView, type MessageView, type Metadata,
  type MoneyMove, type NewMessage, type NewTemplateMessage, type NoSuchMessage, type NotUnconfirmed, openProgress, openRecord,
  parseIdempotencyKey, parsePlatformId, type PlatformId, type Sent, type StateChange, summaryOf, type TemplateMessage, type TextMessage,
  type WithMessageId, isUnderWay, leaveQueue, pendingSince, type QueuePlace,
} from './messages/message.js'
export { isOwnErrorCode, type OwnErrorCode } from './messages/own-errors.js'
export {
  type EraseCustomer, type EraseCustomerCommand, type EraseCustomerError, type Erased, type ForgetQuery, type ForgetStep, type Forgotten,
  isEventAbout, type MessagesUnderWay, type PersonalData, type RetentionRun, type RunRetention, type RunRetentionCommand,
} from './privacy.js'
export {
  type Access, addsTo, type AttemptName, type Attempts, delayedUntil, type Digest, type Identity, type IdentityRefused, type InvalidEmail,
  type Invitation, isElsewhere, isForSame, type LastOperator, levelOf, type Link, type LinkPurpose, type LinkUnusable, type Member,
  type MemberNotFound, type Members, NO_ATTEMPTS, type NotSignedIn, type PendingInvitation, type Session, SESSION_IDLE_MS, type SessionId,
  sessionIdOf, type SessionOpening, type Sessions, type SignInRefused, type Standing, type Token, type TooManyAttempts, withAccess,
  withAttempt, withoutAttempt,
} from './access/members.js'
export { ACCESS, type Forbidden, type Place, type Rule } from './access/access.js'
export {
  isDue, LOST_MESSAGES_KEPT, type LostCount, type LostMessage, type LostMessages, type LostMessageSettled, lostReference,
  type LostSettlement, type LostState, type LostStatus, type NoSuchLostMessage, noteLost, type NotYetKnown, type SettledLost,
  type SettleLostMessage, type SettleLostMessageCommand, type SettleLostMessageError, type StatusOutcome, type StatusReport,
} from './reports/status.js'
export {
  type ApiKey, apiKeyIdIn, apiKeyOf, checkReplaceable, endOfReplaced, hasEnded, type InvalidExpiry, type InvalidOverlap, type InvalidScopes,
  isApiKeyId, KEY_ID_BYTES, KEY_SECRET_BYTES, type KeyEnded, type KeyLife, type KeyReplaced, type KeyStore, type KeySuccession,
  type MintedKey, type NewKey, type Rotation, type Successor, type UnknownApiKey, type WorkspaceKey,
} from './access/keys.js'
export type { NewWorkspace, UnknownWorkspace, Workspace, Workspaces } from './kernel/workspace.js'
export {
  type AddApp, type AddAppCommand, type AddAppError, type AddedApp, type AppChange, type AppHasOneSecret, type AppHasTwoSecrets,
  type AppInUse, type AppNameTaken, type Apps, type AppSecrets, type AppUseCases, type ChangeAppFailure, changedApp, type FindApp,
  type InvalidAppSecret, isAppName, MAX_APPS, type NewApp, type PlatformApp, type RemoveApp, type RemoveAppCommand,
  type RemoveAppError, type RemoveAppFailure, type RotateApp, type RotateAppCommand, type RotateAppError, SENDERS_NAMED, type SendersOfApp,
  type TooManyApps, webhookPathOf,
} from './workspaces/apps.js'
export {
  alwaysOpen, type CustomerWindow, type CustomerWindows, type CustomerWindowsQuery, type FreeForm, type InboundMark, isOpen,
  type LastInbound, lastInboundOf, markInbound, parseWindowCursor, type RecordedInbound, type WindowClock, type WindowClosed,
  windowCursorOf, type WindowDeps, type WindowView, windowView,
} from './customers/window.js'
export { parseJsonObject } from './kernel/exact-json.js'
export type { Json, JsonObject } from './kernel/json.js'
export { type Page, pageOf, type PageQuery } from './kernel/page.js'
export {
  type Balance, balanceView, type BalanceView, CATEGORIES, type Category, type Currency, currencyOf, formatMicros, type GeneralCategory,
  generalCategory, type InvalidAmount, MAX_MICROS, type Money, parseCredit, parseCurrency, parseMicros, type Price, reportedCategory,
  type SpecialCategory,
} from './kernel/money.js'
export {
  type CardCurrency, cardFor, formatMarkup, MAX_MARKUP, parseMarkup, type Pricing, pricingView, type PricingView, readPricing,
  type SetPricing, type SetPricingCommand, type SetPricingError, type ShowRateCard, withMarkup, type WorkspacePricing, writePricing,
} from './money/pricing.js'
export {
  type Cost, costOf, type CostSource, costView, type CostView, marginOf, type RateCardAt, type ReportUsage, type Usage, type UsageOf,
  type UsagePeriod, usageView,
} from './money/usage.js'
export { cardAt, categoryOf, priceBy, type PriceOf, type Prices, type Rate, type RateCard, type RateCards } from './money/rate-card.js'
export { comparedName, hasName, type NamedCustomer, type NamedCustomers, type ShownNames, soughtName, startsOf } from './customers/names.js'
export type { Customers, FindEverywhereDeps, InboxDeps, RecordedFact, ReportedCustomer } from './customers/learn.js'
export { type Clock, type Days, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS, UTC_DAYS } from './kernel/time.js'
export {
  BUCKET_MS, bucketSpan, bucketStart, type BucketWidth, chargedIn, countMessages, type DueBucket, isInSpan, type MessageCount,
  type MessageStatistics, type Note, type RolledUp, type RollUpMessages, type Skip, sumCounts, type TimeSpan,
} from './messages/statistics.js'
export {
  type Attention, type Before, type Failures, type Figures, lastsMsOf, type Overview, OVERVIEW_RANGES, type OverviewQuery,
  type OverviewRange, type RangePart, type Runway, type Setup, SETUP_STEPS, type SetupStep, type Shares, type SpendRates, type ShowOverview,
  type ShowRunway, type SpendRate, STATE_GROUPS, type StateGroup,
} from './overview.js'
export type { Found, FoundCustomer, Search, SearchCommand } from './search.js'
export type { InvalidPassword, PasswordHasher, PasswordHashSlot, PasswordHashQueue, PasswordHashCaller } from './access/passwords.js'
export type {
  Authenticate, Authenticated, BegunSignIn, EndSessionsCommand, IdentityCommand, IdentityProvider, InviteCommand, Invited, ProvenIdentity,
  RemoveMemberCommand, SetPasswordCommand, SignedIn, SignIn, SignInCommand, SignInPlace, SignInWithIdentity, TakeLinkCommand,
} from './access/sign-in.js'
export {
  type Act, type Actor, ACTS, type AuditActor, type AuditedAct, type AuditEntry, type CommandLine, type Email, isView, type KeyPrincipal,
  type MemberPrincipal, type Principal, type Role, ROLES, type Scope, SCOPES, type System, SYSTEM, UNGUARDED_ACTS,
} from './kernel/actor.js'
export {
  type ActDeps, type Acting, type Auditing, type AuditLog, type AuditQuery, checkView, type Consequences, type Described, perform,
} from './access/acting.js'
export {
  type ChooseLanguage, type EndSessions, type FindChangedWatchers, type InviteMember, type InviteMemberError, type ListInvitations,
  type ListMembers, type ListMembersCommand, type ListSessions, type MembershipUseCases, type MemberUseCases, type RemoveMember,
  type RemoveMemberError, type Watcher,
} from './access/member-use-cases.js'
export type { FirstLink, PeekLink, SetPassword, SetPasswordError, TakeLink } from './access/links.js'
export type { GuardablePorts } from './guarded-ports.js'
export {
  type AccessPorts, type AdministrationPorts, type ApiPorts, type AllStoragePorts, type EndpointCalls, type EventPorts, type FilePorts,
  guardPorts, type OperatorPorts, type OptionalPort, type Ports, type ReadingPorts, readsOf, type ReadingApart, type RequestPorts,
  type AlertPorts, type AppPorts, type BatchPorts, type ConsentPorts, type DeadlinePorts, type NumberPorts, type OptionalStoragePorts,
  type PairLimitPorts, type PortfolioBudgetPorts, type QueueHoldPorts, type QueuePorts,
  type SenderBudgetPorts, type SendingPorts, type SharedHoldPorts, type Storage, STORAGE_PORTS, type StorageName, type StoragePorts,
  type StoredPorts, type TemplateResultPorts, withReading,
} from './ports.js'
export {
  type Administration, type Clocks, type ConversationUseCases, type Files, makeAdministration, makeConversation,
  makeEvents, makeMembers, makePostern, makeQuotes, makeSending, makeTemplateReading, type Postern, type Quotes, type Sending,
  type Settling, type TemplateReading, type NumberReadings,
} from './postern.js'
export { type BatchesOfWorkspace, type Batching, type BatchingSettings, makeBatching } from './batching.js'
export { type Api, makeApi } from './api.js'
export type { AdministrationSettings, Machine, SendingSettings, Settings } from './settings.js'
export {
  type NewSpan, parseTraceContext, type Span, type SpanAttributes, type SpanKind, type TraceContext, type Traced, type Tracer,
  type TracingDeps,
} from './kernel/tracing.js'
