import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { isAllowed } from '../../../../core/access/access.js'
import type { Authenticated } from '../../../../core/access/sign-in.js'
import { SECOND_MS } from '../../../../core/kernel/time.js'
import type { HoldQueueCommand, ResumeQueueCommand } from '../../../../core/sending/queue-control.js'
import { type Answer, type ConsolePath, redirectWithFlash } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { actIn, inWorkspace, type InWorkspace, liveIn, type Page, type PageDeps, workspacePage } from '../../page.js'
import { Live, type Refused } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { Hold, QueueContent, queuePath, type QueueRights, type QueueSection, readShownQueue, type ShownQueue } from './queue-parts.js'

const { queue: texts, sections } = TEXTS
const PATH = '/console/workspaces/:workspace/queue'

/** A reading needs several queries. */
const READ_EVERY_MS = 2 * SECOND_MS

/** The queue of a workspace. */
export const queuePages = (deps: PageDeps, section: QueueSection): ReadonlyArray<Page> => [
  {
    path: PATH,
    get: inWorkspace(deps, 'queue.view', (page) => show(section, page, {})),
    live: liveIn(deps, 'queue.view', async (page) => {
      const { id: workspace } = page.workspace
      const rights = rightsOf(page)
      return {
        _tag: 'Live',
        key: JSON.stringify(['queue', workspace, rights.mayCancel, rights.mayResume]),
        everyMs: READ_EVERY_MS,
        read: async () =>
          E.map((shown: ShownQueue) => <QueueContent shown={shown} rights={rights} />)(await readShownQueue(section, workspace)),
      }
    }),
  },
  {
    path: `${PATH}/hold`,
    post: actIn(deps, 'queue.hold', ({ request: { form: { note = '' } }, signedIn, by, workspace, again }) =>
      holdQueue(section, { by, workspace, note }, { signedIn, to: queuePath(workspace) }, (outcome) =>
        again((page) => show(section, page, outcome)))),
  },
  {
    path: `${PATH}/resume`,
    post: actIn(deps, 'queue.resume', ({ signedIn, by, workspace }) =>
      resumeQueue(section, { by, workspace }, { signedIn, to: queuePath(workspace) })),
  },
]

/** The result of a refused form. */
export type Outcome = Refused & { readonly note?: string }

/** Who acts, and the page that shows the result. */
type Acting = { readonly signedIn: Authenticated; readonly to: ConsolePath }

/** Holds a queue; `again` shows the form with its fault. */
export const holdQueue = async (
  section: QueueSection, command: HoldQueueCommand, { signedIn, to }: Acting, again: (outcome: Outcome) => Promise<Answer>,
): Promise<Answer> => {
  const held = await section.holdQueue(command)
  if (E.isRight(held)) return redirectWithFlash(to, <p class="note" role="status">{texts.nowHeld}</p>)
  switch (held.left._tag) {
    case 'InvalidNote': return again({ problem: texts.badNote, at: 'note', note: command.note })
    case 'UnknownWorkspace': return failurePage({ _tag: 'NotFound' }, signedIn)
    case 'Forbidden': case 'PortFailure': return failurePage(held.left, signedIn)
  }
}

/** Resumes a queue. */
export const resumeQueue = async (section: QueueSection, command: ResumeQueueCommand, { signedIn, to }: Acting): Promise<Answer> => {
  const resumed = await section.resumeQueue(command)
  if (E.isRight(resumed)) {
    return redirectWithFlash(to, <p class="note" role="status">{O.isSome(resumed.right) ? texts.nowResumed : texts.notHeld}</p>)
  }
  return failurePage(resumed.left._tag === 'UnknownWorkspace' ? { _tag: 'NotFound' } : resumed.left, signedIn)
}

const rightsOf = ({ signedIn: { principal }, workspace }: InWorkspace): QueueRights => ({
  mayCancel: isAllowed(principal, 'message.cancel', workspace), mayResume: isAllowed(principal, 'queue.resume', workspace),
})

const show = async (section: QueueSection, page: InWorkspace, outcome: Outcome): Promise<Answer> => {
  const { workspace, signedIn } = page
  const shown = await readShownQueue(section, workspace.id)
  if (E.isLeft(shown)) return failurePage(shown.left, signedIn)
  const path = queuePath(workspace.id)
  const mayHold = isAllowed(signedIn.principal, 'queue.hold', workspace)
    && !shown.right.holds.some((hold) => hold.workspace === workspace.id)
  return workspacePage(page, {
    title: sections.queue, path, status: outcome.problem === undefined ? 200 : 422,
    ...(mayHold && {
      rareActs: {
        content: (
          <Hold action={`${path}/hold`} verb={texts.hold} sentence={texts.holdSentence} outcome={outcome} note={outcome.note} />
        ),
        isOpen: outcome.at === 'note',
      },
    }),
    content: <Live address={path}><QueueContent shown={shown.right} rights={rightsOf(page)} /></Live>,
  })
}
