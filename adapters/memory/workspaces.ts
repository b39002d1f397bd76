import { randomUUID } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type InboxId, inboxIdOf, type WorkspaceId } from '../../core/kernel/ids.js'
import { pageOf } from '../../core/kernel/page.js'
import type { MakeOutboxEntries } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import type { NewWorkspace, UnknownWorkspace, Workspace, Workspaces } from '../../core/kernel/workspace.js'
import type { Pricing, WorkspacePricing } from '../../core/money/pricing.js'
import { type AccountNotice, type AccountNotices, NOTICES_KEPT, supersedes } from '../../core/reports/account.js'
import {
  type AssignFailure, FORMER_ID_MS, type ListedSender, MAX_SENDERS, type NoSuchApp, type ReplaceFailure, type Sender, type SenderId,
  senderInUse, type SenderInUse, type SenderOf, type SenderOwner, type Senders, type UnknownSender,
} from '../../core/senders/sender.js'
import {
  type CatalogueState, faultedState, listedState, NEVER_LISTED, type TemplateCatalogue, templateCursor, templatePlace, type TemplatePlace,
} from '../../core/templates/catalogue.js'
import {
  changedTemplate, hasChanged, isCatalogued, isGone, listedTemplate, type Template, type TemplateDiff, type TemplateRecord,
} from '../../core/templates/template.js'
import { type Accounts, openAccount } from './accounts.js'
import { type EventState, openEventState, storeEvents } from './events.js'
import { atomic, infallible } from './kernel.js'

/** The workspaces in memory, each with its account. */
export const makeMemoryWorkspaces = (
  all: Map<WorkspaceId, Workspace>, accounts: Accounts, events: EventState = openEventState(),
): Workspaces => ({
  create: ({ id, name, currency, createdAt }: NewWorkspace, outboxEntries) =>
    infallible(() => {
      if (all.has(id)) return
      all.set(id, { id, name, currency, createdAt })
      accounts.set(id, openAccount(currency))
      if (outboxEntries !== undefined) storeEvents(events, outboxEntries({ id, name, currency, createdAt }))
    }),
  find: (id) => infallible(() => O.fromNullable(all.get(id))),
  named: (name) => infallible(() => oldestFirst([...all.values()].filter((workspace) => workspace.name === name))),
  list: () => infallible(() => oldestFirst([...all.values()])),
  rename: (id, name, outboxEntries) => change({ all, events }, id, (workspace) => ({ ...workspace, name }), outboxEntries),
  archive: (id, at, outboxEntries) =>
    change({ all, events }, id, (workspace) => ({ ...workspace, archivedAt: workspace.archivedAt ?? at }), outboxEntries),
})

const oldestFirst = (workspaces: ReadonlyArray<Workspace>): ReadonlyArray<Workspace> =>
  workspaces.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))

type Kept = { readonly all: Map<WorkspaceId, Workspace>; readonly events: EventState }

const change = (
  { all, events }: Kept, id: WorkspaceId, to: (workspace: Workspace) => Workspace,
  outboxEntries: MakeOutboxEntries<WorkspaceId> | undefined,
): Promise<E.Either<UnknownWorkspace, void>> =>
  atomic(() => {
    const workspace = all.get(id)
    if (workspace === undefined) return E.left({ _tag: 'UnknownWorkspace' })
    all.set(id, to(workspace))
    if (outboxEntries !== undefined) storeEvents(events, outboxEntries(id))
    return E.right(undefined)
  })

/** How the workspaces in memory are priced. */
export const makeMemoryWorkspacePricing = (
  workspaces: ReadonlyMap<WorkspaceId, unknown>, events: EventState = openEventState(), pricings = new Map<WorkspaceId, Pricing>(),
): WorkspacePricing => ({
  pricingOf: (workspace) => infallible(() => O.fromNullable(pricings.get(workspace))),
  setPricing: (workspace, pricing, outboxEntries) =>
    atomic((): E.Either<UnknownWorkspace, void> => {
      if (!workspaces.has(workspace)) return E.left({ _tag: 'UnknownWorkspace' })
      if (pricing === undefined) pricings.delete(workspace)
      else pricings.set(workspace, pricing)
      if (outboxEntries !== undefined) storeEvents(events, outboxEntries(workspace))
      return E.right(undefined)
    }),
})

