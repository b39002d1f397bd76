import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { watcherOfAll } from '../../../../core/access/member-use-cases.js'
import type { Authenticated } from '../../../../core/access/sign-in.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import { SECOND_MS } from '../../../../core/kernel/time.js'
import type { QueueView, WaitingSender } from '../../../../core/sending/show-queue.js'
import type { Answer } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { Icon } from '../../icons.js'
import { actorOf, type Page, type PageDeps, whenSignedIn } from '../../page.js'
import { Empty, Live, Table } from '../../parts.js'
import type { PageRequest } from '../../request.js'
import { TEXTS } from '../../texts.js'
import { type Numbers, readNumbers } from '../numbers/names.js'
import {
  ALL_QUEUES, countsOf, Figures, Held, Hold, isHeldBy, queuePath, type QueueSection, Resume, SenderCells, titleIn,
} from './queue-parts.js'
import { holdQueue, type Outcome, resumeQueue } from './queue.js'

const { queue: texts, numbers: numberTexts, sections } = TEXTS

/** The maximum number of senders that are shown: those whose messages have waited for the longest time. */
const SHOWN_SENDERS = 100

/** A reading needs several queries. */
const READ_EVERY_MS = 2 * SECOND_MS

/** What an operator may do. */
const EVERY_RIGHT = { mayCancel: true, mayResume: true }

/** The queues of all workspaces, for operators. */
export const allQueuesPages = (deps: PageDeps, section: QueueSection): ReadonlyArray<Page> => [
  {
    path: ALL_QUEUES,
    get: whenSignedIn(deps, (request, signedIn) => show(section, request, signedIn, {}), 'queue.view'),
    live: whenSignedIn(deps, async (request, signedIn) => {
      const allowed = await section.showQueue({ by: actorOf(signedIn, request), workspace: undefined })
      if (E.isLeft(allowed)) return failurePage(allowed.left, signedIn)
      return {
        _tag: 'Live', watcher: watcherOfAll(signedIn), key: JSON.stringify(['queues']), everyMs: READ_EVERY_MS,
        read: async () => {
          const view = await section.watchQueue(undefined, 0)
          return E.isLeft(view) ? view : E.map((shown: Shown) => <Content shown={shown} />)(await withNames(section, view.right))
        },
      }
    }, 'queue.view'),
  },
  {
    path: `${ALL_QUEUES}/hold`,
    post: whenSignedIn(deps, (request, signedIn) =>
      holdQueue(
        section, { by: actorOf(signedIn, request), workspace: undefined, note: request.form['note'] ?? '' }, { signedIn, to: ALL_QUEUES },
        (outcome) => show(section, request, signedIn, outcome),
      ), 'queue.hold'),
  },
  {
    path: `${ALL_QUEUES}/resume`,
    post: whenSignedIn(deps, (request, signedIn) =>
      resumeQueue(section, { by: actorOf(signedIn, request), workspace: undefined }, { signedIn, to: ALL_QUEUES }), 'queue.resume'),
  },
]

/** The queues of all workspaces, with the names of the workspaces and of their numbers. */
type Shown = QueueView & {
  readonly names: ReadonlyMap<WorkspaceId, string>; readonly numbers: ReadonlyMap<WorkspaceId, Numbers>
}

const show = async (section: QueueSection, request: PageRequest, signedIn: Authenticated, outcome: Outcome): Promise<Answer> => {
  const view = await section.showQueue({ by: actorOf(signedIn, request), workspace: undefined })
  if (E.isLeft(view)) return failurePage(view.left, signedIn)
  const shown = await withNames(section, view.right)
  if (E.isLeft(shown)) return failurePage(shown.left, signedIn)
  const isHeld = view.right.holds.some(({ workspace }) => workspace === undefined)
  return {
    _tag: 'Html', title: sections.queue, path: ALL_QUEUES, signedIn, status: outcome.problem === undefined ? 200 : 422,
    ...(!isHeld && {
      rareActs: {
        content: (
          <Hold action={`${ALL_QUEUES}/hold`} verb={texts.holdAll} sentence={texts.holdAllSentence} outcome={outcome} note={outcome.note} />
        ),
        isOpen: outcome.at === 'note',
      },
    }),
    content: <Live address={ALL_QUEUES}><Content shown={shown.right} /></Live>,
  }
}

const withNames = async (section: QueueSection, view: QueueView): Promise<E.Either<PortFailure, Shown>> => {
  const workspaces = await section.readWorkspaces()
  if (E.isLeft(workspaces)) return workspaces
  const waiting = [...new Set(view.senders.slice(0, SHOWN_SENDERS).map(({ workspace }) => workspace))]
  const numbers = await Promise.all(waiting.map(async (workspace) => [workspace, await readNumbers(section, workspace)] as const))
  return E.right({ ...view, names: new Map(workspaces.right.map(({ id, name }) => [id, name])), numbers: new Map(numbers) })
}

const Content = ({ shown }: { readonly shown: Shown }): VNode => {
  const { holds, senders, names, numbers } = shown
  const left = senders.length - SHOWN_SENDERS
  return (
    <>
      {holds.length > 0 && (
        <ul class="attention-list">
          {holds.map(({ workspace, ...hold }) => {
            const counts = countsOf(workspace === undefined ? senders : senders.filter((one) => one.workspace === workspace))
            const name = workspace && (names.get(workspace) ?? workspace)
            return (
              <Held
                key={workspace ?? ''} hold={{ ...hold, ...(workspace !== undefined && { workspace }) }} name={name} rights={EVERY_RIGHT}
                waiting={counts.waiting + counts.scheduled}
              >
                {workspace === undefined
                  ? <Resume action={`${ALL_QUEUES}/resume`} verb={texts.resumeAll} {...counts} sentence={texts.othersStay} />
                  : <a class="button plain" href={queuePath(workspace)} aria-label={texts.showOf(name ?? '')}>{texts.show}</a>}
              </Held>
            )
          })}
        </ul>
      )}
      {senders.length > 0 && <Figures holds={holds} senders={senders} />}
      {senders.length === 0 ? <Empty sentence={texts.none} icon="queue" /> : (
        <Table
          label={texts.byNumber}
          columns={[
            texts.workspace, numberTexts.state, { number: texts.waiting }, { number: texts.scheduled }, { number: texts.rate },
            { number: texts.empty },
          ]}
        >
          {senders.slice(0, SHOWN_SENDERS).map((one) => (
            <Row
              key={`${one.workspace} ${one.sender}`} of={one} name={names.get(one.workspace) ?? one.workspace}
              numbers={numbers.get(one.workspace) ?? []}
              isHeld={isHeldBy(holds, one.workspace)}
            />
          ))}
        </Table>
      )}
      {left > 0 && <p class="hint">{texts.more(left)}</p>}
    </>
  )
}

const Row = ({ of, name, numbers, isHeld }: {
  readonly of: WaitingSender; readonly name: string; readonly numbers: Numbers; readonly isHeld: boolean
}): VNode => (
  <tr>
    <td class="first">
      <a class="known" href={queuePath(of.workspace)}>
        <span class="tile"><Icon name="queue" /></span>
        <span><span class="title">{name}</span><span class="soft">{titleIn(numbers, of.sender)}</span></span>
      </a>
    </td>
    <SenderCells of={of} isHeld={isHeld} numbers={numbers} />
  </tr>
)
