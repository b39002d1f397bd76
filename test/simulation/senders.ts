import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { CustomerId, UserId } from '../../core/customers/customer.js'
import type { AppId, WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import type { AllStoragePorts } from '../../core/ports.js'
import { type Sender, type SenderId, senderIdOf, type SenderOf } from '../../core/senders/sender.js'
import type { StorageCall } from './gateway.js'

/** A number through which a workspace sends. When it moves to another business account, it gets another id, and its customers get other user ids. */
export type SimulatedSender = {
  readonly workspace: WorkspaceId
  /** Stays the same when the number moves. */
  readonly name: string
  /** The app whose webhook reports on it; absent if it is the app of the environment. */
  readonly app: AppId | undefined
  /** Its ids at the platform, the current one last. */
  readonly ids: [SenderId, ...SenderId[]]
  /** The id by which the application names it: the one that the operator set last. */
  known: SenderId
  /** An operator is about to move or to remove it. */
  isChanging: boolean
}

/** The app of some senders. */
export const OTHER_APP = `app_${'1'.padStart(32, '0')}` as AppId

/** The business accounts of the senders. Each has its own templates. */
export const ACCOUNT = '900'
const OTHER_ACCOUNT = '901'

/** The id of a sender of a workspace: the name of the workspace, the number of the sender, and how often it has moved. */
export const senderId = (workspace: string, number: number, moves = 0): SenderId => senderIdOf(`${workspace}${number}${moves}`)

/** The id that the platform has for a sender now. */
export const idNow = ({ ids }: SimulatedSender): SenderId => ids.at(-1) ?? ids[0]

/** The id that the sender gets if it moves. */
export const nextIdOf = ({ ids: [first, ...others] }: SimulatedSender): SenderId => senderIdOf(`${first.slice(0, -1)}${others.length + 1}`)

/** The business account of an id: every second sender of a workspace begins in the other one, and each move leads to the other one. */
export const accountOf = (id: SenderId): string => ((Number(id.at(-2)) + Number(id.at(-1))) % 2 === 1 ? ACCOUNT : OTHER_ACCOUNT)

/** The platform account of an id, as an operator writes it. */
export const formOf = (id: SenderId, app: AppId | undefined): Sender =>
  ({ phoneNumberId: id, accessToken: 'simulated', businessAccountId: accountOf(id), ...(app !== undefined && { app }) })

/** The user id of one of two people at a sender. The senders of a workspace share their user ids until they move. */
export const userIdOf = (sender: SimulatedSender, person: 1 | 2): UserId =>
  `DE.${sender.ids.length === 1 ? sender.ids[0].slice(0, -2) : idNow(sender)}P${person}` as UserId

/** Whether a sender has a user id now. */
export const hasUserId = (sender: SimulatedSender, id: CustomerId): boolean => userIdOf(sender, 1) === id || userIdOf(sender, 2) === id

/** The senders that each workspace has, recorded next to the storage. */
export type Senders = {
  readonly all: ReadonlyArray<SimulatedSender>
  readonly find: (id: SenderId) => SimulatedSender | undefined
  /** The id through which a request goes now: the one that it names, if its workspace has it, or that of the default sender. */
  readonly chosen: (workspace: WorkspaceId, named: SenderId | undefined) => SenderId | undefined
  /** Whether a workspace has this id now. */
  readonly has: (id: SenderId) => boolean
  /** Since when a workspace has the sender of this id under another id. */
  readonly movedAt: (id: SenderId) => Instant | undefined
  /** A call has changed the senders of a workspace at a given time. */
  readonly onChange: (change: SenderChange, at: Instant) => void
}

/** A change of the senders of a workspace; `by` is the new id of a sender that has moved. */
export type SenderChange = SenderOf & { readonly method: ChangeMethod; readonly by: SenderId }

const CHANGES = ['assign', 'makeDefault', 'remove', 'replace'] as const
type ChangeMethod = (typeof CHANGES)[number]

/** The change that a call makes. */
export const changeBy = ({ port, method, args: [first, second] }: StorageCall): SenderChange | undefined => {
  const change = CHANGES.find((one) => port === 'senders' && one === method)
  const { phoneNumberId: by = senderIdOf('') } = (second ?? {}) as Partial<Sender>
  if (change === undefined) return undefined
  return { ...(change === 'assign' ? { workspace: first as WorkspaceId, sender: by } : first as SenderOf), method: change, by }
}

/** The answer of a call whose connection has failed: right if it has changed the senders of its workspace anyway. */
export const standing = async ({ senders }: Pick<AllStoragePorts, 'senders'>, call: StorageCall, answer: unknown): Promise<unknown> => {
  const change = changeBy(call)
  if (change === undefined) return answer
  const { workspace, sender, method, by } = change
  const found = await senders.senderOf(workspace, method === 'replace' ? by : method === 'makeDefault' ? undefined : sender)
  if (E.isLeft(found)) return answer
  const isThere = O.isSome(found.right) && (method !== 'makeDefault' || found.right.value.phoneNumberId === sender)
  return isThere === (method !== 'remove') ? E.right(undefined) : answer
}

/** Makes the record of the senders that workspaces have at the beginning: each its first one as the default, then the others by their ids. */
export const makeSenders = (all: ReadonlyArray<SimulatedSender>): Senders => {
  const [has, moved] = [new Map<WorkspaceId, ReadonlyArray<SenderId>>(), new Map<SenderId, Instant>()]
  for (const { workspace, known } of all) has.set(workspace, [...has.get(workspace) ?? [], known])
  return {
    all,
    find: (id) => all.find(({ ids }) => ids.includes(id)),
    chosen: (workspace, named) => has.get(workspace)?.find((id) => named === undefined || id === named),
    has: (id) => [...has.values()].some((ids) => ids.includes(id)),
    movedAt: (id) => moved.get(id),
    onChange: ({ workspace, sender, method, by }, at) => {
      const before = has.get(workspace) ?? []
      const others = before.filter((id) => id !== sender)
      const [first, ...rest] = {
        assign: before.includes(sender) ? before : [...before, sender], makeDefault: [sender, ...others], remove: others,
        replace: before.map((id) => (id === sender ? by : id)),
      }[method]
      has.set(workspace, first === undefined ? [] : [first, ...rest.toSorted()])
      if (method === 'replace') moved.set(sender, at)
    },
  }
}