/** A sender, its workspace and its inbox. */
export type StoredSender = {
  readonly workspace: WorkspaceId; readonly inbox: InboxId; readonly isDefault: boolean; readonly sender: Sender
}

/** A sender that a workspace had: removed, or under another id since its number moved. */
export type FormerSender = Omit<StoredSender, 'sender' | 'isDefault'> & {
  readonly phoneNumberId: SenderId; readonly successor: SenderId | undefined; readonly removedAt: Instant
}

/** The senders by their phone number ids, and those that workspaces had. */
export type SenderState = { readonly senders: Map<SenderId, StoredSender>; readonly former: Map<string, FormerSender> }

/** How many messages of a sender are queued for numbers, queued for user ids, and of unknown outcome. */
export type Underway = { readonly toNumbers: number; readonly toUserIds: number; readonly unknown: number }

/** What belongs to senders in other parts of a storage: the messages of unknown outcome, and the records of customers. */
export type SenderData = {
  readonly underWay: (of: SenderOf, inbox: InboxId) => Underway
  /** Moves what is queued for numbers to another sender; what is queued for user ids is due at the given time. */
  readonly moveQueued: (of: SenderOf, to: SenderId, at: Instant) => void
  /** The number of its batches that are neither done nor canceled. */
  readonly batches: (of: SenderOf) => number
  readonly moveBatches: (of: SenderOf, to: SenderId) => void
  readonly forgetUserIds: (inbox: InboxId, at: Instant) => void
  /** Whether an app has this id. */
  readonly hasApp: (app: string) => boolean
}

const NO_DATA: SenderData = {
  underWay: () => ({ toNumbers: 0, toUserIds: 0, unknown: 0 }), moveQueued: () => undefined, batches: () => 0,
  moveBatches: () => undefined, forgetUserIds: () => undefined, hasApp: () => true,
}

/** The senders of a workspace: its default sender, then the others by their ids. */
export const sendersIn = ({ senders }: Pick<SenderState, 'senders'>, workspace: WorkspaceId): ReadonlyArray<StoredSender> =>
  [...senders.values()].filter((one) => one.workspace === workspace).sort((a, b) =>
    Number(b.isDefault) - Number(a.isDefault) || (a.sender.phoneNumberId < b.sender.phoneNumberId ? -1 : 1))

/** Every inbox of a workspace. */
export const inboxesIn = (state: SenderState, workspace: WorkspaceId): ReadonlyArray<InboxId> => {
  const former = [...state.former.values()].filter((one) => one.workspace === workspace)
  const further = [...sendersIn(state, workspace), ...former].map(({ inbox }) => inbox).filter((inbox) => inbox !== workspace)
  return [workspace, ...[...new Set(further)].sort()]
}

const shown = ({ workspace, inbox, sender }: StoredSender, isDefault: boolean): Sender =>
  ({ ...sender, ...(isDefault && { isDefault }), ...(inbox !== workspace && { inbox }) })

const listed = ({ accessToken: _token, ...sender }: Sender): ListedSender => sender

