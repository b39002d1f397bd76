/**
 * Postern's core: the use cases, the rules they keep, and the ports they need.
 *
 * @packageDocumentation
 */
export {
  makeAdjustWallet, type AdjustWallet, type AdjustWalletCommand, type AdjustWalletDeps, type AdjustWalletError,
} from './use-cases/adjust-wallet.js'
export {
  makeArchiveWorkspace, type ArchiveWorkspace, type ArchiveWorkspaceCommand, type ArchiveWorkspaceDeps, type ArchiveWorkspaceError,
} from './use-cases/archive-workspace.js'
export {
  makeAssignSender, type AssignSender, type AssignSenderCommand, type AssignSenderDeps, type AssignSenderError,
} from './use-cases/assign-sender.js'
export {
  makeCreateWorkspace, type CreateWorkspace, type CreateWorkspaceCommand, type CreateWorkspaceDeps, type CreateWorkspaceError,
  type CurrencyNotPriced, type NameTaken,
} from './use-cases/create-workspace.js'
export { makeFindMessage, type FindMessage, type FindMessageDeps, type FindMessageError, type NoSuchMessage } from './use-cases/find-message.js'
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
export {
  makeResolveMessage, type NotUnconfirmed, type ResolveMessage, type ResolveMessageCommand, type ResolveMessageDeps, type ResolveMessageError,
} from './use-cases/resolve-message.js'
export { makeRevokeKey, type RevokeKey, type RevokeKeyCommand, type RevokeKeyDeps, type RevokeKeyError } from './use-cases/revoke-key.js'
export {
  makeSyncTemplates, type SyncedTemplates, type SyncTemplates, type SyncTemplatesCommand, type SyncTemplatesDeps, type SyncTemplatesError,
} from './use-cases/sync-templates.js'
export { makeTopUp, type TopUp, type TopUpCommand, type TopUpDeps, type TopUpError } from './use-cases/top-up.js'
export { MAX_NAME_LENGTH, MAX_NOTE_LENGTH, parseName, parseNote } from './name.js'
export { parseReference } from './reference.js'
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
export type { Placeholder } from './placeholder.js'
export { placeholdersOf } from './template-placeholders.js'
export { previewOf, type TemplatePreview } from './template-preview.js'
export { nearestNames } from './nearest-names.js'
export {
  type ChangedPart, changedTemplate, isApproved, isCatalogued, isGone, isSendable, listedTemplate, type Template, type TemplateChange,
  type TemplateRecord,
} from './template.js'
export { templateCursor, type TemplatePlace, templatePlace } from './template-cursor.js'
export { countryOf, parseUserId, type UserId } from './user-id.js'
export { makeListMessages, type ListMessages, type ListMessagesDeps, type ListMessagesQuery } from './use-cases/list-messages.js'
export { makeMarkRead, type MarkRead, type MarkReadCommand, type MarkReadDeps, type MarkReadError } from './use-cases/mark-read.js'
export { makeOpenMedia, type OpenMedia, type OpenMediaCommand, type OpenMediaDeps, type OpenMediaError } from './use-cases/open-media.js'
export { makeShowCustomer, type ShowCustomer, type ShowCustomerDeps, type ShownCustomer } from './use-cases/show-customer.js'
export type { CustomerReport, CustomerReportDeps, IdsChanged, MarketingPreference, NumberShared } from './use-cases/customer-report.js'
export { quotedRate, type FreeMessageDeps, type RateOfSender } from './use-cases/free-message.js'
export type { DeliverCommand, DeliverDeps, DeliverError } from './use-cases/deliver.js'
export { makeListTemplates, type ListTemplates, type ListTemplatesDeps } from './use-cases/list-templates.js'
export type { PreflightDeps, PreflightRefusal } from './use-cases/preflight.js'
export type { PrepareDeps, PrepareError, PrepareTemplateError, PrepareTextError } from './use-cases/prepare.js'
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
  type BalanceOutOfRange, type BusinessAccountNotConfigured, type CredentialsRefused, type CustomerOptedOut, type IdempotencyInProgress,
  type IdempotencyKeyReused, type InsufficientBalance, type MediaGone, type NotYetKnown, type OutcomeUnknown, type PhoneNumberRequired, type PlatformError,
  type PlatformRejected, type PlatformThrottled, type PlatformUnanswered, type PlatformUnreachable, type PortFailure, portFailure,
  type RangeNotSatisfiable, type ReferenceReused, type SenderNotConfigured, type SenderTaken, type TemplateNotApproved, type TemplateNotFound,
  type TemplateParameters, type UnknownApiKey, type UnknownWorkspace, type WindowClosed, type WithMessageId,
} from './errors.js'
export { ENTRY_KINDS, type EntryKind, HOLD_STATES, type HoldState, type HoldStep, stepHold } from './hold.js'
export { claimStands, type IdempotencyKey, KEY_KEPT_MS, parseIdempotencyKey } from './idempotency.js'
export type { Json, JsonObject } from './json.js'
export {
  type Accepted, DEFAULT_LANGUAGE, isMessageId, MAX_TEMPLATE_NAME_LENGTH, MAX_TEXT_LENGTH, type Message, type MessageId, messageIdOf,
  type NewTemplateMessage, type PlatformId, type Sent, type TemplateMessage, type TextMessage,
} from './message.js'
export {
  type AppliedChange, appliedChange, applyChange, type HistoryEntry, MESSAGE_KINDS, type MessageKind, type MessageProgress,
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
  type Inbound, makeReceive, type Receive, type ReceiveDeps, type ReceiveError, type Report, type ReportOutcome,
} from './use-cases/receive.js'
export type { StatusOutcome, StatusReport, StatusReportDeps } from './use-cases/status-report.js'
export { makeReconcile, type Reconcile, type Reconciled, type ReconcileDeps } from './use-cases/reconcile.js'
export type { ReplayDeps, ReplayError } from './use-cases/replay.js'
export type { ReserveDeps, ReserveError } from './use-cases/reserve.js'
export {
  makeSendTemplate, type SendTemplate, type SendTemplateCommand, type SendTemplateDeps, type SendTemplateError,
} from './use-cases/send-template.js'
export { makeSendText, type SendText, type SendTextCommand, type SendTextDeps, type SendTextError } from './use-cases/send-text.js'
export type { RecordChangeDeps, RetryLater, SettleDeps } from './use-cases/settle.js'
export type { PermitDeps } from './use-cases/with-permit.js'
export { parsePhoneNumber, parseWrittenPhoneNumber, type PhoneNumber, variantsOf } from './phone-number.js'
export { type Clock, DAY_MS, HOUR_MS, type Instant, MINUTE_MS, monthOf, SECOND_MS } from './time.js'
export {
  balanceView, type BalanceView, type CustomerView, customerView, type EntryView, entryView, messageView, type MessageView, type PreviewView,
  quoteView, type QuoteView, templateView, type TemplateView, windowView, type WindowView,
} from './views.js'
export { closesAt, type InboundMark, isOpen, lastInboundOf, markInbound, WINDOW_MS, type WindowDeps } from './window.js'
export { isWorkspaceId, type NewWorkspace, parseWorkspaceName, type Workspace, type WorkspaceId, workspaceIdOf } from './workspace.js'
export type { AccountNotices } from './ports/account-notices.js'
export type { Admission, Permit } from './ports/admission.js'
export { type ByteRange, MEDIA_TYPES, type MediaId, parseMediaId, UNKNOWN_MEDIA_TYPE } from './media.js'
export type { Conversation, ConversationError, Media, MediaError, ReadMark, WantedMedia } from './ports/conversation.js'
export type { ApiKey, KeyStore, MintedKey } from './ports/key-store.js'
export type { Adjustment, Audit, Credit, Entry, Finding, Ledger } from './ports/ledger.js'
export type { Customers } from './ports/customers.js'
export type { FreeMessages, FreeTaking, TakenBy } from './ports/free-messages.js'
export { isListed } from './ports/message-log.js'
export type {
  Claim, Claimed, Draft, MessageFilters, MessageLog, MessageQuery, MessageRef, MessagesTo, Opening, Recategorised, StaleMessage, StaleQuery,
} from './ports/message-log.js'
export type { Outbound, Platform } from './ports/platform.js'
export type { Sender, SenderAccount, Senders } from './ports/senders.js'
export type { StoragePorts } from './ports/storage.js'
export type { NamedTemplates, TemplateCatalogue, TemplateQuery } from './ports/template-catalogue.js'
export type { TemplateAccount, TemplateSource, TemplateSourceError } from './ports/template-source.js'
export type { MoveHold, NewHold, StaleHold, Wallet } from './ports/wallet.js'
export type { WindowClock } from './ports/window-clock.js'
export type { Workspaces } from './ports/workspaces.js'
export type {
  InvalidAccessToken, InvalidAccountId, InvalidAmount, InvalidIdempotencyKey, InvalidName, InvalidNote, InvalidPhoneNumber,
  InvalidReference,
} from './invalid.js'
export { apiKeyIdIn, apiKeyOf, isApiKeyId, KEY_ID_BYTES, KEY_SECRET_BYTES } from './api-key.js'
export { type KeyPrincipal, type Scope, SCOPES } from './principal.js'
