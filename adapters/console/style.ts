import { createHash } from 'node:crypto'

/** The only style sheet. Colours have a contrast of at least 4.5 to 1 in both schemes. */
export const STYLE = `:root{color-scheme:light dark;--bg:#fff;--fg:#1a1d21;--soft:#555c66;--line:#c9ced6;--panel:#f5f6f8;--accent:#0b57c4;--on-accent:#fff;--bad:#b3261e;--good:#146c2e}
@media (prefers-color-scheme:dark){:root{--bg:#15181c;--fg:#e8eaed;--soft:#a8b0bb;--line:#454c56;--panel:#1e2329;--accent:#8ab4f8;--on-accent:#10213d;--bad:#ff8a80;--good:#7fd99a}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:1rem/1.5 system-ui,sans-serif}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.skip{position:absolute;left:-999rem}
.skip:focus{left:.5rem;top:.5rem;background:var(--bg);padding:.5rem;z-index:1}
header{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:center;padding:.75rem 1rem;border-bottom:1px solid var(--line);background:var(--panel)}
header strong{font-size:1.1rem}
header ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;margin:0;padding:0}
header form{margin-left:auto}
main{max-width:64rem;margin:0 auto;padding:1rem}
main.narrow{max-width:26rem}
h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0 1rem}
h2{font-size:1.15rem;margin:2rem 0 .5rem}
label,legend{display:block;font-weight:600;margin:.75rem 0 .25rem}
.hint,.soft{color:var(--soft);font-weight:400}
input,select{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--soft);border-radius:.3rem;padding:.45rem .6rem;width:100%;max-width:26rem;min-height:2.75rem}
button,.button{display:inline-block;font:inherit;font-weight:600;color:var(--on-accent);background:var(--accent);border:1px solid var(--accent);border-radius:.3rem;padding:.5rem 1rem;min-height:2.75rem;margin:.75rem .5rem .25rem 0;cursor:pointer;text-decoration:none}
button.plain,.button.plain{color:var(--accent);background:transparent}
button.danger{color:var(--bad);background:transparent;border-color:var(--bad)}
header button,td button{margin:0;padding:.25rem .75rem;min-height:2.25rem}
.row{display:flex;flex-wrap:wrap;gap:0 1rem;align-items:end}
.row>div{flex:1 1 10rem}
.note{border-left:4px solid var(--accent);background:var(--panel);padding:.5rem .75rem;margin:1rem 0}
.note.bad{border-color:var(--bad)}
.secret{display:block;overflow-wrap:anywhere;font-family:ui-monospace,monospace;background:var(--panel);border:1px solid var(--line);padding:.5rem;user-select:all}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.45rem .75rem .45rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
th{white-space:nowrap}
.refused{color:var(--bad)}
summary{cursor:pointer;color:var(--bad);padding:.25rem 0}
@media (max-width:40rem){table.cards thead{position:absolute;left:-999rem}table.cards tr,table.cards td{display:block;border:0;padding:.1rem 0}table.cards tr{border-bottom:1px solid var(--line);padding:.5rem 0}table.cards td[data-label]::before{content:attr(data-label) ": ";color:var(--soft)}}
`

/** Where the style sheet is. Its name changes with its text, so that browsers may keep it for ever. */
export const STYLE_PATH = `/console/style.${createHash('sha256').update(STYLE).digest('hex').slice(0, 16)}.css`
