import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import type { Forbidden } from '../../../../core/access/access.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { Batch, NoSuchBatch } from '../../../../core/batches/batch.js'
import { countsView } from '../../../../core/batches/view.js'
import type { BatchCommand } from '../../../../core/batches/use-cases.js'
import type { ShownWave } from '../../../../core/batches/wave.js'
import { isBatchId } from '../../../../core/kernel/ids.js'
import { SECOND_MS } from '../../../../core/kernel/time.js'
import { BATCH_RESULTS_CSV_HEADER, batchResultCsvLine } from '../../../../core/explanations/batch-results.js'
import type { BatchResults } from '../../../../core/batches/results.js'
import { type Answer, redirectWithFlash } from '../../answer.js'
import { written } from '../../chart.js'
import { failurePage } from '../../failure-page.js'
import type { FileForm } from '../../form-body.js'
import type { Entry } from '../../navigation.js'
import {
  type ActIn, actIn, cursorIn, inWorkspace, type InWorkspace, listed, liveIn, type Page, type PageDeps, workspacePage,
} from '../../page.js'
import { Empty, Money, State, Table, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { type BatchRefusal, Refusal } from './batch-problems.js'
import { batchesPath, batchPath, type BatchesSection, TONES, titleOf } from './batches-section.js'
import { sendAgain } from './batch-again.js'
import { percentOf } from './batch-parts.js'
import { BatchLive, LivePage, rightsOf } from './batch-live.js'
import { newBatch, newBatchForm, previewFile, sampleCsv } from './new-batch.js'
import { draftPage, replaceFile } from './preflight.js'

const { batches: texts, sections } = TEXTS
const PATH = '/console/workspaces/:workspace/batches'
const ONE = `${PATH}/:batch`
const SHOWN_AT_ONCE = 25
const READ_EVERY_MS = 2 * SECOND_MS

/** The page that makes a batch. */
const NEW_BATCH: Entry = { path: `${PATH}/new`, get text() { return texts.create }, icon: 'plus', act: 'batch.create', keys: 'c b' }

/** The batches of a workspace. */
export const batchesPages = (deps: PageDeps, section: BatchesSection): ReadonlyArray<Page> => pagesOf(deps, section, makeReadWave(section))

const pagesOf = (deps: PageDeps, section: BatchesSection, readWave: ReadWave): ReadonlyArray<Page> => [
  { path: PATH, get: listed('batches', inWorkspace(deps, 'batch.view', (page) => showList(section, page))) },
  {
    path: `${PATH}/new`,
    get: inWorkspace(deps, 'batch.create', (page) => newBatchForm(section, page, page.request.query.get('template') ?? '', undefined)),
  },
  {
    path: `${PATH}/file`, takesFile: section.fileForms,
    post: actIn(deps, 'batch.create', (acting) =>
      whenAllowed(deps, acting, () => withFile(acting, (form) => newBatch(section, acting, form)))),
  },
  {
    path: `${PATH}/preview/file`, takesFile: section.fileForms,
    post: actIn(deps, 'batch.create', (acting) =>
      whenAllowed(deps, acting, () => withFile(acting, (form) => previewFile(section, acting, form)))),
  },
  { path: `${PATH}/sample.csv`, get: inWorkspace(deps, 'batch.create', (page) => sampleCsv(section, page)) },
  {
    path: ONE,
    get: inWorkspace(deps, 'batch.view', (page) => withBatch(page, (of) => showOne(section, page, of, readWave))),
    live: liveIn(deps, 'batch.view', (page) => withBatch(page, async (of) => {
      const found = await section.show(of)
      if (E.isLeft(found)) return failurePage(found.left._tag === 'NoSuchBatch' ? { _tag: 'NotFound' } : found.left, page.signedIn)
      return {
        _tag: 'Live' as const,
        key: JSON.stringify(['batch', of.workspace, of.batch, Object.values(rightsOf(page))]),
        everyMs: READ_EVERY_MS,
        read: async () => {
          const [shown, wave] = await Promise.all([section.show(of), readWave(of)])
          if (E.isRight(shown)) return E.right(<BatchLive shown={shown.right} wave={wave} rights={rightsOf(page)} now={section.now()} />)
          // The batch was there when the stream was opened, and the stream ends when the rights change.
          return shown.left._tag === 'PortFailure' ? E.left(shown.left) : E.right(<></>)
        },
      }
    })),
  },
  {
    path: `${ONE}/file`, takesFile: section.fileForms,
    post: actIn(deps, 'batch.change', (acting) => withBatch(acting, async (of) => {
      const form = await section.findForm(of)
      return E.isLeft(form)
        ? answerTo(acting, of, form, '')
        : withFile(acting, (given) => replaceFile(section, acting, { ...of, form: form.right }, given))
    })),
  },
  {
    path: `${ONE}/confirm`,
    post: actIn(deps, 'batch.confirm', (acting) => withBatch(acting, async (of) => {
      const total = /^\d{1,20}$/.exec(acting.request.form['total'] ?? '')?.[0]
      if (total === undefined) return failurePage({ _tag: 'Malformed' }, acting.signedIn)
      return answerTo(acting, of, await section.confirm({ ...of, total: BigInt(total) }), texts.nowConfirmed)
    })),
  },
  ...(['pause', 'resume', 'cancel'] as const).map((move): Page => ({
    path: `${ONE}/${move}`,
    post: actIn(deps, `batch.${move}`, (acting) => withBatch(acting, async (of) => answerTo(
      acting, of, await section[move](of),
      { pause: texts.nowPaused, resume: texts.nowResumed, cancel: texts.nowCanceled }[move],
    ))),
  })),
  {
    path: `${ONE}/again`,
    post: actIn(deps, 'batch.create', (acting) =>
      whenAllowed(deps, acting, () => withBatch(acting, (of) => sendAgain(section, acting, of)))),
  },
  {
    path: `${ONE}/results.csv`, kind: 'export',
    get: inWorkspace(deps, 'batch.view', (page) => withBatch(page, async (of) => {
      const read = await section.readResults(of)
      if (E.isLeft(read)) return failurePage(read.left._tag === 'NoSuchBatch' ? { _tag: 'NotFound' } : read.left, page.signedIn)
      return { _tag: 'Csv', name: `${of.batch}.csv`, parts: csvParts(read.right) }
    })),
  },
]

/** The batch in the path of a request, and who acts. An id that no batch can have is not found. */
const withBatch = async <Result,>(
  { by, workspace, request: { params }, signedIn }: Pick<ActIn, 'by' | 'request' | 'signedIn'> & {
    readonly workspace: ActIn['workspace'] | InWorkspace['workspace']
  },
  handle: (of: BatchCommand) => Promise<Result>,
): Promise<Result | ReturnType<typeof failurePage>> => {
  const { batch = '' } = params
  if (!isBatchId(batch)) return failurePage({ _tag: 'NotFound' }, signedIn)
  return handle({ by, workspace: typeof workspace === 'string' ? workspace : workspace.id, batch })
}

/** Handles a form of a new batch, of a person who may make one: its file, or the earlier batch, is read before the use case checks that. */
const whenAllowed = async (
  { audit }: PageDeps, { by, workspace, signedIn }: ActIn, handle: () => Promise<Answer>,
): Promise<Answer> => {
  const allowed = await audit.checkView({ by, act: 'batch.create', workspace })
  return E.isLeft(allowed) ? failurePage(allowed.left, signedIn) : handle()
}

/** Reads a form with a file, of a person who may send it. */
const withFile = async ({ workspace, request, signedIn }: ActIn, handle: (form: FileForm) => Promise<Answer>): Promise<Answer> => {
  const read = await request.readFileForm?.(workspace)
  return read === undefined || E.isLeft(read) ? failurePage(read?.left ?? { _tag: 'Malformed' }, signedIn) : handle(read.right)
}

type Failure = BatchRefusal | NoSuchBatch | Forbidden | PortFailure

/** Shows the batch again, with what was done, or why it was refused. */
const answerTo = async (
  acting: ActIn, of: BatchCommand, done: E.Either<Failure, unknown>, sentence: string,
): Promise<Answer> => {
  const to = batchPath({ workspace: of.workspace, id: of.batch })
  if (E.isRight(done)) return redirectWithFlash(to, <p class="note" role="status">{sentence}</p>)
  const { left } = done
  if (left._tag === 'NoSuchBatch') return failurePage({ _tag: 'NotFound' }, acting.signedIn)
  if (left._tag === 'Forbidden' || left._tag === 'PortFailure') return failurePage(left, acting.signedIn)
  return acting.again(async ({ workspace }) =>
    redirectWithFlash(to, <p class="note bad" role="alert"><Refusal failure={left} workspace={workspace} /></p>))
}

/** Reads the result of the first wave of a batch; `undefined` if it has none, or if it cannot be read. */
type ReadWave = (of: BatchCommand) => Promise<ShownWave | undefined>

/** Counting a wave reads each of its messages, so all who look at the batch share a result for some seconds. */
const WAVE_KEPT_MS = 5 * SECOND_MS
const MAX_WAVES = 200

const makeReadWave = ({ showWave, now }: BatchesSection): ReadWave => {
  const kept = new Map<string, { readonly at: number; readonly wave: Promise<ShownWave | undefined> }>()
  return async (of) => {
    const key = `${of.workspace} ${of.batch}`
    const known = kept.get(key)
    if (known !== undefined && now() - known.at < WAVE_KEPT_MS) return known.wave
    const wave = showWave(of).then((read) => (E.isRight(read) ? read.right : undefined))
    if (kept.size >= MAX_WAVES) kept.clear()
    kept.set(key, { at: now(), wave })
    return wave
  }
}

const showOne = async (section: BatchesSection, page: InWorkspace, of: BatchCommand, readWave: ReadWave): Promise<Answer> => {
  const shown = await section.show(of)
  if (E.isLeft(shown)) return failurePage(shown.left._tag === 'NoSuchBatch' ? { _tag: 'NotFound' } : shown.left, page.signedIn)
  return shown.right.batch.state === 'draft'
    ? draftPage(section, page, shown.right)
    : workspacePage(page, {
      title: titleOf(shown.right.batch), path: batchesPath(of.workspace),
      content: <LivePage shown={shown.right} wave={await readWave(of)} rights={rightsOf(page)} now={section.now()} />,
    })
}

const showList = async (section: BatchesSection, page: InWorkspace): Promise<Answer> => {
  const { workspace: { id: workspace }, by, request, signedIn } = page
  const cursor = cursorIn(request)
  const read = await section.list({ by, workspace, limit: SHOWN_AT_ONCE, ...(cursor !== undefined && { cursor }) })
  if (E.isLeft(read)) return failurePage(read.left, signedIn)
  const shares = await Promise.all(read.right.items.map((batch) => shareOf(section, page, batch)))
  const path = batchesPath(workspace)
  const { next } = read.right
  return workspacePage(page, {
    title: sections.batches, path, firstAct: NEW_BATCH,
    content: read.right.items.length === 0
      ? <Empty sentence={texts.none} icon="batches" />
      : (
        <>
          <List batches={read.right.items} shares={shares} />
          {next !== undefined && (
            <p><a class="button plain" href={`${path}?${new URLSearchParams([['cursor', next]]).toString()}`}>{texts.older}</a></p>
          )}
        </>
      ),
  })
}

/** How much of a batch that is not over was sent. Only these are counted, because counting reads all lines. */
const shareOf = async (section: BatchesSection, { by }: InWorkspace, batch: Batch): Promise<string | undefined> => {
  const { confirmed, state, workspace, id } = batch
  if (confirmed === undefined) return undefined
  if (state === 'done') return texts.shareOf(percentOf(1, 1), written(confirmed.sendable))
  if (state === 'canceled') return undefined
  const shown = await section.show({ by, workspace, batch: id })
  if (E.isLeft(shown)) return undefined
  const { waiting, queued } = countsView(shown.right.counts)
  return texts.shareOf(percentOf(confirmed.sendable - waiting - queued, confirmed.sendable), written(confirmed.sendable))
}

const List = ({ batches, shares }: {
  readonly batches: ReadonlyArray<Batch>; readonly shares: ReadonlyArray<string | undefined>
}): VNode => (
  <Table
    label={sections.batches}
    columns={[texts.one, texts.state, { number: texts.sent }, { number: texts.total }, { number: texts.created }]}
  >
    {batches.map((batch, at) => (
      <tr key={batch.id}>
        <td class="first">
          <a class="known" href={batchPath(batch)}>
            <span>
              <span class="title">{titleOf(batch)}</span>
              {batch.name !== undefined && <span class="soft">{batch.templateName}, {batch.language}</span>}
              {batch.name === undefined && <span class="soft">{batch.language}</span>}
            </span>
          </a>
        </td>
        <td class="mark"><State text={texts.states[batch.state]} tone={TONES[batch.state]} /></td>
        <td data-label={texts.sent} class="number">{shares[at] ?? TEXTS.overview.nothing}</td>
        <td data-label={texts.total} class="number">
          {batch.confirmed === undefined
            ? TEXTS.overview.nothing
            : <Money micros={batch.confirmed.total} currency={batch.confirmed.currency} />}
        </td>
        <td data-label={texts.created} class="number"><Time at={batch.createdAt} as="ago" /></td>
      </tr>
    ))}
  </Table>
)

/** A failure aborts the download, so that an incomplete file does not look complete. */
async function* csvParts({ results }: BatchResults): AsyncGenerator<string> {
  yield BATCH_RESULTS_CSV_HEADER
  for await (const result of results) {
    if (E.isLeft(result)) throw new Error('The results could not be read to their end.', { cause: result.left })
    yield batchResultCsvLine(result.right)
  }
}
