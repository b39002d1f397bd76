import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import type { Authenticated } from '../../../../core/access/sign-in.js'
import { type Answer, type HtmlAnswer, type ProgressAnswer, redirectWithFlash } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { actorOf, type Page, type PageDeps, whenSignedIn } from '../../page.js'
import type { PageRequest } from '../../request.js'
import { TEXTS } from '../../texts.js'
import { Check, Found, HealthPage } from './health-page.js'
import type { HealthSection } from './health-section.js'
import type { CheckShown } from '../../gateway.js'

const { layout, health: texts } = TEXTS
const PATH = '/console/health'
const SHOWN_OF_BACKLOG = 10

/** The state of the whole installation, for operators. */
export const healthPages = (deps: PageDeps, section: HealthSection): ReadonlyArray<Page> => [
  { path: PATH, get: forOperators(deps, (signedIn) => show(section, signedIn)) },
  { path: `${PATH}/checks`, kind: 'report', get: forOperators(deps, async (signedIn) => check(section, signedIn)) },
  {
    path: `${PATH}/reconcile`,
    // The use case checks that the person may do it.
    post: whenSignedIn(deps, async (request, signedIn) => {
      const done = await section.reconcileByHand({ by: actorOf(signedIn, request) })
      return E.isRight(done)
        ? redirectWithFlash(PATH, <p class="note" role="status">{texts.reconciled(done.right)}</p>)
        : failurePage(done.left, signedIn)
    }, 'message.reconcile'),
  },
]

const forOperators = (deps: PageDeps, handle: (signedIn: Authenticated) => Promise<Answer>) =>
  whenSignedIn(deps, async (request: PageRequest, signedIn) => {
    const allowed = await deps.audit.checkView({ by: actorOf(signedIn, request), act: 'health.view', workspace: undefined })
    return E.isLeft(allowed) ? failurePage(allowed.left, signedIn) : handle(signedIn)
  }, 'health.view')

/** A slow check does not delay the results of earlier checks. After the browser has disconnected, no further check starts. */
const check = ({ runChecks }: HealthSection, signedIn: Authenticated): ProgressAnswer => {
  const part = (content: VNode): HtmlAnswer => ({ _tag: 'Html', title: texts.checks, path: PATH, signedIn, content })
  return {
    _tag: 'Progress',
    page: part(<><p>{texts.checksSentence}</p><p><a class="button plain" href={PATH}>{texts.back}</a></p></>),
    run: async (showPart, isStopped) => {
      const results: Array<CheckShown> = []
      for await (const result of runChecks()) {
        results.push(result)
        showPart(<Check result={result} />)
        if (isStopped()) break
      }
      return part(<Found results={results} />)
    },
  }
}

const show = async (
  { gateways, showBacklog, unconfirmed, rateCard, now, queue }: HealthSection, signedIn: Authenticated,
): Promise<Answer> => {
  const [alive, waiting, open, queued] = await Promise.all([
    gateways(), showBacklog(SHOWN_OF_BACKLOG), unconfirmed(), queue?.watchQueue(undefined) ?? E.right(undefined),
  ])
  if (E.isLeft(alive)) return failurePage(alive.left, signedIn)
  if (E.isLeft(waiting)) return failurePage(waiting.left, signedIn)
  if (E.isLeft(open)) return failurePage(open.left, signedIn)
  if (E.isLeft(queued)) return failurePage(queued.left, signedIn)
  const content: VNode = (
    <HealthPage
      gateways={alive.right} backlog={waiting.right} unconfirmed={open.right} queue={queued.right} rateCard={rateCard()} now={now()}
    />
  )
  return { _tag: 'Html', title: layout.health, path: PATH, signedIn, content }
}
