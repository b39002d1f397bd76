/** The only style sheet. Colours have a contrast of at least 4.5 to 1 in both schemes. */
export const STYLE = `:root{color-scheme:light dark;--bg:#fff;--fg:#1a1d21;--soft:#555c66;--line:#c9ced6;--panel:#f5f6f8;--accent:#0b57c4;--on-accent:#fff;--bad:#b3261e;--good:#146c2e}
@media (prefers-color-scheme:dark){:root{--bg:#15181c;--fg:#e8eaed;--soft:#a8b0bb;--line:#454c56;--panel:#1e2329;--accent:#8ab4f8;--on-accent:#10213d;--bad:#ff8a80;--good:#7fd99a}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:1rem/1.5 system-ui,sans-serif}
a{color:var(--accent)}
:focus-visible,input[type=date]:focus-within,input[type=datetime-local]:focus-within{outline:3px solid var(--accent);outline-offset:2px}
.skip{position:absolute;left:-999rem}
.skip:focus{left:.5rem;top:.5rem;background:var(--bg);padding:.5rem;z-index:1}
header{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:center;padding:.75rem 1rem;border-bottom:1px solid var(--line);background:var(--panel)}
header strong{font-size:1.1rem}
header ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;margin:0;padding:0}
header form{margin-left:auto}
nav.workspace{padding:.5rem 1rem;border-bottom:1px solid var(--line)}
nav.workspace ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;margin:.25rem 0 0;padding:0}
[aria-current=page]{color:inherit;font-weight:600;text-decoration:none}
main{max-width:64rem;margin:0 auto;padding:1rem}
main.narrow{max-width:26rem}
h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0 1rem}
h2{font-size:1.15rem;margin:2rem 0 .5rem}
label,legend{display:block;font-weight:600;margin:.75rem 0 .25rem}
.hint,.soft{color:var(--soft);font-weight:400}
input,select,textarea{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--soft);border-radius:.3rem;padding:.45rem .6rem;width:100%;max-width:26rem;min-height:2.75rem}
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
.refused,.fault{color:var(--bad)}
.fault{margin:.25rem 0 0}
[aria-invalid]{border-color:var(--bad)}
.good{color:var(--good)}
.ranges ul{display:flex;flex-wrap:wrap;gap:.5rem;list-style:none;margin:0;padding:0}
.ranges a{display:inline-block;padding:.35rem .75rem;border:1px solid var(--line);border-radius:.3rem;text-decoration:none}
.ranges a[aria-current]{background:var(--panel);border-color:var(--fg);text-decoration:underline}
.attention{list-style:none;padding:0;margin:0;overflow-wrap:anywhere}
.attention .note{margin:.5rem 0}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(14rem,1fr));gap:.75rem;margin:1.5rem 0 0}
.tiles>div{border:1px solid var(--line);border-radius:.4rem;padding:.75rem 1rem;background:var(--panel)}
.tiles .check{padding:.45rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
dt{color:var(--soft)}
.tiles dd{margin:0;overflow-wrap:anywhere}
.tiles strong .amount{white-space:normal;overflow-wrap:normal}
.tiles strong{display:block;font-size:1.35rem;font-variant-numeric:tabular-nums}
.tiles .hint{font-size:.875rem}
.chart{margin:0}
.chart .scroll>svg{display:block;width:100%;min-width:34rem;height:auto}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:.25rem 0 .75rem;padding:0}
.legend svg{vertical-align:-.15rem;margin-right:.4rem}
.grid{stroke:var(--line)}
.axis,.piece{stroke:var(--soft)}
.piece{stroke-width:.5}
.tick{fill:var(--soft);font-size:11px}
.tick.end{text-anchor:end}
.tick.middle{text-anchor:middle}
.fill-0{fill:var(--good)}.fill-1{fill:var(--panel)}.fill-2{fill:var(--accent)}.fill-3{fill:var(--bg)}.fill-4{fill:var(--bg)}
.line-1{stroke:var(--good);stroke-width:2.5;fill:none}.line-2{stroke:var(--bg);stroke-width:2}.line-3{stroke:var(--soft);stroke-width:1.5}.line-4{stroke:var(--bad);stroke-width:1.5}
table.figures td,table.figures thead th:not(:first-child){text-align:right;font-variant-numeric:tabular-nums}
table.figures td:not(:last-child){padding-left:.75rem}
.quiet summary{color:var(--accent)}
summary{cursor:pointer;color:var(--bad);padding:.25rem 0}
.mono,code{font-family:ui-monospace,monospace;font-size:.9em;overflow-wrap:anywhere}
code{user-select:all}
.amount{white-space:nowrap;font-variant-numeric:tabular-nums}
.state{display:inline-block;border:1px solid var(--soft);border-radius:1rem;padding:0 .6rem;font-size:.875rem}
.state.good{color:var(--good);border-color:var(--good)}
.state.bad{color:var(--bad);border-color:var(--bad)}
.inline{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}
.inline input{flex:0 1 26rem;min-width:10rem}
.inline button{margin:0}
.left{white-space:nowrap}
meter{width:4rem;vertical-align:middle}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:.35rem 1.5rem;margin:1rem 0}
.facts dt{color:var(--soft)}
.facts dd{margin:0;overflow-wrap:anywhere}
.note h2{margin-top:.25rem}
.filter{border:1px solid var(--line);border-radius:.3rem;padding:.25rem .75rem;margin:0 0 1rem}
.filter summary,.note summary{color:var(--accent)}
pre{overflow-x:auto;font-size:.875rem}
label.choice{font-weight:400}
.choice input{width:auto;min-height:0}
@media (max-width:30rem){.facts{grid-template-columns:1fr;gap:0}.facts dd{margin-bottom:.5rem}}
textarea{min-height:8rem;max-width:44rem;resize:vertical}
.bubble{border:1px solid var(--line);border-radius:.75rem;background:var(--panel);padding:.5rem 1rem;margin:.5rem 0;max-width:30rem;overflow-wrap:anywhere}
.bubble p{margin:.25rem 0;white-space:pre-wrap}
pre.secret{white-space:pre-wrap;margin:.5rem 0 0;font-size:.85rem}
.panel{border:1px solid var(--line);border-radius:.5rem;padding:.25rem 1rem .75rem;max-width:44rem}
fieldset{border:0;margin:.75rem 0;padding:0;min-width:0}
legend{padding:0;margin-top:0}
.behind button{margin:.5rem 0}
@media (max-width:40rem){.option .hint{flex-basis:100%;padding-left:1.85rem}}
.option{display:flex;flex-wrap:wrap;gap:.1rem .6rem;align-items:center;min-height:2rem}
.option input{width:1.25rem;min-height:1.25rem;margin:0;accent-color:var(--accent)}
.option label{margin:0;font-weight:500}
.behind>summary{color:var(--accent)}
.behind.danger>summary{color:var(--bad)}
.behind p{margin:.25rem 0;max-width:40rem}
form[role=search]{display:flex;flex-wrap:wrap;gap:0 .75rem;align-items:end;margin-bottom:1.25rem}
form[role=search]>:first-child{flex:0 1 26rem}
form[role=search] button{margin:.5rem 0 0}
.badge{display:inline-block;white-space:nowrap;border:1px solid currentColor;border-radius:1rem;padding:0 .6rem;font-size:.85rem;font-weight:600;color:var(--soft)}
.badge.good{color:var(--good)}
.badge.bad{color:var(--bad)}
.pairs{display:grid;gap:0 2rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,15rem),1fr));margin:0 0 1rem}
.pairs>div{padding:.45rem 0;border-bottom:1px solid var(--line);min-width:0}
dt{color:var(--soft);font-size:.9rem}
dd{margin:0;overflow-wrap:anywhere}
@media (max-width:40rem){table.cards thead{position:absolute;left:-999rem}table.cards tr,table.cards td{display:block;border:0;padding:.1rem 0}table.cards tr{border-bottom:1px solid var(--line);padding:.5rem 0}table.cards td:empty{display:none}table.cards td[data-label]::before{content:attr(data-label) ": ";color:var(--soft)}}
`