/** The senders in memory, of the existing workspaces. Nothing is stored on disk here, so their tokens are not encrypted. */
export const makeMemorySenders = (
  workspaces: ReadonlyMap<WorkspaceId, Pick<Workspace, 'archivedAt'>>, events: EventState = openEventState(),
  state: SenderState = { senders: new Map(), former: new Map() },
  data: SenderData = NO_DATA,
): Senders => {
  const { senders, former } = state
  const isUsed = (workspace: WorkspaceId): boolean => workspaces.get(workspace)?.archivedAt === undefined
  const isSharing = ({ workspace, sender }: StoredSender): boolean => isUsed(workspace) && sender.accountRefusedSince === undefined
  const sendingThrough = (accountId: string, wanted: (one: StoredSender) => boolean): ReadonlyArray<SenderOf> =>
    [...senders.values()].filter((one) => one.sender.businessAccountId === accountId && wanted(one))
      .map(({ workspace, sender: { phoneNumberId: sender } }) => ({ workspace, sender }))
      .sort((a, b) => (a.workspace === b.workspace ? a.sender < b.sender : a.workspace < b.workspace) ? -1 : 1)
  const storedOf = ({ workspace, sender }: SenderOf): StoredSender | undefined => {
    const stored = senders.get(sender)
    return stored?.workspace === workspace ? stored : undefined
  }
  const store = (stored: StoredSender): void => void senders.set(stored.sender.phoneNumberId, stored)
  const emit = <A>(outboxEntries: MakeOutboxEntries<A> | undefined, value: A): void => {
    if (outboxEntries !== undefined) storeEvents(events, outboxEntries(value))
  }
  const setDefault = (workspace: WorkspaceId, sender: SenderId): void => {
    for (const one of sendersIn(state, workspace)) store({ ...one, isDefault: one.sender.phoneNumberId === sender })
  }
  /** After a removal no sender is marked as the default, so one with a lower id would replace it. */
  const keepDefault = (workspace: WorkspaceId): void => {
    const [first] = sendersIn(state, workspace)
    if (first !== undefined) setDefault(workspace, first.sender.phoneNumberId)
  }
  const noAppOf = ({ app }: Pick<Sender, 'app'>): NoSuchApp | undefined =>
    (app === undefined || data.hasApp(app) ? undefined : { _tag: 'NoSuchApp', named: app })
  const formerKey = (workspace: WorkspaceId, phoneNumberId: SenderId): string => `${workspace} ${phoneNumberId}`
  const keepFormer = (
    { workspace, inbox, sender: { phoneNumberId } }: StoredSender, successor: SenderId | undefined, removedAt: Instant,
  ): void => {
    former.set(formerKey(workspace, phoneNumberId), { workspace, inbox, phoneNumberId, successor, removedAt })
  }
  /** The inbox that the number had in this workspace, or the workspace's own if no other number has had it, or a new one. */
  const inboxFor = (workspace: WorkspaceId, phoneNumberId: SenderId): InboxId => {
    const own = former.get(formerKey(workspace, phoneNumberId))
    const isUsedInbox = [...sendersIn(state, workspace), ...[...former.values()].filter((one) => one.workspace === workspace)]
      .some(({ inbox }) => inbox === workspace)
    former.delete(formerKey(workspace, phoneNumberId))
    if (own !== undefined && own.successor === undefined) return own.inbox
    return isUsedInbox ? inboxIdOf(`in_${randomUUID().replaceAll('-', '')}`) : workspace
  }
  return {
    senderOf: (workspace, named) => infallible(() => {
      const [first, ...others] = sendersIn(state, workspace)
      const found = named === undefined ? first : [first, ...others].find((one) => one?.sender.phoneNumberId === named)
      return found === undefined ? O.none : O.some(shown(found, found === first))
    }),
    sendersOf: (workspace) => infallible(() => sendersIn(state, workspace).map((one, index) => listed(shown(one, index === 0)))),
    formerIdsOf: ({ workspace, sender }) => infallible(() =>
      [...former.values()].filter((one) => one.workspace === workspace && one.successor === sender)
        .sort((a, b) => a.removedAt - b.removedAt || (a.phoneNumberId < b.phoneNumberId ? -1 : 1))
        .map(({ phoneNumberId }) => phoneNumberId)),
    inboxesOf: (workspace) => infallible(() => inboxesIn(state, workspace)),
    ownerOf: (phoneNumberId, at) => infallible((): O.Option<SenderOwner> => {
      const stored = senders.get(phoneNumberId)
      if (stored !== undefined) return O.some(ownerIn(stored))
      const [latest] = [...former.values()].filter((one) => one.phoneNumberId === phoneNumberId && at - one.removedAt < FORMER_ID_MS)
        .sort((a, b) => b.removedAt - a.removedAt)
      const successor = latest?.successor && storedOf({ workspace: latest.workspace, sender: latest.successor })
      return successor === undefined ? O.none : O.some({ ...ownerIn(successor), isFormer: true })
    }),
    accounts: () =>
      infallible(() => {
        const named = new Set([...senders.values()].flatMap(({ sender: { businessAccountId } }) => businessAccountId ?? []))
        return [...named].flatMap((accountId) => {
          const [first] = [...sendingThrough(accountId, isSharing), ...sendingThrough(accountId, ({ workspace }) => isUsed(workspace))]
          return first === undefined ? [] : [{ accountId, ...first }]
        })
      }),
    sharing: (accountId) => infallible(() => sendingThrough(accountId, isSharing)),
    notSharing: (accountId) => infallible(() => sendingThrough(accountId, (one) => !isSharing(one))),
    assign: (workspace, { isDefault: makeDefault, ...given }, outboxEntries) =>
      atomic((): E.Either<AssignFailure, void> => {
        const noApp = noAppOf(given)
        if (noApp !== undefined) return E.left(noApp)
        if (!workspaces.has(workspace)) return E.left({ _tag: 'UnknownWorkspace' })
        keepDefault(workspace)
        const same = senders.get(given.phoneNumberId)
        if (same !== undefined && same.workspace !== workspace) return E.left({ _tag: 'SenderTaken' })
        const others = sendersIn(state, workspace).filter((one) => one !== same)
        if (same === undefined && others.length >= MAX_SENDERS) return E.left({ _tag: 'TooManySenders' })
        const inbox = same?.inbox ?? inboxFor(workspace, given.phoneNumberId)
        store({
          workspace, inbox, isDefault: same?.isDefault ?? others.length === 0,
          sender: storedSender(
            { ...given, marketingApi: given.marketingApi ?? same?.sender.marketingApi ?? false }, same?.sender.failingSince,
          ),
        })
        if (makeDefault) setDefault(workspace, given.phoneNumberId)
        emit(outboxEntries, workspace)
        return E.right(undefined)
      }),
    makeDefault: ({ workspace, sender }, outboxEntries) =>
      atomic((): E.Either<UnknownSender, void> => {
        const stored = storedOf({ workspace, sender })
        if (stored === undefined) return E.left({ _tag: 'UnknownSender', sender })
        if (sendersIn(state, workspace)[0] === stored) return E.right(undefined)
        setDefault(workspace, sender)
        emit(outboxEntries, sender)
        return E.right(undefined)
      }),
    remove: (of, outboxEntries) =>
      atomic((): E.Either<UnknownSender | SenderInUse, void> => {
        const stored = storedOf(of)
        if (stored === undefined) return E.left({ _tag: 'UnknownSender', sender: of.sender })
        const { toNumbers, toUserIds, unknown } = data.underWay(of, stored.inbox)
        const inUse = senderInUse(toNumbers + toUserIds + unknown, data.batches(of))
        if (inUse !== undefined) return E.left(inUse)
        senders.delete(of.sender)
        keepFormer(stored, undefined, 0)
        emit(outboxEntries, of.sender)
        return E.right(undefined)
      }),
    replace: (of, by, at, outboxEntries) =>
      atomic((): E.Either<ReplaceFailure, void> => {
        const noApp = noAppOf(by)
        if (noApp !== undefined) return E.left(noApp)
        keepDefault(of.workspace)
        const stored = storedOf(of)
        if (stored === undefined) return E.left({ _tag: 'UnknownSender', sender: of.sender })
        if (by.phoneNumberId !== of.sender && senders.has(by.phoneNumberId)) return E.left({ _tag: 'SenderTaken' })
        const isMoved = by.phoneNumberId !== of.sender
        const { toUserIds, unknown } = data.underWay(of, stored.inbox)
        const inUse = senderInUse(unknown + (isMoved ? 0 : toUserIds))
        if (inUse !== undefined) return E.left(inUse)
        const { isDefault: _isDefault, ...given } = by
        const isDefault = sendersIn(state, of.workspace)[0] === stored
        senders.delete(of.sender)
        store({ ...stored, isDefault, sender: storedSender({ ...given, marketingApi: given.marketingApi ?? false }, undefined) })
        data.forgetUserIds(stored.inbox, at)
        if (isMoved) {
          data.moveQueued(of, by.phoneNumberId, at)
          data.moveBatches(of, by.phoneNumberId)
          for (const [key, one] of former) {
            if (one.workspace === of.workspace && one.successor === of.sender) former.set(key, { ...one, successor: by.phoneNumberId })
          }
          keepFormer(stored, by.phoneNumberId, at)
        }
        emit(outboxEntries, of.sender)
        return E.right(undefined)
      }),
    moveLate: (of, at) => infallible(() => {
      const to = former.get(formerKey(of.workspace, of.sender))?.successor
      if (to === undefined || storedOf({ ...of, sender: to }) === undefined) return false
      data.moveQueued(of, to, at)
      return true
    }),
    noteHealth: (of, isFailing, at, outboxEntries) =>
      infallible(() => {
        const stored = storedOf(of)
        if (stored === undefined || isFailing === (stored.sender.failingSince !== undefined)) return false
        const { failingSince = at, ...healthy } = stored.sender
        store({ ...stored, sender: isFailing ? { ...healthy, failingSince } : healthy })
        emit(outboxEntries, { phoneNumberId: of.sender, failingSince })
        return true
      }),
    noteAccount: (of, asked, isRefused, at) =>
      infallible(() => {
        const stored = storedOf(of)
        if (stored === undefined || isRefused === (stored.sender.accountRefusedSince !== undefined)) return false
        if (stored.sender.businessAccountId !== asked.businessAccountId || stored.sender.accessToken !== asked.accessToken) return false
        const { accountRefusedSince: _since, ...allowed } = stored.sender
        store({ ...stored, sender: isRefused ? { ...allowed, accountRefusedSince: at } : allowed })
        return true
      }),
  }
}

