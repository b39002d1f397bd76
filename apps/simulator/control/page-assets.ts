/** The style of the page, light or dark as the browser prefers. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --back: #f4f6f4; --card: #fff; --ink: #1c2a24; --soft: #5d6d65; --line: #dfe6e1;
  --brand: #0b7a5b; --bad: #b3342c; --odd: #8a5a00 }
@media (prefers-color-scheme: dark) { :root { --back: #121815; --card: #1b2420; --ink: #e3ebe6; --soft: #98a8a0;
  --line: #2d3a34; --brand: #4cc39c; --bad: #ff8b80; --odd: #e5b454 } }
* { box-sizing: border-box }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; background: var(--back); color: var(--ink) }
header { padding: 1.4rem 2rem .4rem; max-width: 1400px; margin: auto } h1 { margin: 0; font-size: 1.5rem;
  color: var(--brand) } header p { margin: 0; color: var(--soft) } a { color: var(--brand) }
main { display: grid; grid-template-columns: minmax(0, 1fr) 22rem; gap: 1.5rem; padding: 1rem 2rem 3rem; max-width: 1400px;
  margin: auto; align-items: start }
@media (max-width: 900px) { main { grid-template-columns: minmax(0, 1fr) } }
section, .card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1rem 1.2rem }
section { overflow-x: auto } aside { display: grid; gap: 1rem } h2 { font-size: 1.05rem; margin: 0 0 .6rem }
table { width: 100%; border-collapse: collapse; font-size: .9rem } th { text-align: left; color: var(--soft); font-weight: 500 }
td, th { padding: .45rem .5rem; border-top: 1px solid var(--line); vertical-align: top }
td:first-child, th, .link, .badge, .type { white-space: nowrap }
.message { width: 100%; min-width: 12rem; overflow-wrap: anywhere } .outcome { min-width: 9rem }
time, code { font-family: ui-monospace, monospace; font-size: .85em } small { display: block; color: var(--soft);
  font-size: .78em }
.figures { display: flex; flex-wrap: wrap; gap: .4rem 1.4rem; list-style: none; margin: 0 0 .4rem; padding: 0;
  color: var(--soft) } .figures b { color: var(--ink); font-size: 1.15rem }
.hint, .empty { color: var(--soft); margin: .2rem 0 .8rem } .empty { padding: 2rem 0; text-align: center }
.ticks { color: var(--soft); letter-spacing: -.35em; padding-right: .4em } .ticks.read { color: #34a3e6 }
.type, .badge { display: inline-block; border-radius: 999px; padding: 0 .55em; font-size: .8em;
  border: 1px solid var(--line); color: var(--soft) }
.badge.accepted { color: var(--brand); border-color: currentColor } .badge.refused { color: var(--bad);
  border-color: currentColor } .badge.fault { color: var(--odd); border-color: currentColor }
label { display: block; margin-bottom: .6rem; color: var(--soft); font-size: .85rem }
input, select, textarea { display: block; width: 100%; margin-top: .15rem; padding: .45rem .6rem; font: inherit;
  color: var(--ink); background: var(--back); border: 1px solid var(--line); border-radius: 8px }
button { font: inherit; cursor: pointer; border: 0; border-radius: 8px; padding: .5rem 1rem; background: var(--brand);
  color: var(--card) }
button.quiet { background: none; color: var(--ink); border: 1px solid var(--line) } button.link { padding: 0;
  background: none; color: inherit; text-decoration: underline dotted }
:focus-visible { outline: 2px solid var(--brand); outline-offset: 2px } summary { cursor: pointer; font-weight: 600 }
`

/** Fetches the received messages every two seconds, and fills in the number of the customer who was clicked. */
export const PAGE_SCRIPT = `
const list = document.getElementById('arrived')
setInterval(async () => {
  if (document.hidden || list.contains(document.activeElement)) return
  try {
    const answer = await fetch('/_simulator/log?arrived')
    if (answer.ok) list.innerHTML = await answer.text()
  } catch { /* The simulator is down; the page keeps what it has. */ }
}, 2000)
list.addEventListener('click', ({ target }) => {
  if (target.dataset.number === undefined) return
  document.querySelector('input[name=number]').value = target.dataset.number
  document.querySelector('textarea[name=text]').focus()
})
`
