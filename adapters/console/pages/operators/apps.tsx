import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { type PlatformApp, type SendersOfApp, webhookPathOf } from '../../../../core/workspaces/apps.js'
import type { Answer } from '../../answer.js'
import { written } from '../../chart.js'
import { failurePage } from '../../failure-page.js'
import type { UsesOf } from '../../gateway.js'
import { actorOf, type Page, type PageDeps, whenSignedIn } from '../../page.js'
import { Empty, Id, State, Table, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'

const { layout, apps: texts } = TEXTS
const PATH = '/console/apps'

/** The dependencies of this page. */
export type AppsSection = Pick<UsesOf<'apps'>, 'countSenders' | 'listApps'>

/** The apps of the platform, for operators. Secrets are never shown; the command line adds and changes apps. */
export const appsPages = (deps: PageDeps, { listApps, countSenders }: AppsSection): ReadonlyArray<Page> => [{
  path: PATH,
  get: whenSignedIn(deps, async (request, signedIn): Promise<Answer> => {
    // Like the health of the installation, the apps concern all workspaces.
    const allowed = await deps.audit.checkView({ by: actorOf(signedIn, request), act: 'health.view', workspace: undefined })
    if (E.isLeft(allowed)) return failurePage(allowed.left, signedIn)
    const [apps, counts] = await Promise.all([listApps(), countSenders()])
    if (E.isLeft(apps)) return failurePage(apps.left, signedIn)
    if (E.isLeft(counts)) return failurePage(counts.left, signedIn)
    return {
      _tag: 'Html', title: layout.apps, path: PATH, signedIn,
      content: <Shown apps={apps.right} counts={counts.right} origin={request.origin ?? ''} />,
    }
  }, 'health.view'),
}]

const ENVIRONMENT_PATH = '/webhooks/platform'
const ENVIRONMENT_SECRET = 'PLATFORM_APP_SECRET'

const Shown = ({ apps, counts, origin }: {
  readonly apps: ReadonlyArray<PlatformApp>; readonly counts: ReadonlyArray<SendersOfApp>; readonly origin: string
}): VNode => {
  const sendersOf = (id: string | undefined): string => written(counts.find(({ app }) => app === id)?.senders ?? 0)
  return (
    <>
      <p class="soft">{texts.about}</p>
      <Table label={layout.apps} columns={[texts.name, texts.webhook, texts.secrets, { number: texts.numbers }, texts.created]}>
        <tr>
          <td data-label={texts.name}>{texts.environment}</td>
          <td data-label={texts.webhook}><Id of={`${origin}${ENVIRONMENT_PATH}`} isWhole /></td>
          <td data-label={texts.secrets}><code>{ENVIRONMENT_SECRET}</code></td>
          <td data-label={texts.numbers} class="number">{sendersOf(undefined)}</td>
          <td data-label={texts.created} />
        </tr>
        {apps.map((app) => (
          <tr key={app.id}>
            <td data-label={texts.name}>{app.name}</td>
            <td data-label={texts.webhook}><Id of={`${origin}${webhookPathOf(app)}`} isWhole /></td>
            <td data-label={texts.secrets}><Secrets of={app} /></td>
            <td data-label={texts.numbers} class="number">{sendersOf(app.id)}</td>
            <td data-label={texts.created}><Time at={app.createdAt} /></td>
          </tr>
        ))}
      </Table>
      {apps.length === 0 && <Empty sentence={texts.none} icon="link" />}
      <p class="hint">{texts.commands}</p>
    </>
  )
}

/** Two app secrets are valid while one is changed, so an operator has to finish the change. */
const Secrets = ({ of: { rotatingSince } }: { readonly of: PlatformApp }): VNode =>
  (rotatingSince === undefined
    ? <>{texts.one}</>
    : <><State text={texts.two} tone="attention" /> <span class="soft">{texts.since} <Time at={rotatingSince} /></span></>)
