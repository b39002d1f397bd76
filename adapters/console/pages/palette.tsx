import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { ComponentChildren, VNode } from 'preact'
import type { Authenticated } from '../../../core/access/sign-in.js'
import { isForgotten } from '../../../core/customers/customer.js'
import { closesAt, type FreeForm } from '../../../core/customers/window.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import { HOUR_MS, type Instant, MINUTE_MS } from '../../../core/kernel/time.js'
import { foldedOf } from '../../../core/kernel/text.js'
import type { Workspace } from '../../../core/kernel/workspace.js'
import type { MessageRecord } from '../../../core/messages/message.js'
import type { Found, FoundCustomer } from '../../../core/search.js'
import type { Answer } from '../answer.js'
import { written } from '../chart.js'
import { failurePage } from '../failure-page.js'
import type { UsesOf } from '../gateway.js'
import { Icon, type IconName } from '../icons.js'
import { type Entry, NEW_MESSAGE, pagesSeen, seenBy } from '../navigation.js'
import { actorOf, inWorkspace, type Page, type PageDeps, whenSignedIn } from '../page.js'
import { Time } from '../parts.js'
import { writeCustomerId } from '../phone.js'
import type { PageRequest } from '../request.js'
import { FOUND_ID, PALETTE_IN, PALETTE_OF_ALL, searchPath } from '../search-field.js'
import { TEXTS } from '../texts.js'
import { ADD_ENDPOINT } from './endpoints/endpoints.js'
import { customerPath, MessageStateChip, messagesPath, nameIn, type Names, readNames, whatOf } from './messages/message-table.js'
import { inviteTo } from './people/members.js'
import { ADD_MONEY } from './wallet/wallet.js'
import { CREATE_KEY } from './workspaces/keys.js'
import { ADD_NUMBER } from './numbers/number-list.js'
import { CREATE_WORKSPACE } from './workspaces/workspaces.js'

const { customers: windows, palette: texts } = TEXTS

/** The dependencies of these pages. */
export type PaletteSection = UsesOf<'clock'> & UsesOf<'customers'> & UsesOf<'messages'> & UsesOf<'search'>

/** The maximum number of rows in each group. */
const SHOWN_OF_EACH = 5
/** The number of the newest messages that are compared with the text. */
const MESSAGES_LOOKED_AT = 100
/** The text that asks for every key. */
const ASKS_FOR_KEYS = '?'

/** The rows of the palette, which the script asks for after each keystroke. Without a script there is the search page. */
export const palettePages = (deps: PageDeps, section: PaletteSection): ReadonlyArray<Page> => [
  { path: PALETTE_OF_ALL, get: whenSignedIn(deps, (request, signedIn) => show(section, request, signedIn, undefined)) },
  {
    path: PALETTE_IN,
    get: inWorkspace(deps, 'workspace.view', ({ request, signedIn, workspace }) => show(section, request, signedIn, workspace)),
  },
]

type Read = {
  readonly found: Pick<Found, 'customers' | 'workspaces'>
  readonly messages: ReadonlyArray<MessageRecord>
  readonly names: Names
}
const NOTHING: Read = { found: { customers: [], workspaces: [] }, messages: [], names: new Map() }

const show = async (
  section: PaletteSection, request: PageRequest, signedIn: Authenticated, workspace: Workspace | undefined,
): Promise<Answer> => {
  const sought = (request.query.get('q') ?? '').trim()
  const read = sought === '' || sought === ASKS_FOR_KEYS ? E.right(undefined) : await find(section, request, signedIn, workspace, sought)
  if (E.isLeft(read)) return failurePage(read.left, signedIn)
  return {
    _tag: 'Part',
    content: (patterns) => {
      const shown = { signedIn, patterns }
      const acts = seenBy(shown, ACTS(workspace), workspace)
      const pages = pagesSeen(shown, workspace).filter(({ path }) => path !== NEW_MESSAGE.path)
      if (sought === ASKS_FOR_KEYS) {
        return <Rows groups={[[texts.pages, rowsOf(pages, workspace, '')], [texts.acts, rowsOf(acts, workspace, '')]]} sought="" />
      }
      const { found, messages, names } = read.right ?? NOTHING
      const groups: Groups = [
        [texts.customers, found.customers.map((one) => customerRow(one, section.now(), section.freeForm))],
        [texts.messages, messages.map((message) => messageRow(message, names))],
        [texts.pages, [...rowsOf(pages, workspace, sought), ...found.workspaces.map(workspaceRow)]],
        [texts.acts, rowsOf(acts, workspace, sought)],
      ]
      return (
        <Rows
          groups={groups.map(([name, rows]) => [name, rows.slice(0, SHOWN_OF_EACH)])} sought={sought}
          last={sought === '' ? undefined : {
            href: `${searchPath(workspace)}?q=${encodeURIComponent(sought)}`, icon: 'search', text: texts.all(sought),
          }}
        />
      )
    },
  }
}