const storedSender = (
  { marketingApi, inbox: _inbox, failingSince: _failing, accountRefusedSince: _refused, isDefault: _default, ...sender }: Sender,
  failingSince: Instant | undefined,
): Sender => ({ ...sender, ...(marketingApi === true && { marketingApi }), ...(failingSince !== undefined && { failingSince }) })

const ownerIn = ({ workspace, inbox, sender: { phoneNumberId, app } }: StoredSender): SenderOwner =>
  ({ workspace, inbox, sender: phoneNumberId, ...(app !== undefined && { app }) })

/** The notices of accounts, in memory. */
export const makeMemoryAccountNotices = (accounts = new Map<string, ReadonlyArray<AccountNotice>>()): AccountNotices => {
  return {
    record: (notice) =>
      infallible(() => {
        const kept = accounts.get(notice.accountId) ?? []
        const isSame = ({ field, subject }: AccountNotice): boolean => field === notice.field && subject === notice.subject
        if (!supersedes(notice, kept.find(isSame))) return
        const others = kept.filter((one) => !isSame(one))
        accounts.set(notice.accountId, [notice, ...others].sort((a, b) => b.at - a.at).slice(0, NOTICES_KEPT))
      }),
    latest: (accountId) => infallible(() => accounts.get(accountId) ?? []),
  }
}

