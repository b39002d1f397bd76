import { createHash } from 'node:crypto'
import type { TextReply } from '../reply.js'
import { STYLE } from './style.js'

const policy = (more: ReadonlyArray<string>): string => [
  "default-src 'none'", `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`, ...more, 'img-src data:',
  "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
].join('; ')

/** The policy of a page that loads nothing. */
const WITHOUT_SCRIPT = policy([])
/** The policy of a page with the script of the reference: it may load the script, and call the gateway. */
const WITH_SCRIPT = policy(["script-src 'self'", "connect-src 'self'"])

/** Creates a page that loads nothing but its script, if it has one. The title is plain text, the body HTML. */
export const htmlPage = (title: string, body: string, script?: string): TextReply => ({
  status: 200,
  headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': script === undefined ? WITHOUT_SCRIPT : WITH_SCRIPT },
  body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>${script === undefined ? '' : `\n<script src="${text(script)}" defer></script>`}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${body}
</body>
</html>
`,
})

/** The mark of the product. */
export const MARK = '<svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><rect width="24" height="24" rx="5"/><path d="M7 18v-7a5 5 0 0 1 10 0v7"/></svg>'

/** Converts Markdown to HTML. Only paragraphs, lists and code are supported. */
export const prose = (markdown: string): string => markdown.split('\n\n').map(blockOf).join('')

const blockOf = (block: string): string =>
  block.startsWith('- ')
    ? `<ul>${block.split('\n').map((line) => `<li>${inline(line.replace(/^- /, ''))}</li>`).join('')}</ul>`
    : block === '' ? '' : `<p>${inline(block)}</p>`

/** Converts text to HTML; backticks mark code. */
export const inline = (markdown: string): string => text(markdown).replace(/`([^`]+)`/g, '<code>$1</code>')

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Plain text as HTML. */
export const text = (plain: string): string => plain.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
