import * as E from 'fp-ts/lib/Either.js'
import type { ComponentChildren, VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import type { Page as ListPage } from '../../../../core/kernel/page.js'
import type { MessageId, MessageRecord } from '../../../../core/messages/message.js'
import { mayBeAgain } from '../../../../core/sending/again.js'
import type { UnknownSender } from '../../../../core/senders/sender.js'
import { written } from '../../chart.js'
import { Icon } from '../../icons.js'
import type { InWorkspace } from '../../page.js'
import { Empty, Live } from '../../parts.js'
import type { Sorting } from '../../sorting.js'
import { TEXTS } from '../../texts.js'
import { type Every, MAX_CHOSEN, SelectionBar } from './again.js'
import { FilterBar } from './filter-bar.js'
import { addressWith, BESIDE, type Filters, isFiltered, type Sample } from './message-filters.js'
import { listFiltered, LOOKED_AT_ONCE } from './message-query.js'
import {
  BY_TIME, type Departures, MessageTable, messagesPath, type Names, readDepartures, readNames,
} from './message-table.js'
import type { MessagesSection } from './messages-section.js'
import type { Numbers } from '../numbers/names.js'

const { messages: texts } = TEXTS
const SHOWN_AT_ONCE = 50
/** The maximum number of messages that one file reads. */
export const MAX_EXPORTED = 100_000

/** How many messages the first page of a list reads, to count the messages of its filters. */
const SAMPLED = 500

/** A page of the messages that match filters: the filters, the cursor, the messages, the names of their recipients, and when queued ones leave. */
export type Listed = {
  readonly filters: Filters
  readonly cursor: string | undefined
  readonly page: ListPage<MessageRecord>
  readonly names: Names
  readonly departures: Departures
  /** Only for the first page. */
  readonly sample?: Sample | undefined
}

/** Reads a page of messages. The first page reads more of them, once, so that their filters can be counted without another query. */
export const readList = async (
  section: MessagesSection, { workspace }: InWorkspace, filters: Filters, cursor?: string,
): Promise<E.Either<UnknownSender | PortFailure, Listed>> => {
  const look = isFiltered(filters) && { look: LOOKED_AT_ONCE }
  const isSampled = cursor === undefined
  const read = await listFiltered(section)(workspace.id, {
    ...filters, limit: isSampled ? SAMPLED : SHOWN_AT_ONCE, ...look, ...(cursor !== undefined && { cursor }),
  })
  if (E.isLeft(read)) return read
  const { items: found, next: further } = read.right
  const items = found.slice(0, SHOWN_AT_ONCE)
  const next = found.length > items.length ? items.at(-1)?.id : further
  const [names, departures] = await Promise.all([
    readNames(section.nameCustomers, items), readDepartures(section, workspace.id, items),
  ])
  if (E.isLeft(names)) return names
  return E.map((known: Departures) => ({
    filters, cursor, page: { items, next }, names: names.right, departures: known,
    ...(isSampled && { sample: { items: found, isWhole: further === undefined } }),
  }))(departures)
}

/** The list with its filters, and next to it the message that was chosen from it, if any. */
export const MessageList = ({ page: { request: { query }, signedIn: { principal }, workspace }, listed, numbers, chosen, children }: {
  readonly page: InWorkspace; readonly listed: Listed; readonly numbers: Numbers; readonly chosen?: MessageId
  readonly children?: ComponentChildren
}): VNode => {
  const { filters, cursor, page: { items, next } } = listed
  const path = messagesPath(workspace.id)
  const maySend = isAllowed(principal, 'message.send', workspace)
  const isLive = cursor === undefined && chosen === undefined
  return (
    <div {...(chosen !== undefined && { class: 'chosen' })}>
      <div class="list">
        <FilterBar page={{ path, query }} filters={filters} numbers={numbers} sample={listed.sample}>
          {items.length > 0 && (
            <a class="button plain" href={addressWith(`${path}.csv`, filters)} title={texts.csvHint(written(MAX_EXPORTED))}>
              <Icon name="download" />{texts.csv}
            </a>
          )}
        </FilterBar>
        <form class="picking" method={maySend ? 'post' : 'get'} action={`${path}/${maySend ? 'again' : 'chosen.csv'}`}>
          {isLive
            ? <Live address={addressWith(path, filters)}><Rows workspace={workspace.id} listed={listed} /></Live>
            : <Rows workspace={workspace.id} listed={listed} {...(chosen !== undefined && { chosen })} />}
          <SelectionBar path={path} maySend={maySend} every={everyOf(listed)} />
        </form>
        {next !== undefined && (
          <p>
            <a class="button plain" href={addressWith(path, filters, next)}>
              {filters.oldestFirst === true ? texts.newer : items.length < SHOWN_AT_ONCE ? texts.further : texts.older}
            </a>
          </p>
        )}
      </div>
      {chosen !== undefined && <section class="card panel">{children}</section>}
    </div>
  )
}

/** All messages of the list, if the page shows only a part of them, and if they are known and not too many. */
const everyOf = ({ filters, sample, page: { items } }: Listed): Every | undefined =>
  (sample?.isWhole !== true || sample.items.length <= items.length || sample.items.length > MAX_CHOSEN
    ? undefined
    : {
        count: sample.items.length, mayBeAgain: sample.items.every(mayBeAgain),
        filters: new URLSearchParams(addressWith('', filters).replace('?', '')),
      })

/** The order of the list: newest first, or the reverse. */
const sortingOf = (workspace: WorkspaceId, { oldestFirst, ...filters }: Filters): Sorting => {
  const path = messagesPath(workspace)
  const turned = addressWith(path, oldestFirst === true ? filters : { ...filters, oldestFirst: true })
  return { by: BY_TIME, isReverse: oldestFirst !== true, here: path, addressOf: () => turned }
}

/** The rows of the list; the rows of its newest messages are live, because older messages hardly change. */
export const Rows = ({ workspace, listed: { filters, cursor, names, departures, page: { items, next } }, chosen }: {
  readonly workspace: WorkspaceId
  readonly listed: Listed
  readonly chosen?: MessageId
}): VNode => (
  <>
    {items.length === 0
      ? <Empty sentence={isFiltered(filters) ? texts.noneMatch : texts.none} icon="messages" />
      : <MessageTable
          messages={items} names={names} departures={departures} hasPicks sorting={sortingOf(workspace, filters)}
          addressOf={({ workspace, id }) => `${addressWith(`${messagesPath(workspace)}/${id}`, filters, cursor, BESIDE)}#${id}`}
          {...(chosen !== undefined && { chosen })}
        />}
    {next !== undefined && items.length < SHOWN_AT_ONCE && <p class="soft">{texts.looked(written(LOOKED_AT_ONCE))}</p>}
  </>
)
