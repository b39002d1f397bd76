import type { VNode } from 'preact'
import { render } from 'preact-render-to-string'
import { isAllowed } from '../../core/access.js'
import type { HtmlAnswer } from './answer.js'
import { STYLE_PATH } from './style.js'

/** The whole text of a page. */
export const renderPage = (answer: HtmlAnswer): string => `<!doctype html>${render(<Layout {...answer} />)}`

const Layout = ({ title, content, signedIn }: HtmlAnswer): VNode => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="robots" content="noindex" />
      <title>{`${title} · Postern`}</title>
      <link rel="stylesheet" href={STYLE_PATH} />
    </head>
    <body>
      <a class="skip" href="#main">Skip to the content</a>
      <header>
        <strong>Postern</strong>
        {signedIn !== undefined && <Navigation {...signedIn} />}
      </header>
      <main id="main" tabindex={-1} {...(signedIn === undefined && { class: 'narrow' })}>
        <h1>{title}</h1>
        {content}
      </main>
    </body>
  </html>
)

const Navigation = ({ principal }: NonNullable<HtmlAnswer['signedIn']>): VNode => (
  <>
    <nav aria-label="Console">
      <ul>
        <li><a href="/console">Workspaces</a></li>
        {isAllowed(principal, 'member.view', undefined) && <li><a href="/console/members">Members</a></li>}
        {isAllowed(principal, 'audit.view', undefined) && <li><a href="/console/audit">Audit log</a></li>}
        <li><a href="/console/account">{principal.email}</a></li>
      </ul>
    </nav>
    <form method="post" action="/console/sign-out"><button class="plain">Sign out</button></form>
  </>
)
