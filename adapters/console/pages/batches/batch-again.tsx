import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { AGAIN_STATES, againCounts, type AgainState } from '../../../../core/batches/again.js'
import type { Batch } from '../../../../core/batches/batch.js'
import type { ShownBatch } from '../../../../core/batches/show.js'
import type { SubmitBatchError } from '../../../../core/batches/submit.js'
import type { BatchCommand } from '../../../../core/batches/use-cases.js'
import { type Answer, redirectWithFlash } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import type { ActIn } from '../../page.js'
import { Panel } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { MAX_NAME } from './batch-form.js'
import { Refusal } from './batch-problems.js'
import { batchPath, type BatchesSection, titleOf } from './batches-section.js'

const { batches: { again: texts } } = TEXTS

/** An ended batch whose recipients may get another one. */
type Ended = Pick<ShownBatch, 'batch' | 'counts' | 'failures'>

/** How many recipients of a batch may get another one in each group; `undefined` if it goes on, or if what its lines said is deleted. */
export const againOf = (shown: Ended): ReturnType<typeof againCounts> | undefined =>
  (shown.batch.endedAt === undefined || shown.batch.contentsDeleted === true ? undefined : againCounts(shown))

/** The button that makes a draft with a group of the recipients. */
export const AgainButton = ({ batch, group, count }: {
  readonly batch: Batch; readonly group: AgainState; readonly count: number
}): VNode => (
  <form method="post" action={`${batchPath(batch)}/again`}>
    <input type="hidden" name="group" value={group} /><button class="plain">{texts.verbs[group](count)}</button>
  </form>
)

/** The groups of recipients of an ended batch that may get another one, apart from those whose messages failed. */
export const AgainPanel = ({ shown }: { readonly shown: Ended }): VNode | null => {
  const { batch } = shown
  const counts = againOf(shown)
  const groups = AGAIN_STATES.filter((group) => group !== 'failed' && (counts?.[group] ?? 0) > 0)
  if (batch.endedAt === undefined || (counts !== undefined && groups.length === 0)) return null
  return (
    <Panel id="again" title={texts.title}>
      <p class="soft">{counts === undefined ? texts.gone : texts.sentence}</p>
      {groups.length > 0 && (
        <ul class="reasons">
          {groups.map((group) => (
            <li key={group}>
              <AgainButton batch={batch} group={group} count={counts?.[group] ?? 0} />
              {group === 'unread' && <p class="hint">{texts.unreadHint}</p>}
              {group === 'no_reply' && <p class="hint">{texts.noReplyHint}</p>}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

/** Makes a draft with a group of the recipients of a batch, which is sent like that batch but for its times, and shows it. */
export const sendAgain = async (section: BatchesSection, acting: ActIn, of: BatchCommand): Promise<Answer> => {
  const { by, workspace, signedIn } = acting
  const group = AGAIN_STATES.find((one) => one === acting.request.form['group'])
  if (group === undefined) return failurePage({ _tag: 'Malformed' }, signedIn)
  const shown = await section.show(of)
  if (E.isLeft(shown)) return failurePage(shown.left._tag === 'NoSuchBatch' ? { _tag: 'NotFound' } : shown.left, signedIn)
  const { batch } = shown.right
  const { templateName, language, sender, brake, firstWave, metadata, timing: { hours } } = batch
  const made = await section.submit({
    by, workspace, templateName, language, sender, brake, timing: { ...(hours && { hours }) }, ...(firstWave && { firstWave }),
    ...(metadata && { metadata }), name: nameOf(batch, group), from: { batch: of.batch, states: [group] },
  })
  if (E.isLeft(made)) return refused(acting, of, made.left)
  const { batch: { id }, recipients } = made.right
  if (recipients > 0) return redirectWithFlash(batchPath({ workspace, id }), <p class="note" role="status">{texts.made(recipients)}</p>)
  // A draft without recipients is of no use here. If it cannot be discarded, a person still can.
  await section.cancel({ by, workspace, batch: id })
  return redirectWithFlash(batchPath(batch), <p class="note attention" role="status">{texts.nobody}</p>)
}

/** The name of a draft for a group of recipients, after that of their batch. */
const nameOf = (batch: Batch, group: AgainState): string => {
  const end = ` · ${texts.groups[group]}`
  const name = titleOf(batch)
  return (name.endsWith(end) ? name : `${name.slice(0, MAX_NAME - end.length)}${end}`)
}

const refused = (acting: ActIn, of: BatchCommand, failure: SubmitBatchError): Answer | Promise<Answer> => {
  if (failure._tag === 'NoSuchBatch') return failurePage({ _tag: 'NotFound' }, acting.signedIn)
  if (failure._tag === 'Forbidden' || failure._tag === 'PortFailure') return failurePage(failure, acting.signedIn)
  // The hours are those of a batch that was made, and the form has no key.
  if (failure._tag === 'InvalidTiming' || failure._tag === 'IdempotencyInProgress' || failure._tag === 'IdempotencyKeyReused') {
    return failurePage({ _tag: 'Malformed' }, acting.signedIn)
  }
  return acting.again(async ({ workspace }) => redirectWithFlash(
    batchPath({ workspace: of.workspace, id: of.batch }),
    <p class="note bad" role="alert"><Refusal failure={failure} workspace={workspace} /></p>,
  ))
}