/** The catalogue of templates, in memory. */
export const makeMemoryTemplateCatalogue = (
  events: EventState = openEventState(), accounts = new Map<string, CataloguedAccount>(),
): TemplateCatalogue => {
  const storeChanges = (
    before: ReadonlyMap<string, TemplateRecord>, after: ReadonlyMap<string, TemplateRecord>, outboxEntries: AlongTemplates | undefined,
  ): void => {
    if (outboxEntries === undefined) return
    const changed = [...after].flatMap(([place, record]) => {
      const known = before.get(place)
      return known !== undefined && hasChanged({ before: known, after: record }) ? [{ before: known, after: record }] : []
    })
    if (changed.length > 0) storeEvents(events, outboxEntries(changed))
  }
  const accountOf = (accountId: string): CataloguedAccount => accounts.get(accountId) ?? { templates: new Map(), state: NEVER_LISTED }
  return {
    find: (accountId, name) =>
      infallible(() => {
        const { templates, state: { listedAt } } = accountOf(accountId)
        return { templates: inOrder(templates, (record) => record.name === name), listedAt }
      }),
    list: (accountId, { name, cursor, limit }) =>
      infallible(() => {
        const after = cursor === undefined ? undefined : templatePlace(cursor)
        const isListed = (record: TemplateRecord): boolean =>
          (name === undefined || record.name === name) && (after === undefined || byPlace(record, after) > 0)
        return pageOf(inOrder(accountOf(accountId).templates, isListed), limit, templateCursor)
      }),
    names: (accountId) =>
      infallible(() => [...new Set([...accountOf(accountId).templates.values()].map(({ name }) => name))].sort(byBytes)),
    replaceAll: (accountId, listed, at, outboxEntries) =>
      infallible(() => {
        const { templates, state } = accountOf(accountId)
        if (at < (state.listedAt ?? at)) return
        const after = replaced(templates, () => true, listed, at)
        accounts.set(accountId, { templates: after, state: listedState(state, at) })
        storeChanges(templates, after, outboxEntries)
      }),
    replaceNamed: (accountId, name, listed, at, outboxEntries) =>
      infallible(() => {
        const { templates, state } = accountOf(accountId)
        if (at < (state.listedAt ?? at)) return
        const after = replaced(templates, (template) => template.name === name, listed, at)
        accounts.set(accountId, { templates: after, state })
        storeChanges(templates, after, outboxEntries)
      }),
    change: (accountId, change, outboxEntries) =>
      infallible(() => {
        const { templates } = accountOf(accountId)
        const [place, before] = [templateCursor(change), templates.get(templateCursor(change))]
        if (before === undefined) return false
        const after = changedTemplate(before, change)
        templates.set(place, after)
        storeChanges(new Map([[place, before]]), new Map([[place, after]]), outboxEntries)
        return true
      }),
    noteFault: (accountId, sentence, at) =>
      infallible(() => {
        const { templates, state } = accountOf(accountId)
        accounts.set(accountId, { templates, state: faultedState(state, { sentence, at }) })
      }),
    stateOf: (accountId) => infallible(() => accountOf(accountId).state),
  }
}