/** The actions that a page offers beside its title, and those that a person looks for by name. */
const ACTS = (workspace: Workspace | undefined): ReadonlyArray<Entry> => workspace === undefined
  ? [CREATE_WORKSPACE, inviteTo(undefined)]
  : [
      NEW_MESSAGE, CREATE_KEY, ADD_ENDPOINT, ADD_NUMBER, inviteTo(workspace), ADD_MONEY,
      {
        path: '/console/workspaces/:workspace/messages?state=unconfirmed', text: texts.resolve, icon: 'alert', act: 'message.resolve',
        keys: 'r o',
      },
    ]

const find = async (
  { listMessages, nameCustomers, search }: PaletteSection, request: PageRequest, signedIn: Authenticated,
  workspace: Workspace | undefined, sought: string,
): Promise<E.Either<PortFailure, Read>> => {
  const [found, latest] = await Promise.all([
    search({ by: actorOf(signedIn, request), text: sought, isQuick: true, ...(workspace !== undefined && { workspace: workspace.id }) }),
    workspace === undefined ? E.right({ items: [] }) : listMessages(workspace.id, { limit: MESSAGES_LOOKED_AT }),
  ])
  if (E.isLeft(found)) return found
  if (E.isLeft(latest)) return latest
  const messages = [...found.right.messages, ...latest.right.items]
  return E.map((names: Names): Read => ({
    found: found.right, names,
    messages: [
      ...found.right.messages,
      ...ranked(latest.right.items, (message) => Math.min(rankIn(whatOf(message), sought), rankIn(nameIn(names, message) ?? '', sought)))
        .filter(({ id }) => !found.right.messages.some((one) => one.id === id)),
    ],
  }))(await readNames(nameCustomers, messages))
}

/** How a text matches, and where: rank 0 if it is the whole text, 1 if the text begins with it, 2 if a later word does, 3 if it is inside a word. */
type Match = { readonly rank: number; readonly from: number; readonly to: number }

/** The best match of a text, compared as names are compared: without case and accents. The places are those of the text as it is written. */
export const matchOf = (text: string, sought: string): Match | undefined => {
  const [letters, part] = [Array.from(text, (letter) => ({ letter, folded: foldedOf(letter) })), foldedOf(sought)]
  if (part === '') return undefined
  const matches: Array<Match> = []
  let from = 0
  letters.forEach(({ letter }, index) => {
    let [folded, to] = ['', from]
    for (let end = index; end < letters.length && folded.length < part.length; end += 1) {
      folded += letters[end]?.folded ?? ''
      to += letters[end]?.letter.length ?? 0
    }
    if (folded.startsWith(part)) {
      const isWord = !/[\p{L}\p{N}]/u.test(letters[index - 1]?.letter ?? '')
      matches.push({ rank: from > 0 ? (isWord ? 2 : 3) : to === text.length ? 0 : 1, from, to })
    }
    from += letter.length
  })
  return matches.toSorted((a, b) => a.rank - b.rank)[0]
}

const rankIn = (text: string, sought: string): number => matchOf(text, sought)?.rank ?? Infinity

/** Those that match, the best first; equal ones keep their order. */
const ranked = <Item,>(items: ReadonlyArray<Item>, rankOf: (item: Item) => number): ReadonlyArray<Item> =>
  items.map((item) => ({ item, rank: rankOf(item) })).filter(({ rank }) => rank < Infinity)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item)

/** A row: its link, and what stands beside its text and at its end. */
type Row = {
  readonly href: string; readonly icon: IconName; readonly text: string
  readonly more?: ComponentChildren; readonly keys?: string; readonly end?: VNode
}

