import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import type { CustomerId } from '../../../../core/customers/customer.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { InboxId, WorkspaceId } from '../../../../core/kernel/ids.js'
import type { SenderFilter } from '../../../../core/messages/message-log.js'
import { numberDigits } from '../../../../core/senders/number-health.js'
import { inboxOf, readableAccount, type SenderId, senderIdOf, type UnknownSender } from '../../../../core/senders/sender.js'
import type { ShownSender } from '../../../../core/senders/show-senders.js'
import type { ConsolePath } from '../../answer.js'
import type { UsesOf } from '../../gateway.js'
import { Icon } from '../../icons.js'
import type { InWorkspace } from '../../page.js'
import { ChoiceField } from '../../parts.js'
import { writeCustomerId } from '../../phone.js'
import { TEXTS } from '../../texts.js'

const { numbers: texts } = TEXTS

/** The numbers of a workspace, the default one first. */
export type Numbers = ReadonlyArray<ShownSender>

/** The dependency of pages that name numbers. */
export type NumbersDeps = Pick<UsesOf<'workspaces'>, 'showSenders'>

/**
 * Reads the numbers of a workspace, for pages that only name them. The list is empty if they cannot be read, for example after a change of `POSTERN_SECRET`; such a page then
 * shows everything else.
 */
export const readNumbers = async ({ showSenders }: NumbersDeps, workspace: WorkspaceId): Promise<Numbers> => {
  const shown = await showSenders(workspace)
  return E.isRight(shown) ? shown.right : []
}

/** Whether pages have to say which number they mean. */
export const areSeveral = (numbers: Numbers): boolean => numbers.length > 1

/** The address of the list of numbers. */
export const numbersPath = (workspace: WorkspaceId): ConsolePath => `/console/workspaces/${workspace}/sender`

/** The address of the page of a number. */
export const numberPath = (workspace: WorkspaceId, sender: SenderId): ConsolePath =>
  `${numbersPath(workspace)}/${encodeURIComponent(sender)}`

/** The number in groups of digits, if the platform has reported it. */
export const writtenNumber = ({ number }: Pick<ShownSender, 'number'>): string | undefined => {
  const digits = numberDigits(number?.displayNumber ?? '')
  return digits === '' ? undefined : writeCustomerId(digits as CustomerId)
}

/** How many characters of an id distinguish a number that has no name yet. */
const SHOWN_OF_ID = 6

const unnamed = (id: SenderId): string => texts.unnamed(id.slice(-SHOWN_OF_ID))

/** A number in one line: its name, otherwise the number itself, otherwise the end of its id. */
export const titleOf = (one: ShownSender): string => one.number?.verifiedName ?? writtenNumber(one) ?? unnamed(one.sender.phoneNumberId)

/** The name of a number that distinguishes it from the others of its workspace. */
export const nameIn = (numbers: Numbers, id: SenderId): string => {
  const one = numbers.find(({ sender }) => sender.phoneNumberId === id)
  if (one === undefined) return unnamed(id)
  const title = titleOf(one)
  const isShared = numbers.some((other) => other !== one && titleOf(other) === title)
  return isShared ? `${title}, ${writtenNumber(one) ?? unnamed(id)}` : title
}

/** The name of a number, followed by the number itself. */
const wholeNameOf = (numbers: Numbers, one: ShownSender): string => {
  const [name, number] = [nameIn(numbers, one.sender.phoneNumberId), writtenNumber(one)]
  return number === undefined || name.includes(number) ? name : `${name}, ${number}`
}

/** The number that has an inbox. */
export const ofInbox = (numbers: Numbers, workspace: WorkspaceId, inbox: InboxId): SenderId | undefined =>
  numbers.find(({ sender }) => inboxOf(workspace, sender) === inbox)?.sender.phoneNumberId

