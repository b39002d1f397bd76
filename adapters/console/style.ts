import { BATCH_STYLE } from './batch-style.js'
import { PALETTE_STYLE } from './palette-style.js'
import { STATEMENT_STYLE } from './statement-style.js'
import { TOKENS } from './tokens.js'

/** The only style sheet: the tokens, the frame, and the parts in the order of their file. */
export const STYLE = `${TOKENS}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:14px/20px var(--sans);display:grid;grid-template-columns:232px minmax(0,1fr);min-height:100vh}
body:has(.alone){display:block}
a{color:var(--brand);text-decoration:none;font-weight:500}
main a:hover{text-decoration:underline}
main p a{text-decoration:underline}
:focus-visible,input[type=date]:focus-within,input[type=datetime-local]:focus-within{outline:2px solid var(--brand);outline-offset:2px}
main:focus{outline:0}
.skip{position:absolute;left:-999rem;z-index:2}
.skip:focus{left:8px;top:8px;background:var(--card);padding:8px 12px;border-radius:var(--radius)}
.icon{fill:none;stroke:currentColor;stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round;flex:none}
.mark{flex:none}.mark rect{fill:var(--brand)}.mark path{fill:none;stroke:var(--on-brand);stroke-width:2.4}

.side{background:var(--side);border-right:1px solid var(--line);padding:12px;position:sticky;top:0;height:100vh;display:flex;flex-direction:column}
.product{display:flex;align-items:center;gap:10px;padding:4px 8px 12px;color:var(--text);font-size:15px;font-weight:600}
.menu,.here{display:none}
.places{display:flex;flex-direction:column;flex:1;min-height:0}
.places>nav{flex:0 1 auto;min-height:0;overflow-y:auto}
.switch{display:grid;grid-template-columns:1fr auto;align-items:center;background:var(--card);border:1px solid var(--line);border-radius:var(--card-radius);box-shadow:var(--shadow);padding:8px 10px;margin-bottom:16px;color:var(--text)}
.switch strong{font-weight:600;font-size:13px;overflow-wrap:anywhere}
.switch span{grid-row:2;font-size:12px;color:var(--muted);font-weight:400}
.switch .icon{grid-column:2;grid-row:1/3}
.side h2{font-size:12px;line-height:16px;font-weight:500;color:var(--muted);margin:12px 8px 2px}
.side nav>div:first-child h2{position:absolute;left:-999rem}
.side ul{list-style:none;margin:0;padding:0}
.side li a{display:flex;align-items:center;gap:10px;min-height:32px;padding:4px 8px;border-radius:var(--radius);color:var(--text);font-weight:400}
.side li a:hover{background:var(--quiet-soft)}
.side li .icon{color:var(--muted)}
.side [aria-current=page]{background:var(--brand-soft);font-weight:600}
.side [aria-current=page] .icon{color:var(--brand)}
.person{position:relative;margin-top:auto;padding:12px 0 0 8px;border-top:1px solid var(--line);display:flex;align-items:center;justify-content:space-between;gap:8px}
.person>a{flex:1}
.speaks{margin:0}
.speaks summary{display:grid;place-items:center;width:28px;height:28px;padding:0;border-radius:var(--radius);color:var(--muted);list-style:none}
.speaks summary::-webkit-details-marker{display:none}
.speaks summary:hover,.speaks[open] summary{background:var(--quiet-soft)}
.speaks .languages{position:absolute;bottom:100%;left:0;right:0;margin-bottom:4px;padding:8px;background:var(--card);border:1px solid var(--edge);border-radius:var(--card-radius);box-shadow:var(--shadow)}
.places nav:last-of-type{margin-bottom:12px}
.person a{color:var(--text);font-size:13px;min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.person button{padding:0 8px;min-height:28px;margin:0;font-size:12px;white-space:nowrap}
main{padding:28px 40px 48px;max-width:1280px;min-width:0;overflow-wrap:break-word}
main.alone{max-width:440px;margin:0 auto;padding-top:12vh}
.alone .product{margin:0 0 24px;padding:0}
.alone form{margin-bottom:16px}
.alone form button{width:100%}
.languages{display:flex;flex-wrap:wrap;gap:4px}
.alone .languages{margin-top:24px}
.languages button,.alone .languages button{width:auto;min-height:28px;margin:0;padding:0 10px;font-size:12px}
.languages [aria-current]{background:var(--brand-soft);border-color:var(--brand-soft);font-weight:600}
.alone input{max-width:none}

h1{font-size:20px;line-height:28px;font-weight:600;letter-spacing:-.01em;margin:3px 0;overflow-wrap:anywhere}
.head{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;gap:8px 16px;margin:0 0 20px}
.head .button{margin:0}
.head h1{margin-right:auto}
.find{position:relative;flex:0 1 264px}
.find .icon{position:absolute;left:10px;top:8px;color:var(--muted);pointer-events:none}
.find input{max-width:none;padding-left:36px;padding-right:62px}
.find input::-webkit-search-cancel-button{display:none}
kbd{font:12px/16px var(--sans);color:var(--muted);border:1px solid var(--edge);border-radius:4px;padding:0 5px;min-width:20px;text-align:center;font-weight:400}
.find kbd{display:none;position:absolute;right:8px;top:8px}
[data-keys] .find kbd{display:block}
.find input:focus~kbd{display:none}
th a{color:inherit}th[aria-sort] a::after{content:" ↕";opacity:.5}th[aria-sort=ascending] a::after{content:" ↑";opacity:1}th[aria-sort=descending] a::after{content:" ↓";opacity:1}
th:is([aria-sort=ascending],[aria-sort=descending]){color:var(--text)}
.unseen{position:absolute;left:-999rem;margin:0}
${PALETTE_STYLE}h2{font-size:14px;line-height:20px;font-weight:600;margin:24px 0 12px}
h3{font-size:13px;font-weight:600;margin:16px 0 8px}
p{margin:8px 0}
.hint,.soft{color:var(--muted);font-weight:400}
.hint{font-size:12px;line-height:16px}
.card{background:var(--card);border:1px solid var(--line);border-radius:var(--card-radius);box-shadow:var(--shadow)}
.panel{padding:16px 20px;margin:24px 0}
.beside{display:grid;grid-template-columns:minmax(0,2fr) minmax(280px,1fr);gap:16px 24px;align-items:start}
.beside>.panel{margin-top:0}.beside>:only-child{grid-column:1/-1}
.heading{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:baseline;gap:0 16px}
.panel>.heading:first-child h2{margin-top:0}
.setup{padding:16px 20px;margin:0 0 20px}.setup h2,.panel>h2:first-child{margin-top:0}
.setup ol{list-style:none;margin:0;padding:0;display:grid;grid-template-columns:repeat(auto-fit,minmax(180px,1fr));gap:16px 20px}
.setup p{margin:2px 0 0}
.setup .state{margin-bottom:6px}
.setup h2 .soft{margin-left:8px;font-weight:400}
.reasons{list-style:none;margin:0;padding:0}
.reasons li+li{margin-top:16px}
.reasons a{display:flex;justify-content:space-between;gap:16px;color:var(--text)}
.reasons a strong{font-weight:500;font-variant-numeric:tabular-nums}
.reasons p{margin:2px 0 6px}
.reasons .share{display:block;width:100%;height:3px}
.share rect{fill:var(--bad)}
.panel>h2:first-child{margin-top:0}.panel>:last-child{margin-bottom:0}
.panel .card{box-shadow:none}
.panel .facts.card,.note .facts.card{border:0;padding:0;background:none;margin:0}

.money{white-space:nowrap;font-variant-numeric:tabular-nums}
.money.in{color:var(--good)}
time{white-space:nowrap;font-variant-numeric:tabular-nums}
code,.mono,pre{font-family:var(--mono);font-size:12px}
code{overflow-wrap:anywhere;user-select:all}
.id{display:inline-flex;align-items:center;gap:4px;max-width:100%}
.copy{display:none}
[data-copies] .copy{display:inline-flex;margin:0;padding:3px;min-height:0;border:0;box-shadow:none;background:none;color:var(--muted)}
.copy .icon{width:14px;height:14px}
[data-copies] .copy[data-done]{color:var(--good)}
.state{display:inline-flex;align-items:center;gap:6px;min-height:22px;padding:1px 8px;border-radius:6px;font-size:12px;line-height:16px;font-weight:500;background:var(--quiet-soft);color:var(--muted)}
.state::before{content:"";flex:none;width:6px;height:6px;border-radius:50%;background:currentColor}
.state.good{color:var(--good);background:var(--good-soft)}
.state.moving{color:var(--moving);background:var(--moving-soft)}
.state.attention{color:var(--attention);background:var(--attention-soft)}
.state.bad{color:var(--bad);background:var(--bad-soft)}

.scroll{overflow-x:auto;margin:12px 0 16px}
table{border-collapse:collapse;width:100%}
th{text-align:left;font-size:12px;line-height:16px;font-weight:500;color:var(--muted);white-space:nowrap}
th,td{padding:10px 20px 10px 0;vertical-align:top;border-bottom:1px solid var(--line)}
th:first-child,td:first-child{padding-left:20px}
tbody tr:last-child>*{border-bottom:0}
.number{text-align:right;font-variant-numeric:tabular-nums}
.whole{white-space:nowrap}
.long{overflow-wrap:anywhere;min-width:14rem}
tr:has(.first){position:relative}
.known{display:flex;gap:12px;align-items:center}.known>span:last-child{display:grid;min-width:0}.known .soft{font-size:13px}.known .tag{margin-left:6px;vertical-align:1px}
.tile{display:grid;place-items:center;flex:none;width:32px;height:32px;border-radius:6px;background:var(--brand-soft);color:var(--brand)}
.tag{display:inline-block;padding:1px 8px;border-radius:6px;background:var(--quiet-soft);color:var(--muted);font-size:12px;line-height:20px;font-weight:500}
.beneath{display:block}span:has(>.beneath){text-align:right}
.stated{display:flex;flex-wrap:wrap;align-items:center;gap:2px 8px}td .stated{display:grid;justify-items:start}
.first a{color:var(--text)}
.first a::after{content:"";position:absolute;inset:0}
tr:has(.first) :is(a,button,.money,time,.pick input){position:relative;z-index:1}
tr:has(.first) .first a{position:static}
td p{margin:0}
td button{margin:0}
tbody tr:hover{background:color-mix(in oklab,var(--side) 60%,transparent)}
.empty{display:flex;flex-direction:column;align-items:center;gap:8px;padding:32px 20px;margin:12px 0;border:1px dashed var(--edge);border-radius:var(--card-radius);color:var(--muted);text-align:center}
.empty p{margin:0;max-width:100%;overflow-wrap:anywhere}
.empty .icon{width:24px;height:24px}
.stats{display:flex;flex-wrap:wrap;margin:16px 0 24px;overflow:hidden}
.stats>div{flex:1 0 max(19%,min(100%,180px));padding:16px 20px;box-shadow:-1px -1px 0 var(--line)}
.stats dd{margin:0}
.stats>div{position:relative}
.stats .leads:hover{background:color-mix(in oklab,var(--side) 60%,transparent)}
.stats .leads a{color:inherit;font-weight:400}
.stats .leads a::after{content:"";position:absolute;inset:0}
.stats b{font-weight:500;color:var(--text)}.stats .good,.stats b.good{color:var(--good)}.stats b.bad{color:var(--bad)}
.stats>div:has(.spark)>dd{padding-right:0}
.spark{display:block;margin-top:8px;fill:none;stroke:var(--brand);stroke-width:1.5;stroke-linejoin:round;overflow:visible}
.spark circle{fill:var(--brand);stroke:none}
.stats>div:has(.funnel),.stats dd:has(.funnel){display:flex;flex-direction:column}.stats dd:has(.funnel){flex:1}
.stats dd .funnel{flex:none;height:40px;width:calc(100% + 40px);margin:auto -20px -16px;padding-top:12px;box-sizing:content-box}
.step-0{fill:color-mix(in oklab,var(--chart-3) 55%,var(--card))}.step-1{fill:var(--chart-3)}.step-2{fill:var(--chart-2)}.step-3{fill:var(--chart-1)}
.priced{margin:0 0 12px}.priced strong{font-size:28px;line-height:36px;font-weight:600;letter-spacing:-.022em;font-variant-numeric:tabular-nums}
.stats strong{display:block;font-size:28px;line-height:36px;font-weight:600;letter-spacing:-.022em;font-variant-numeric:tabular-nums}
dt{color:var(--muted);font-size:13px}
dd{margin:0;min-width:0}
.facts{padding:6px 20px;margin:12px 0 20px;max-width:720px}
.facts>div{display:flex;flex-wrap:wrap;justify-content:space-between;gap:2px 24px;padding:9px 0;border-bottom:1px solid var(--line)}
.facts>div:last-child{border-bottom:0}
.facts dd{overflow-wrap:anywhere}
.details{margin:0}
.details>div{display:flex;flex-wrap:wrap;gap:0 8px}
.details dt{font-size:13px}
.details dd{overflow-wrap:anywhere}

label,legend{display:block;font-weight:500;margin:0 0 4px}
form{margin:0}
form+form{margin-top:20px}
.field{margin:0 0 14px;min-width:0}
.field .hint{margin-top:4px}
.field>:is(input,textarea){display:block}
.field .count,.field .count+.hint{display:inline-block;margin-right:8px}
.option:has(+.field){margin-bottom:14px}
input,select,textarea{font:inherit;color:inherit;background:var(--card);border:1px solid var(--control);border-radius:var(--radius);padding:6px 10px;width:100%;max-width:32ch;min-height:34px}
input[type=url],textarea{max-width:560px}
input.short{max-width:24ch}
#sender{width:auto;max-width:100%}
input.file{max-width:560px;padding:24px 20px;border:1px dashed var(--control);background:var(--side);cursor:pointer}
input.file::file-selector-button{font:inherit;font-weight:500;color:var(--text);background:var(--card);border:1px solid var(--edge);border-radius:var(--radius);padding:6px 14px;margin-right:12px;cursor:pointer}
textarea{min-height:120px;resize:vertical}
[aria-invalid]{border-color:var(--bad);box-shadow:0 0 0 3px var(--bad-soft)}
[aria-invalid]:focus-visible{outline-color:var(--bad)}
.fault{display:flex;gap:6px;color:var(--bad);margin:4px 0 0;white-space:pre-line;max-width:560px;overflow-wrap:anywhere}
.kinds{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:8px;max-width:720px;margin-top:8px}
.kind{position:relative}
.kind input{position:absolute;inset:0;max-width:none;height:100%;margin:0;opacity:0;cursor:pointer}
.kind label{display:flex;align-items:center;gap:8px;height:100%;min-height:44px;margin:0;padding:8px 12px;border:1px solid var(--control);border-radius:var(--radius);background:var(--card);font-weight:400}
.kind .icon{color:var(--muted)}
.kind input:checked+label{border-color:var(--brand);background:var(--brand-soft);box-shadow:inset 0 0 0 1px var(--brand);font-weight:600}
.kind input:checked+label .icon{color:var(--brand)}
.kind input:focus-visible+label{outline:2px solid var(--brand);outline-offset:2px}
form:has(#what-text):not(:has(#what-template:checked)) .for-template{display:none}
button,.button{display:inline-flex;align-items:center;justify-content:center;gap:8px;font:inherit;font-weight:500;color:var(--on-brand);background:var(--brand);border:1px solid var(--brand);border-radius:var(--radius);padding:6px 14px;min-height:34px;margin:4px 8px 4px 0;cursor:pointer;box-shadow:var(--shadow)}
main p a.button,.button:hover{text-decoration:none}
button.plain,.button.plain{color:var(--text);background:var(--card);border-color:var(--edge)}
button.danger{color:var(--bad);background:var(--card);border-color:var(--bad)}
.row{display:flex;flex-wrap:wrap;gap:0 16px}
.row>.field{flex:0 1 220px}
.line{display:flex;flex-wrap:wrap;gap:0 8px;align-items:flex-start;max-width:640px}
.line .field{flex:0 1 32ch}
.line>button,.line>div:not(.field)>button{margin-top:24px}
fieldset{border:0;margin:0 0 14px;padding:0;min-width:0}
legend{padding:0}
.option,label.choice{display:flex;flex-wrap:wrap;gap:2px 8px;align-items:center;min-height:28px}
label.choice{font-weight:400}
.option input,.choice input{width:16px;min-height:16px;height:16px;margin:0;accent-color:var(--brand)}
.option label{margin:0;font-weight:500}
.side-panel .option{display:grid;grid-template-columns:auto 1fr;margin-bottom:14px}.side-panel .option :is(.hint,.fault){grid-column:2}
.note{border:1px solid var(--edge);border-radius:var(--card-radius);background:var(--brand-soft);padding:10px 16px;margin:12px 0;overflow-wrap:anywhere}
.note.bad{background:var(--bad-soft)}
.note>:first-child{margin-top:0}.note>:last-child{margin-bottom:0}
.note .hint,.note .soft,.note dt{color:inherit}
.note a{color:inherit;text-decoration:underline}
.attention-list{list-style:none;padding:0;margin:0 0 20px;background:var(--attention-soft);border:1px solid var(--edge);border-radius:var(--card-radius)}
.attention-list li{display:flex;flex-wrap:wrap;gap:2px 10px;padding:10px 16px;overflow-wrap:anywhere}
.attention-list li>div{flex:1 1 16rem;min-width:0}
.attention-list li>a{margin-left:28px}
.attention-list li+li{border-top:1px solid var(--edge)}
.attention-list .icon{color:var(--attention)}
.attention-list a{color:inherit;font-weight:600}
.attention-list p{margin:2px 0 0}.attention-list .hint{color:inherit}.attention-list .button{color:var(--text);margin:8px 0}
.attention-list .behind{margin:4px 0}.attention-list .behind>p{margin:4px 0}
.good{color:var(--good)}.refused{color:var(--bad)}
.side-panel{position:fixed;inset:0 0 0 auto;z-index:5;width:480px;max-width:100%;height:100%;max-height:none;margin:0;padding:0 24px 24px;overflow-y:auto;border:0;border-left:1px solid var(--edge);background:var(--card);color:var(--text);box-shadow:0 0 0 100vmax rgb(0 0 0 / .4)}
.side-panel::backdrop{background:none}
.side-panel .heading{align-items:center;margin:0 -24px 16px;padding:16px 24px;border-bottom:1px solid var(--line)}
.side-panel h2{font-size:18px;margin:0}
.side-panel .close{display:inline-flex;align-items:center;gap:8px;color:var(--muted)}
[data-keys] .side-panel .close::before{content:"Esc";font:12px/16px var(--sans);border:1px solid var(--edge);border-radius:4px;padding:0 6px}
.more{position:relative;z-index:1;margin:0}.more[open]{z-index:4}
.more>summary{display:grid;place-items:center;width:34px;height:34px;padding:0;border:1px solid var(--edge);border-radius:var(--radius);background:var(--card);color:var(--text);list-style:none}
.more>summary::-webkit-details-marker{display:none}.more>summary:hover,.more[open]>summary{background:var(--quiet-soft)}
.more>summary .icon{stroke-width:2.6}
.more>.card{position:absolute;right:0;z-index:4;width:320px;max-width:calc(100vw - 32px);margin-top:4px;padding:6px 16px;box-shadow:0 8px 24px rgb(0 0 0 / .14);white-space:normal;text-align:left}
.more .card>*{display:block;margin:0;padding:6px 0}.more .card>*+*{border-top:1px solid var(--line)}
td .more{display:inline-block}td .more>summary{width:28px;height:28px;border-color:transparent;background:none;color:var(--muted)}
details{margin:8px 0}
summary{cursor:pointer;font-weight:500;color:var(--brand);padding:4px 0}
.opens>summary{display:inline-flex;align-items:center;min-height:34px;padding:6px 14px;border:1px solid var(--edge);border-radius:var(--radius);background:var(--card);color:var(--text);list-style:none}
.opens>summary::-webkit-details-marker{display:none}.opens>summary:hover,.opens[open]>summary{background:var(--quiet-soft)}
.more .card .opens>summary{display:block;min-height:0;padding:4px 0;border:0;background:none;color:var(--brand)}
td .opens>summary{min-height:28px;padding:2px 10px;font-size:13px}.danger>summary,.more .card .danger>summary{color:var(--bad)}
.behind p{max-width:560px}
td .behind{margin:0}td summary{padding:0}td a+a{margin-left:12px}td .behind p,td .behind form{min-width:200px}
.filter{margin:0}
.secret{display:block;overflow-wrap:anywhere;background:var(--side);border:1px solid var(--line);border-radius:var(--radius);padding:8px 12px;user-select:all;color:var(--text)}
pre{overflow-x:auto}
pre.secret{white-space:pre-wrap;margin:8px 0 0}
ol.timeline{list-style:none;margin:8px 0 16px;padding:0;max-width:720px}
.timeline li{position:relative;padding:0 0 16px 26px;overflow-wrap:anywhere}
.timeline li::before{content:"";position:absolute;left:4px;top:5px;width:10px;height:10px;border-radius:50%;background:var(--edge)}
.timeline li:not(:last-child)::after{content:"";position:absolute;left:8px;top:19px;bottom:-1px;width:2px;background:var(--line)}
.timeline [data-tone=good]::before{background:var(--good)}.timeline [data-tone=moving]::before{background:var(--moving)}.timeline [data-tone=attention]::before{background:var(--attention)}.timeline [data-tone=bad]::before{background:var(--bad)}
.timeline li>div:first-child{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 12px}
.timeline strong{font-weight:500}
.timeline li>div>time{color:var(--muted);font-size:13px}
.timeline .soft{font-size:13px}
.bar{position:relative;display:flex;flex-wrap:wrap;align-items:center;gap:8px;margin:0 0 12px}
.bar>.button{margin:0 0 0 auto}.bar>.clear{margin-left:auto;color:var(--muted);font-size:13px;font-weight:400}.bar>.clear+.button{margin-left:8px}
.chips{display:flex;flex-wrap:wrap;gap:8px}
.chips a,.filter>summary{display:inline-flex;align-items:center;gap:6px;min-height:30px;padding:4px 14px;border:1px solid var(--edge);border-radius:999px;background:var(--card);color:var(--text);font-size:13px;line-height:20px;font-weight:400;white-space:nowrap}
.chips a:hover,.filter>summary:hover{background:var(--quiet-soft);text-decoration:none}
.chips .active{max-width:20rem;overflow:hidden;text-overflow:ellipsis;background:var(--brand-soft);border-color:var(--brand-soft);color:var(--brand);font-weight:500}
.chips .soft{color:inherit;font-variant-numeric:tabular-nums}.chips a:not(.active) .soft{font-weight:500}
.chips .icon,.filter>summary .icon{width:14px;height:14px}
.filter>summary{list-style:none}
.filter>summary::-webkit-details-marker{display:none}
.filter>form{position:absolute;left:0;right:0;z-index:3;margin-top:8px;padding:16px 20px;max-width:760px}
.first{overflow-wrap:anywhere;min-width:10rem}
.mark .soft{display:inline-block}
.cut{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.again{display:flex;flex-wrap:wrap;align-items:center;gap:4px 12px;margin:0 0 16px}.again button{margin:0}
.picking{counter-reset:chosen}.picking .pick :checked{counter-increment:chosen}.picking thead .pick :checked{counter-increment:none}
.pick input{display:block;width:16px;height:16px;min-height:0;margin:0;accent-color:var(--brand)}
:root:not([data-keys]) thead .pick input{display:none}
.selection{display:none;position:sticky;bottom:16px;z-index:3;width:fit-content;max-width:100%;align-items:center;flex-wrap:wrap;gap:8px 12px;margin:16px auto;padding:8px 8px 8px 18px;border-radius:var(--card-radius);background:oklch(20% .009 165);color:oklch(94% .006 165);box-shadow:0 8px 24px rgb(0 0 0 / .3)}
.picking:has(tbody :checked) .selection{display:flex}.picking:has(tbody tr:not([data-again]) :checked) .resend{display:none}
.selection button{margin:0;background:oklch(74% .11 162);border-color:oklch(74% .11 162);color:oklch(17.5% .008 165)}
.selection button.plain{background:none;border-color:oklch(36% .012 165);color:inherit}.selection .count:empty::before{content:counter(chosen)}
.selection .every{color:inherit;margin:0}.selection:has(.every :checked)>strong{display:none}.picking:has(.every:not([data-again]) :checked) .resend{display:none}.price:empty{display:none}
tr:has(.pick :checked),tbody tr:has(.pick :checked):hover{background:color-mix(in oklab,var(--brand-soft) 55%,var(--card))}
.headline{max-width:720px}.headline>span{display:flex;flex-wrap:wrap;align-items:center;gap:2px 8px}.headline h2{margin:0}
.chosen>.list{display:none}
.chosen>.panel{margin:0}
.chosen>.panel .over,.back{margin:0 0 8px}
.chosen>.panel h2{margin-top:20px}.chosen>.panel .over h2{margin:0}
tr:has([aria-current]),tbody tr:has([aria-current]):hover{background:color-mix(in oklab,var(--brand-soft) 55%,var(--card));box-shadow:inset 3px 0 0 var(--brand)}
.command{display:flex;align-items:flex-start;gap:8px}
.command pre{flex:1;min-width:0}
.command .copy{margin-top:8px}
.said dt{font-size:13px;font-weight:600;margin-top:8px}
.said dd{margin:2px 0 0;max-width:72ch}
.bubble{background:var(--good-soft);border-radius:12px 12px 12px 3px;padding:8px 14px;margin:8px 0;max-width:420px;overflow-wrap:anywhere}
.bubble p{margin:4px 0;white-space:pre-wrap}
.bubble .soft{color:inherit;font-size:12px}
.bubble .unfilled{color:var(--muted)}
.bubble .thing{display:flex;flex-wrap:wrap;gap:10px;align-items:center;margin:2px -6px 6px;padding:10px 12px;border-radius:8px;background:color-mix(in oklab,var(--card) 65%,transparent)}
.bubble .thing>div{min-width:0;flex:1}
.bubble .thing p{margin:0;font-size:12px;line-height:16px}
.bubble .picture{flex-direction:column;justify-content:center;text-align:center;min-height:120px}
.bubble .picture>div{flex:none;max-width:100%}
.bubble .picture:has(canvas) :is(.icon,strong){display:none}
.bubble canvas{max-width:100%;max-height:240px;border-radius:6px}
.bubble ul{list-style:none;margin:8px -14px -8px;padding:0}
.bubble li{padding:9px 14px;border-top:1px solid color-mix(in oklab,var(--text) 14%,transparent);text-align:center;font-weight:500;color:var(--brand)}
.bubble ul+ul{margin-top:8px}
.bubble .rows li{text-align:left;color:inherit}
.bubble .rows .hint{display:block;color:inherit;font-weight:400}
.bubble .deck{display:flex;gap:8px;overflow-x:auto;margin:8px -6px 0}
.bubble .deck .bubble{flex:0 0 220px;margin:0;background:color-mix(in oklab,var(--card) 65%,transparent)}
.chat{overflow:hidden}
.window{display:flex;align-items:center;gap:14px;padding:14px 20px;border-bottom:1px solid var(--line)}
.window p{margin:0}
.ring{flex:none;fill:none;stroke:var(--line);stroke-width:5}
.ring .left{stroke:var(--brand)}
.lines{display:flex;flex-direction:column-reverse;max-height:62vh;overflow-y:auto;background:var(--side)}
.lines ol{list-style:none;margin:0;padding:16px 20px;display:flex;flex-direction:column;gap:14px}
.lines ol>li{max-width:min(520px,86%)}
.lines .bubble{width:fit-content;margin:0;text-align:left;max-width:100%}
.lines .to{align-self:flex-end;text-align:right}
.lines .to .bubble{margin-left:auto;border-radius:12px 12px 3px 12px}
.lines .from .bubble{background:var(--card);border:1px solid var(--line)}
.lines .day{align-self:center}.day span{display:block;padding:2px 12px;border:1px solid var(--line);border-radius:999px;background:var(--card);color:var(--muted);font-size:12px}
.missing{margin:0;padding:8px 20px;border-bottom:1px solid var(--line)}
.tick-good{color:var(--good)}.tick-moving{color:var(--moving)}.tick-attention{color:var(--attention)}.tick-bad{color:var(--bad)}
.lines p.hint{margin:4px 2px 0}
.lines .hint a{color:inherit;font-weight:400;text-decoration:none}
.chat .empty{border:0;margin:0}
.older{margin:0;padding:4px 20px 8px;text-align:center;align-self:center}
.answer{padding:14px 20px;border-top:1px solid var(--line)}
.composer{display:grid;grid-template-columns:auto 1fr auto;align-items:end;gap:8px 10px}
.composer textarea{min-height:38px;max-height:30vh;max-width:none;padding:8px 12px;field-sizing:content;resize:none}
.composer button{margin:0;min-height:38px}
.composer .attach,.as-link{background:none;border:0;box-shadow:none;color:var(--text);padding:6px}
.composer .as-link{min-height:0;padding:0;color:var(--brand);font-size:inherit}
.composer .hint{grid-column:2/4;margin:0}
.windows .window+.window{border-top:0}.chat:has(.window+.window) .lines{max-height:46vh}
.never{margin:0;padding:8px 20px;border-bottom:1px solid var(--line)}
.through{grid-column:1/-1;display:flex;flex-wrap:wrap;align-items:center;gap:4px 10px;min-width:0}.through label{margin:0}.through select{width:auto;max-width:100%}
form>.through{margin-bottom:8px}.composer>.through{margin:0}
[data-keys] .follow{display:none}
.by-keys{float:right}:root:not([data-keys]) .by-keys{display:none}
.answer button{vertical-align:middle}
.beside .facts{margin-top:0}
.check{padding:10px 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
.left{white-space:nowrap}
meter{width:64px;vertical-align:middle}

.over{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:8px 16px;margin:0 0 16px}.over p{margin:0}
.ranges ul{display:inline-flex;flex-wrap:wrap;list-style:none;margin:0;padding:0;border:1px solid var(--edge);border-radius:var(--radius);overflow:hidden}
.ranges a{display:block;padding:6px 12px;font-size:13px;color:var(--muted)}
.ranges li+li{border-left:1px solid var(--edge)}
.ranges a[aria-current]{background:var(--quiet-soft);color:var(--text);font-weight:600}
.chart{margin:0}
.chart .scroll{margin:0}
.chart .scroll{direction:rtl}.chart .scroll>*{direction:ltr}
.chart .scroll>svg{display:block;width:100%;min-width:30rem;height:auto}
.bar .hit{fill:transparent}
.tip{visibility:hidden;pointer-events:none;font-size:12px}
.tip rect{fill:var(--card);stroke:var(--edge)}.tip text{fill:var(--text)}.tip .end{text-anchor:end}.tip .share{fill:var(--muted)}.tip .name{font-weight:600}
.limit-line{stroke:var(--attention);stroke-dasharray:4 3}.tick.limit-name{fill:var(--attention);text-anchor:end}.midnight{stroke:var(--edge);stroke-dasharray:2 3}.before{stroke:var(--text);stroke-width:1.5;opacity:.55}
.bar:is(:hover,:focus-visible)+.tip{visibility:visible}
.bar:is(:hover,:focus-visible) .hit{fill:color-mix(in oklab,var(--text) 7%,transparent)}
.bar:focus-visible{outline:2px solid transparent}.bar:focus-visible .hit{stroke:var(--brand);stroke-width:2}
.chart:has(.bar:focus-visible) .bar:hover:not(:focus-visible)+.tip{visibility:hidden}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;list-style:none;margin:0 0 12px;padding:0;color:var(--muted);font-size:13px}
.legend svg{margin-right:4px}
.legend strong{color:var(--text);font-weight:500}
.grid{stroke:var(--line)}.axis{stroke:var(--edge)}
.tick{fill:var(--muted);font-size:11px}.tick.end{text-anchor:end}.tick.middle{text-anchor:middle}
.fill-0{fill:var(--chart-1)}.fill-1{fill:var(--chart-2)}.fill-2{fill:var(--chart-3)}.fill-3{fill:var(--attention)}.fill-4{fill:var(--bad-soft)}
.stripes{stroke:var(--bad);stroke-width:3;fill:none}
table.figures td,table.figures thead th:not(:first-child){text-align:right;font-variant-numeric:tabular-nums}
table.figures th,table.figures td{padding:6px 16px}
.panel .heading .ranges a{padding:3px 12px}.chart>details{margin-bottom:0}

.note.attention{display:flex;gap:10px}
.note.attention{background:var(--attention-soft)}.note.attention .icon{color:var(--attention)}
.soon{color:var(--attention)}td.number a{color:inherit;font-weight:400}
.need{white-space:nowrap}.need .act{float:right;margin-left:16px}
td .spark{margin:0}td.refused .spark{stroke:var(--bad)}td.refused .spark circle{fill:var(--bad)}
.which ul{position:absolute;z-index:3;list-style:none;margin:4px 0 0;padding:8px 0;background:var(--card);border:1px solid var(--edge);border-radius:var(--card-radius);box-shadow:var(--shadow)}
.which li a{display:flex;justify-content:space-between;gap:16px;padding:6px 16px;color:var(--text);font-weight:400}.which li .soft{font-variant-numeric:tabular-nums}
.orders{margin-left:auto}
.orders ul{position:absolute;right:0;z-index:3;list-style:none;margin:4px 0 0;padding:8px 0;background:var(--card);border:1px solid var(--edge);border-radius:var(--card-radius);box-shadow:var(--shadow)}
.orders li a{display:block;padding:6px 16px;color:var(--text);font-weight:400}.orders [aria-current=true]{font-weight:600}
.portfolio{margin:0 0 24px}.portfolio>header{padding:16px 20px}.portfolio .heading{justify-content:flex-start;gap:2px 10px}.portfolio h2{margin:0}.portfolio .heading p{margin:0 0 0 auto}.portfolio .heading strong{font-weight:600}.portfolio .progress{margin:10px 0 0}
.portfolio .scroll.card{margin:0;border-width:1px 0 0;border-radius:0 0 var(--card-radius) var(--card-radius);box-shadow:none}.portfolio table.cards thead th{border-radius:0}
.portfolio table.cards{table-layout:fixed}.portfolio table.cards th:first-child{width:34%}

${BATCH_STYLE}
${STATEMENT_STYLE}
[hidden]{display:none!important}
:root:not([data-keys]) .print{display:none}
.acts{display:flex;flex-wrap:wrap;justify-content:flex-end;gap:8px;margin:0 0 12px}.acts>*{margin:0}
.compact :is(th,td){height:44px;padding-top:0;padding-bottom:0;vertical-align:middle}
.compact thead th{height:36px}
@media screen and (min-width:48.01rem){
.compact td{white-space:nowrap;max-width:0;overflow:hidden;text-overflow:ellipsis}
.compact th:not(.number,.fit){width:22%}.compact th:first-child,.compact th.pick+th{width:33%}
.compact th.pick{width:16px}.compact .pick{max-width:none;overflow:visible;padding-right:0}.compact .pick+*{padding-left:20px}
.compact :is(.number,.fit,.act){max-width:none;overflow:visible}.compact th.fit{width:1px}
.compact .first>:is(a,.in){display:flex;gap:8px}
.compact .first .soft{font-size:13px}
.compact .mark .state{vertical-align:middle}
.compact .why{display:inline;margin-left:4px;font-size:13px;vertical-align:middle}
.sent{color:var(--muted)}
.what .soft{margin-left:4px;font-size:13px}
.scroll.card:has(>table.compact){overflow:visible}
table.compact thead th{position:sticky;top:0;z-index:2;background:var(--card);border-bottom:0;box-shadow:inset 0 -1px 0 var(--line)}
table.compact thead th:first-child{border-top-left-radius:var(--card-radius)}
table.compact thead th:last-child{border-top-right-radius:var(--card-radius)}
}
@media screen and (min-width:90rem){
body:not(:has(.chosen)) .scroll.card:has(>table.cards){overflow:visible}
table.cards thead th{position:sticky;top:0;z-index:2;background:var(--card);border-bottom:0;box-shadow:inset 0 -1px 0 var(--line)}
table.cards thead th:first-child{border-top-left-radius:var(--card-radius)}
table.cards thead th:last-child{border-top-right-radius:var(--card-radius)}
table.cards:not(.compact) tbody tr:first-child>td{padding-top:11px}
}
@media screen and (min-width:84rem){
.chosen{display:grid;grid-template-columns:minmax(0,1fr) 372px;gap:24px;align-items:start}
.chosen>.list{display:block}
.chosen>.panel{position:sticky;top:16px;max-height:calc(100vh - 32px);overflow-y:auto}
.chosen tr{scroll-margin-top:30vh}
.chosen .compact :is(th,td):is(:nth-child(4),:nth-child(5)){display:none}
.chosen .compact :is(th,td):nth-child(3){width:42%}
.chosen .back{display:none}
}
@media screen and (max-width:72rem){.beside{grid-template-columns:minmax(0,1fr)}}
@media screen and (max-width:48rem){
body{display:block}
main{padding:16px 16px 32px}
.find{order:1;flex:1 0 100%}
.side{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line);padding:0 16px;display:grid;grid-template-columns:auto minmax(0,1fr) auto;align-items:center;min-height:56px}
.product:not(:has(+.here)){grid-column:1/3}
.product{padding:0}
.product:has(+.here) span{display:none}
.here{display:block;margin-left:10px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.menu{display:block;margin:0}
.menu summary{display:grid;place-items:center;width:40px;height:40px;list-style:none;color:var(--text)}
.menu summary::-webkit-details-marker{display:none}
.places{grid-column:1/4;padding-bottom:16px}.places>nav{overflow:visible}
.menu:not([open])+.places{display:none}
.side nav>div:first-child h2{position:static}
.stats>div{flex-basis:50%;padding:12px 14px}
.stats dd .funnel{width:calc(100% + 28px);margin:auto -14px -12px}
.stats strong{font-size:min(22px,5.5vw);line-height:30px}
.panel{padding:14px;margin:16px 0}
.portfolio>header{padding:14px}.portfolio .heading p{margin-left:0;flex-basis:100%}
.ranges a{padding:6px 9px;font-size:12px}
table.cards thead{position:absolute;left:-999rem}
table.cards,table.cards tbody{display:block}
table.cards tr{display:block;position:relative;border-bottom:1px solid var(--line);padding:10px 14px}
table.cards tr:last-child{border-bottom:0}
table.cards td{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 12px;border:0;padding:2px 0;text-align:left;overflow-wrap:anywhere;min-width:0;white-space:normal}
table.cards td:empty,table.cards td.aside{display:none}
table.cards td[data-label]::before{content:attr(data-label);color:var(--muted);font-size:13px}
table.cards tr:has(.mark){display:grid;grid-template-columns:minmax(0,1fr) auto;column-gap:12px}
table.cards tr:has(.mark) td{grid-column:1/3}
table.cards tr td.first{grid-column:1;font-weight:500}
table.cards td .stated{display:flex;justify-content:flex-end}
table.cards tr td.mark{grid-area:1/2;max-width:9rem;align-content:flex-start;justify-content:flex-end;text-align:right;font-size:12px}
.chips a{flex:none}
.bar .chips{flex-wrap:nowrap;overflow-x:auto;margin:0 -16px;padding:0 16px;max-width:100vw}
table.cards.compact tr{display:grid;grid-template-columns:auto minmax(0,1fr) auto;align-items:center;gap:2px 6px;padding:11px 14px}
table.cards.compact tr:has(.act){grid-template-columns:auto minmax(0,1fr) auto auto}
table.compact tr td{display:none;height:auto}
table.compact tr td:is(.first,.what,.sent,.act){display:block;padding:0}
table.compact tr td.first{grid-column:1/3}
table.cards.compact tr:has(.pick){padding-left:44px}
table.compact tr td.pick{display:block;position:absolute;z-index:1;grid-area:auto;left:14px;top:50%;translate:0 -50%;padding:0}
table.compact tr td.act{grid-area:1/4/3/5}
.compact .first>:is(a,.in){display:block;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.compact .first .cut+.soft{display:none}
table.compact tr td.mark{display:contents}
.compact .mark>:first-child{grid-area:1/3;justify-self:end}
.compact .mark .why{grid-area:2/1;max-width:45vw;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-size:13px}
.compact .why::after{content:","}
table.compact tr td.what{grid-area:2/2;overflow:hidden;white-space:nowrap;font-size:13px;color:var(--muted)}
table.compact tr:not(:has(.why)) td.what{grid-column:1/3}
table.compact tr td.sent{grid-area:2/3;text-align:right;font-size:13px}
}
@media (hover:none){kbd,.by-keys,.palette .keys,.side-panel .close::before{display:none!important}}
@media print{
:root{color-scheme:light}
body{display:block;min-height:0}
.side,.find,.palette,.acts,.pick,.selection,.skip,.copy,.side-panel,button,.head .button{display:none!important}
main{padding:0;max-width:none}
.card{box-shadow:none}
.scroll{overflow:visible}
tr,.facts>div{break-inside:avoid}h2{break-after:avoid}
th,td{padding-top:6px;padding-bottom:6px}
}
@media (prefers-reduced-motion:no-preference){a,button,.button{transition:background-color .12s,border-color .12s}}
`
