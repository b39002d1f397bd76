import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import type { Authenticated } from '../../../core/use-cases/member-commands.js'
import type { Answer } from '../answer.js'
import { failurePage } from '../failure-page.js'
import { actorOf, whenSignedIn, type Page, type PageDeps } from '../page.js'
import type { PageRequest } from '../request.js'
import { TEXTS } from '../texts.js'
import { HealthPage } from './health-page.js'
import type { HealthOutcome, HealthSection } from './health-section.js'

const { layout, health: texts } = TEXTS
const PATH = '/console/health'
const SHOWN_OF_BACKLOG = 10

/** How the whole installation stands, for operators. */
export const healthPages = (deps: PageDeps, section: HealthSection): ReadonlyArray<Page> => [
  { path: PATH, get: forOperators(deps, (signedIn) => show(section, signedIn, {})) },
  { path: `${PATH}/check`, post: forOperators(deps, async (signedIn) => show(section, signedIn, { checks: await section.runChecks() })) },
  {
    path: `${PATH}/reconcile`,
    // The use case checks that she may do it.
    post: whenSignedIn(deps, async (request, signedIn) => {
      const done = await section.reconcile({ by: actorOf(signedIn, request) })()
      return E.isRight(done) ? show(section, signedIn, { said: texts.reconciled(done.right) }) : failurePage(done.left, signedIn)
    }, 'message.reconcile'),
  },
]

const forOperators = (deps: PageDeps, handle: (signedIn: Authenticated) => Promise<Answer>) =>
  whenSignedIn(deps, async (request: PageRequest, signedIn) => {
    const allowed = await deps.checkAct({ by: actorOf(signedIn, request), act: 'health.view', workspace: undefined })
    return E.isLeft(allowed) ? failurePage(allowed.left, signedIn) : handle(signedIn)
  }, 'health.view')

const show = async ({ gateways, backlog, unconfirmed, rateCard }: HealthSection, signedIn: Authenticated, outcome: HealthOutcome): Promise<Answer> => {
  const [alive, waiting, open] = await Promise.all([gateways()(), backlog(SHOWN_OF_BACKLOG)(), unconfirmed()()])
  if (E.isLeft(alive)) return failurePage(alive.left, signedIn)
  if (E.isLeft(waiting)) return failurePage(waiting.left, signedIn)
  if (E.isLeft(open)) return failurePage(open.left, signedIn)
  const content: VNode = <HealthPage gateways={alive.right} backlog={waiting.right} unconfirmed={open.right} rateCard={rateCard()} outcome={outcome} />
  return { _tag: 'Html', title: layout.health, path: PATH, signedIn, content }
}