/** The numbers that share the templates of a business account; a number whose account cannot be read is alone. */
export const byAccount = (numbers: Numbers): ReadonlyArray<Numbers> => {
  const groups = new Map<string, Array<ShownSender>>()
  for (const one of numbers) {
    const key = readableAccount(one.sender) ?? `of ${one.sender.phoneNumberId}`
    groups.set(key, [...groups.get(key) ?? [], one])
  }
  return [...groups.values()]
}

/** The number that a form or an address names, if the workspace has it. */
export const namedIn = (numbers: Numbers, named: string | null | undefined): SenderId | undefined =>
  numbers.find(({ sender }) => sender.phoneNumberId === named)?.sender.phoneNumberId

/** The name of a number, as a link to its page if the workspace still has it. */
export const NumberLink = ({ numbers, workspace, id }: {
  readonly numbers: Numbers; readonly workspace: WorkspaceId; readonly id: SenderId
}): VNode =>
  namedIn(numbers, id) === undefined ? <>{nameIn(numbers, id)}</> : <a href={numberPath(workspace, id)}>{nameIn(numbers, id)}</a>

/** The number that the address of a page names; every number if it names none. */
export const chosenNumber = ({ request: { query } }: InWorkspace): SenderId | undefined => {
  const named = (query.get('sender') ?? '').trim()
  return named === '' ? undefined : senderIdOf(named)
}

/** The filter for messages of the number that the address of a page names. */
export const filterByNumber = async (
  { filterBySender }: Pick<UsesOf<'messages'>, 'filterBySender'>, page: InWorkspace,
): Promise<E.Either<UnknownSender | PortFailure, SenderFilter | undefined>> => {
  const sender = chosenNumber(page)
  return sender === undefined ? E.right(undefined) : filterBySender({ workspace: page.workspace.id, sender })
}

/** A chip that narrows a page to one of several numbers, or the chosen number, which can be removed; nothing if there is one number. */
export const NumberChips = ({ numbers, chosen, hrefOf }: {
  readonly numbers: Numbers
  readonly chosen: SenderId | undefined
  readonly hrefOf: (sender: SenderId | undefined) => string
}): VNode | null => {
  if (!areSeveral(numbers) && chosen === undefined) return null
  return chosen === undefined
    ? (
      <details class="filter which">
        <summary>{texts.number}</summary>
        <ul>
          {numbers.map(({ sender: { phoneNumberId: id } }) => <li key={id}><a href={hrefOf(id)}>{nameIn(numbers, id)}</a></li>)}
        </ul>
      </details>
    )
    : (
      <nav class="chips" aria-label={texts.number}>
        <a class="active" href={hrefOf(undefined)} title={TEXTS.messages.remove}>{nameIn(numbers, chosen)}<Icon name="close" /></a>
      </nav>
    )
}

/** The choice of a number in a form, with the default number chosen unless another one is. `any` is the text for all numbers. */
export const NumberField = ({ numbers, label, chosen, hint, fault, any }: {
  readonly numbers: Numbers
  readonly label: string
  readonly chosen: string | undefined
  readonly hint?: string | undefined
  readonly fault?: string | undefined
  readonly any?: string
}): VNode => (
  <ChoiceField id="sender" label={label} hint={hint} fault={fault}>
    {any !== undefined && <option value="">{any}</option>}
    <NumberOptions numbers={numbers} chosen={chosen} />
  </ChoiceField>
)

/** The options of a choice of a number. */
export const NumberOptions = ({ numbers, chosen, noteOf = () => undefined }: {
  readonly numbers: Numbers
  readonly chosen: string | undefined
  /** A remark on a number. */
  readonly noteOf?: (id: SenderId) => string | undefined
}): VNode => (
  <>
    {numbers.map((one) => {
      const id = one.sender.phoneNumberId
      const note = noteOf(id)
      return <option key={id} value={id} selected={id === chosen}>{wholeNameOf(numbers, one)}{note !== undefined && ` · ${note}`}</option>
    })}
  </>
)
