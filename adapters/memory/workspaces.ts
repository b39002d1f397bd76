import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { pageOf } from '../../core/kernel/page.js'
import type { MakeOutboxEntries } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import type { NewWorkspace, UnknownWorkspace, Workspace, Workspaces } from '../../core/kernel/workspace.js'
import type { Pricing, WorkspacePricing } from '../../core/money/pricing.js'
import { type AccountNotice, type AccountNotices, NOTICES_KEPT, supersedes } from '../../core/reports/account.js'
import type { Sender, SenderId, SenderNotConfigured, Senders, SenderTaken } from '../../core/senders/sender.js'
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

/** The sender of each workspace, and the workspace of each sender by its phone number id. */
export type SenderState = { readonly senders: Map<WorkspaceId, Sender>; readonly owners: Map<string, WorkspaceId> }

/** The senders in memory, of the existing workspaces. Nothing is stored on disk here, so their tokens are not encrypted. */
export const makeMemorySenders = (
  workspaces: ReadonlyMap<WorkspaceId, Pick<Workspace, 'archivedAt'>>, events: EventState = openEventState(),
  { senders, owners }: SenderState = { senders: new Map(), owners: new Map() },
): Senders => {
  const isUsed = (workspace: WorkspaceId): boolean => workspaces.get(workspace)?.archivedAt === undefined
  const isSharing = ([workspace, { accountRefusedSince }]: readonly [WorkspaceId, Sender]): boolean =>
    isUsed(workspace) && accountRefusedSince === undefined
  const sendingThrough = (accountId: string, wanted: (one: readonly [WorkspaceId, Sender]) => boolean): ReadonlyArray<WorkspaceId> =>
    [...senders].filter((one) => one[1].businessAccountId === accountId && wanted(one)).map(([workspace]) => workspace).sort()
  return {
    senderOf: (workspace) => infallible(() => O.fromNullable(senders.get(workspace))),
    workspaceOf: (phoneNumberId) => infallible(() => O.fromNullable(owners.get(phoneNumberId))),
    accounts: () =>
      infallible(() => {
        const named = new Set([...senders.values()].flatMap(({ businessAccountId }) => businessAccountId ?? []))
        return [...named].flatMap((accountId) => {
          const [workspace] = [...sendingThrough(accountId, isSharing), ...sendingThrough(accountId, ([one]) => isUsed(one))]
          return workspace === undefined ? [] : [{ accountId, workspace }]
        })
      }),
    sharing: (accountId) => infallible(() => sendingThrough(accountId, isSharing)),
    notSharing: (accountId) => infallible(() => sendingThrough(accountId, (one) => !isSharing(one))),
    assign: (workspace, { failingSince: _failing, accountRefusedSince: _refused, ...sender }, outboxEntries) =>
      atomic((): E.Either<SenderTaken | UnknownWorkspace, void> => {
        if (!workspaces.has(workspace)) return E.left({ _tag: 'UnknownWorkspace' })
        if ((owners.get(sender.phoneNumberId) ?? workspace) !== workspace) return E.left({ _tag: 'SenderTaken' })
        const before = senders.get(workspace)
        if (before !== undefined) owners.delete(before.phoneNumberId)
        owners.set(sender.phoneNumberId, workspace)
        const same = before?.phoneNumberId === sender.phoneNumberId ? before : undefined
        const { marketingApi = same?.marketingApi ?? false, ...given } = sender
        senders.set(workspace, {
          ...given, ...(marketingApi && { marketingApi }), ...(same?.failingSince !== undefined && { failingSince: same.failingSince }),
        })
        if (outboxEntries !== undefined) storeEvents(events, outboxEntries(workspace))
        return E.right(undefined)
      }),
    remove: (workspace, outboxEntries) =>
      atomic((): E.Either<SenderNotConfigured, SenderId> => {
        const sender = senders.get(workspace)
        if (sender === undefined) return E.left({ _tag: 'SenderNotConfigured' })
        senders.delete(workspace)
        owners.delete(sender.phoneNumberId)
        if (outboxEntries !== undefined) storeEvents(events, outboxEntries(sender.phoneNumberId))
        return E.right(sender.phoneNumberId)
      }),
    noteHealth: (workspace, isFailing, at, outboxEntries) =>
      infallible(() => {
        const sender = senders.get(workspace)
        if (sender === undefined || isFailing === (sender.failingSince !== undefined)) return false
        const { failingSince = at, ...healthy } = sender
        senders.set(workspace, isFailing ? { ...healthy, failingSince } : healthy)
        if (outboxEntries !== undefined) storeEvents(events, outboxEntries({ phoneNumberId: sender.phoneNumberId, failingSince }))
        return true
      }),
    noteAccount: (workspace, asked, isRefused, at) =>
      infallible(() => {
        const sender = senders.get(workspace)
        if (sender === undefined || isRefused === (sender.accountRefusedSince !== undefined)) return false
        if (sender.businessAccountId !== asked.businessAccountId || sender.accessToken !== asked.accessToken) return false
        const { accountRefusedSince: _since, ...allowed } = sender
        senders.set(workspace, isRefused ? { ...allowed, accountRefusedSince: at } : allowed)
        return true
      }),
  }
}

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