const rowsOf = (entries: ReadonlyArray<Entry>, workspace: Workspace | undefined, sought: string): ReadonlyArray<Row> =>
  (sought === '' ? entries : ranked(entries, ({ text }) => rankIn(text, sought))).map(({ path, text, icon, keys }) => ({
    href: path.replace(':workspace', workspace?.id ?? ''), icon, text, ...(keys !== undefined && { keys }),
  }))

const workspaceRow = ({ id, name }: Workspace): Row => ({ href: `/console/workspaces/${id}`, icon: 'workspaces', text: name })

const customerRow = ({ workspace, id, known, lastSent, isOpen }: FoundCustomer, now: Instant, freeForm: FreeForm | undefined): Row => {
  const [name, number] = [known?.name ?? known?.username, writeCustomerId(known?.phoneNumber ?? id)]
  const wrote = O.toUndefined(known?.lastInbound ?? O.none)
  const last = Math.max(wrote ?? -Infinity, lastSent?.createdAt ?? -Infinity)
  const state = isOpen && freeForm !== 'always' && wrote !== undefined
    ? texts.windowFor(leftOf(closesAt(wrote) - now))
    : last > -Infinity ? <>{texts.lastMessage} <Time at={last} as="ago" /></> : undefined
  return {
    href: customerPath(workspace, id), icon: 'customers', text: name ?? number,
    more: <>{name !== undefined && number}{name !== undefined && state !== undefined && ' · '}{state}</>,
  }
}

/** The whole hours of a window, or its minutes in the last hour. */
const leftOf = (ms: number): string => {
  const minutes = Math.ceil(ms / MINUTE_MS)
  return minutes >= 60 ? texts.hours(Math.floor(ms / HOUR_MS)) : windows.hours(0, minutes)
}

const messageRow = (message: MessageRecord, names: Names): Row => ({
  href: `${messagesPath(message.workspace)}/${message.id}`, icon: 'messages',
  text: texts.messageTo(
    whatOf(message), isForgotten(message.to) ? TEXTS.messages.forgotten : nameIn(names, message) ?? writeCustomerId(message.to),
  ),
  more: <Time at={message.createdAt} as="ago" />, end: <MessageStateChip state={message.state} />,
})

type Groups = ReadonlyArray<readonly [name: string, rows: ReadonlyArray<Row>]>
type Shown = {
  readonly groups: Groups
  readonly sought: string
  readonly last?: Row | undefined
}

/** The rows in their groups. `data-said` is what a screen reader announces. */
const Rows = ({ groups, sought, last }: Shown): VNode => {
  const filled = groups.filter(([, rows]) => rows.length > 0)
  const count = filled.reduce((sum, [, rows]) => sum + rows.length, 0)
  return (
    <div
      role="listbox" id={FOUND_ID} aria-label={texts.results}
      data-said={sought === '' ? '' : TEXTS.search.found(written(count), sought)}
    >
      {filled.map(([name, rows], group) => (
        <div role="group" aria-labelledby={`${FOUND_ID}-${group}`} key={name}>
          <h2 role="presentation" id={`${FOUND_ID}-${group}`}>{name}</h2>
          {rows.map((row, index) => <RowLink key={row.href} id={`${FOUND_ID}-${group}-${index}`} row={row} sought={sought} />)}
        </div>
      ))}
      {last !== undefined && <RowLink id={`${FOUND_ID}-last`} row={last} sought="" />}
    </div>
  )
}

const RowLink = ({ id, row: { href, icon, text, more, keys, end }, sought }: {
  readonly id: string
  readonly row: Row
  readonly sought: string
}): VNode => (
  <a role="option" id={id} href={href} tabindex={-1} aria-selected="false" data-keys={keys}>
    <Icon name={icon} />
    <span class="cut" title={text}><Marked text={text} sought={sought} /></span>
    {more !== undefined && <span class="soft cut">{more}</span>}
    <span class="end">{end}{keys !== undefined && keys.split(' ').map((key) => <kbd key={key}>{key}</kbd>)}</span>
  </a>
)

/** A text, with what matched in the brand's colour. */
const Marked = ({ text, sought }: { readonly text: string; readonly sought: string }): VNode => {
  const match = matchOf(text, sought)
  return match === undefined
    ? <>{text}</>
    : <>{text.slice(0, match.from)}<mark>{text.slice(match.from, match.to)}</mark>{text.slice(match.to)}</>
}
