import { randomUUID } from 'node:crypto'
import { h, type VNode } from 'preact'
import { render } from 'preact-render-to-string'
import type { HtmlAnswer } from './answer.js'
import { FONT, PAGE_ICON, SCRIPT, STYLE_SHEET } from './assets.js'
import { Mark } from './icons.js'
import { currentLanguage } from './language.js'
import { FirstAct, Navigation } from './navigation.js'
import { Menu } from './parts.js'
import { SearchField } from './search-field.js'
import { TEXTS } from './texts.js'
import { currentZone, inZone } from './zone.js'

const { layout } = TEXTS

/** Typed as a string, because the types of the elements do not support raw HTML. */
const DIV: string = 'div'

/**
 * Only the streams of htmx are used: it keeps no history, adds no style, and loads no other extension. Opened elements in a live part stay open; the other
 * name is htmx's own.
 */
const SCRIPT_SETTINGS = JSON.stringify({
  history: false, includeIndicatorCSS: false, extensions: 'sse', morphIgnore: ['data-htmx-powered', 'open'],
})

/** The whole text of a page; `patterns` are the addresses of all existing pages. */
export const renderPage = (answer: HtmlAnswer, patterns: ReadonlySet<string>): string => inZone(answer.zone ?? currentZone(), () => `<!doctype html>${render(<Layout answer={answer} patterns={patterns} />)}`)

/** The text of a page in two halves, between which the other parts are sent as they become available. */
export const renderHalves = (answer: HtmlAnswer, patterns: ReadonlySet<string>): readonly [string, string] => {
  const mark = randomUUID()
  const [begin = '', end = ''] = renderPage({ ...answer, content: <>{answer.content}<div role="log">{mark}</div></> }, patterns).split(mark)
  return [begin, end]
}

const Layout = ({ answer: { title, content, signedIn, workspace, firstAct, rareActs, path, historyAddress, flash, sought }, patterns }: {
  readonly answer: HtmlAnswer; readonly patterns: ReadonlySet<string>
}): VNode => (
  <html lang={currentLanguage()}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="robots" content="noindex" />
      <meta name="htmx-config" content={SCRIPT_SETTINGS} />
      <title>{[title, workspace?.name, layout.product].filter((part) => part !== undefined).join(' · ')}</title>
      <link rel="preload" as="font" type={FONT.type} href={FONT.path} crossorigin="anonymous" />
      <link rel="stylesheet" href={STYLE_SHEET.path} />
      <link rel="icon" type="image/svg+xml" href={PAGE_ICON.path} />
      <script src={SCRIPT.path} defer />
    </head>
    <body data-zone={currentZone()} data-history={historyAddress}>
      <a class="skip" href="#main">{layout.skip}</a>
      {signedIn !== undefined && <Navigation signedIn={signedIn} path={path} patterns={patterns} workspace={workspace} />}
      <main id="main" tabindex={-1} {...(signedIn === undefined && { class: 'alone' })}>
        {signedIn === undefined && <p class="product"><Mark />{layout.product}</p>}
        <div class="head">
          <h1>{title}</h1>
          {signedIn !== undefined && <SearchField patterns={patterns} workspace={workspace} sought={sought} />}
          {signedIn !== undefined && firstAct !== undefined && (
            <FirstAct entry={firstAct} signedIn={signedIn} path={path} patterns={patterns} workspace={workspace} />
          )}
          {rareActs !== undefined && (
            <Menu label={TEXTS.parts.moreActs} isOpen={rareActs.isOpen === true}>{rareActs.content}</Menu>
          )}
        </div>
        {signedIn !== undefined && (
          <p id="not-live" class="note bad" role="status" hidden>{TEXTS.parts.notLive} <a href="">{TEXTS.parts.reload}</a></p>
        )}
        {flash !== undefined && h(DIV, { dangerouslySetInnerHTML: { __html: flash } })}
        {content}
        {signedIn !== undefined && <p class="hint zone">{TEXTS.parts.zone(currentZone())}</p>}
      </main>
    </body>
  </html>
)