type AlongTemplates = MakeOutboxEntries<ReadonlyArray<TemplateDiff>>

/** The known facts about the templates of a business account; the templates are in a map by their cursors. */
export type CataloguedAccount = { readonly templates: Map<string, TemplateRecord>; readonly state: CatalogueState }

/** The templates after a listing of those that `isMeant` selects. */
const replaced = (
  before: ReadonlyMap<string, TemplateRecord>, isMeant: (template: Template) => boolean, listed: ReadonlyArray<Template>, at: Instant,
): Map<string, TemplateRecord> => {
  const meant = listed.filter((template) => isCatalogued(template) && isMeant(template))
  const places = new Set(meant.map(templateCursor))
  const after = new Map([...before].filter(([place, record]) => !isMeant(record) || places.has(place) || !isGone(record, at)))
  for (const template of meant) after.set(templateCursor(template), listedTemplate(before.get(templateCursor(template)), template, at))
  return after
}

/** The templates that a condition selects, in their order. A send looks for one name, so the others are not sorted. */
const inOrder = (
  templates: ReadonlyMap<string, TemplateRecord>, isMeant: (record: TemplateRecord) => boolean,
): ReadonlyArray<TemplateRecord> =>
  [...templates.values()].filter(isMeant).sort(byPlace)

const byPlace = (a: TemplatePlace, b: TemplatePlace): number => byBytes(a.name, b.name) || byBytes(a.language, b.language)

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
