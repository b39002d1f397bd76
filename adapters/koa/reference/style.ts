import { PALETTE } from '../../shared/palette.js'

/** Elements that only a page with a script shows have the class `scripted`. */
export const STYLE = `:root{color-scheme:light dark;${PALETTE};--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;scroll-padding-top:24px}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;background:var(--page);color:var(--text);font:14px/22px Inter,system-ui,sans-serif;overflow-wrap:anywhere}
a{color:var(--brand);font-weight:500;text-decoration:none}
main p a,main li a,main dd a,a:hover{text-decoration:underline;text-underline-offset:4px}
:focus-visible{outline:2px solid var(--brand);outline-offset:2px}
:is(h1,h2,h3,main):focus{outline:0}
.skip{position:absolute;left:-999rem}
.skip:focus{left:8px;top:8px;z-index:3;background:var(--card);padding:8px 12px;border-radius:7px}
h1{font-size:28px;line-height:36px;font-weight:600;letter-spacing:-.022em;margin:0 0 8px}
h2{font-size:20px;line-height:28px;font-weight:600;letter-spacing:-.01em;margin:0 0 8px}
h3{font-size:16px;line-height:24px;font-weight:600;margin:0 0 8px}
h4,.label{font-size:12px;line-height:16px;font-weight:500;color:var(--muted);letter-spacing:0;margin:24px 0 4px}
p,ul{margin:8px 0}
#start{padding-bottom:24px}#start+section{padding-top:24px}
main p,main ul:not([class]){max-width:72ch}
ul:not([class]){padding-left:20px}
code,pre,kbd{font-family:var(--mono);font-size:12px;line-height:18px}
code{background:var(--quiet-soft);border-radius:4px;padding:1px 4px}
pre{margin:0;padding:12px 16px;overflow:auto;overflow-wrap:normal}
pre code{background:none;padding:0}
pre.wrap{white-space:pre-wrap;overflow-wrap:anywhere}
.soft,.hint{color:var(--muted);font-weight:400}
.hint{font-size:12px;line-height:16px}
.mark{flex:none}.mark rect{fill:var(--brand)}.mark path{fill:none;stroke:var(--on-brand);stroke-width:2.4}
.product{display:flex;align-items:center;gap:10px;color:var(--text);font-size:15px;font-weight:600}
.product:hover{text-decoration:none}
.scripted{display:none}
[data-script] .scripted{display:block}

.alone{max-width:960px;min-width:0;padding:28px 40px 64px}
.alone h1{font-size:20px;line-height:28px;letter-spacing:-.01em;margin:0 0 4px}
.alone h2{font-size:14px;line-height:20px;margin:24px 0 8px}
.alone .find{max-width:440px;margin:16px 0 0}
.alone .find p{margin:6px 0 0;min-height:16px}
.alone section{border:0!important;padding:0!important}
.path{font-size:13px;margin:0;color:var(--muted)}
main .path a{color:var(--muted);font-weight:400;text-decoration:none}
.errors{list-style:none;padding:0}
.errors li{position:relative;padding:10px 20px;border-bottom:1px solid var(--line)}
.errors li:last-child{border:0}
.errors li:hover{background:color-mix(in oklab,var(--side) 60%,transparent)}
.errors p{margin:0}
.errors p a{text-decoration:none}
.errors p a::after{content:"";position:absolute;inset:0}
.errors p a code{font-size:13px;font-weight:600;background:none;padding:0;margin-right:8px}
.explained{padding:0 20px 12px}
.explained h2{margin-top:16px}

body:has(.side){display:grid;grid-template-columns:272px minmax(0,1fr)}
.side{position:sticky;top:0;height:100vh;overflow-y:auto;background:var(--side);border-right:1px solid var(--line);padding:16px 12px}
.side .product{padding:0 8px 12px}
.menu{display:none}
.find{position:relative;margin:0 0 12px}
.find input{padding-right:32px}
.find kbd{position:absolute;right:9px;top:8px;color:var(--muted);border:1px solid var(--edge);border-radius:4px;padding:0 6px;line-height:16px}
.find input:focus~kbd,.find input:not(:placeholder-shown)~kbd{display:none}
.find input::-webkit-search-cancel-button{display:none}
.find p{margin:6px 8px 0}
.icon{flex:none;fill:none;stroke:currentColor;stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}
.places .pages a{justify-content:flex-start}
.places h2{font-size:12px;line-height:16px;font-weight:500;letter-spacing:0;color:var(--muted);margin:16px 8px 2px}
.places ul{list-style:none;margin:0;padding:0}
.places a{display:flex;justify-content:space-between;gap:8px;align-items:center;min-height:32px;padding:4px 8px;border-radius:7px;color:var(--text);font-weight:400;line-height:18px}
.places a:hover{background:var(--quiet-soft);text-decoration:none}
.places [aria-current]{background:var(--brand-soft);font-weight:600}
.verb{flex:none;white-space:nowrap;font:600 11px/16px var(--mono);text-transform:uppercase;color:var(--moving)}
.verb.post{color:var(--good)}.verb.patch{color:var(--attention)}.verb.delete{color:var(--bad)}
.places .verb{font-size:10px;font-weight:500}

.reference{padding:32px 48px 96px;max-width:1280px;min-width:0}
section{padding:0 0 40px}
section+section{padding-top:40px;border-top:1px solid var(--line)}
.tag{padding:24px 0 0;margin:0}
:is(.tag,.tag+p)+section{padding-top:24px}
section>h3{scroll-margin-top:24px}
.schema{padding:16px 0!important}
.pair{display:grid;gap:24px 40px}
.pair>*{min-width:0}
@media(min-width:1160px){.pair{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}.beside{position:sticky;top:24px;align-self:start}}
.address{display:flex;flex-wrap:wrap;gap:4px 10px;align-items:baseline;font-family:var(--mono);font-size:13px;margin:0 0 4px}
.fields{list-style:none;margin:0;padding:0}
.fields>li{padding:10px 0;border-bottom:1px solid var(--line)}
.fields>li:last-child{border-bottom:0}
.fields p{margin:2px 0 0}
.fields>li>code:first-child{background:none;padding:0;font-weight:600;font-size:13px}
.fields .fields{margin:4px 0 0;border:1px solid var(--line);border-radius:10px;padding:0 16px}
.must{color:var(--attention);font-size:12px;font-weight:500}
.codes{margin:0;display:grid;grid-template-columns:auto minmax(0,1fr);gap:4px 16px}
.codes dt{font-family:var(--mono);font-size:12px;color:var(--muted)}
.codes dd{margin:0}
.codes dd a{margin-right:12px;font:12px/18px var(--mono);display:inline-block}
.stated{display:flex;flex-wrap:wrap;gap:0 8px}

.card{background:var(--card);border:1px solid var(--line);border-radius:10px;box-shadow:0 1px 2px oklch(22% .012 165/.06);overflow:hidden;margin:0 0 16px}
.card>.top{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;gap:0 8px;border:0;border-bottom:1px solid var(--line);margin:0;padding:0 8px 0 12px;min-height:38px;background:var(--side)}
.top .name{font-size:12px;color:var(--muted);font-weight:500}
.languages{display:flex;flex-wrap:wrap;gap:0 2px}
.languages label{position:relative;font-size:12px;font-weight:500;color:var(--muted);padding:8px 6px;cursor:pointer;margin:0}
.languages input{position:absolute;inset:0;width:100%;height:100%;min-height:0;margin:0;opacity:0;cursor:pointer}
.languages label:has(:checked){color:var(--text);box-shadow:inset 0 -2px 0 var(--brand)}
.languages label:has(:focus-visible){outline:2px solid var(--brand);outline-offset:-2px}
.sample{display:none}
${['curl', 'javascript', 'python', 'php'].map((language) => `.card:has([value=${language}]:checked)>.${language}`).join()}{display:block}
.card details{padding:0 16px;border-top:1px solid var(--line)}
.card details pre{padding:0 0 12px}
details>summary{cursor:pointer;font-weight:500;font-size:13px;color:var(--brand);padding:6px 0}

label{display:block;font-weight:500;font-size:13px;margin:0 0 12px}
input,select,textarea{display:block;font:inherit;font-size:13px;line-height:20px;font-weight:400;color:inherit;background:var(--card);border:1px solid var(--control);border-radius:7px;padding:6px 10px;width:100%;min-height:34px}
textarea{font:12px/18px var(--mono);resize:vertical}
.key{font-family:var(--mono);font-size:12px;max-width:440px;-webkit-text-security:disc}
button{font:inherit;font-size:13px;font-weight:500;color:var(--on-brand);background:var(--brand);border:1px solid var(--brand);border-radius:7px;padding:5px 14px;min-height:34px;cursor:pointer}
button:disabled{opacity:.6;cursor:progress}
button.plain{color:var(--text);background:var(--card);border-color:var(--edge);padding:2px 8px;min-height:26px;font-size:12px;white-space:nowrap}
button.danger{color:var(--bad);background:var(--card);border-color:var(--bad)}
.try{border:1px solid var(--line);border-radius:10px;background:var(--card);padding:0 16px;margin:0 0 16px}
.try form{padding:4px 0 16px}
.try .key{max-width:none}
.named{display:flex;gap:8px;align-items:center}
.answer:not(:empty){border-top:1px solid var(--line);margin:16px -16px -16px;padding:4px 16px 16px}
.answer dd{font:12px/18px var(--mono)}
.answer pre{margin:12px 0 0;padding:12px;background:var(--side);border-radius:7px;max-height:420px;white-space:pre-wrap;overflow-wrap:anywhere}
.answer .status{font-weight:600}
.answer .good{color:var(--good)}.answer .bad{color:var(--bad)}

@media(max-width:860px){
:root{scroll-padding-top:104px}
body:has(.side){display:block}
.side{position:sticky;top:0;z-index:2;height:auto;max-height:100vh;border-right:0;border-bottom:1px solid var(--line);padding:8px 16px;display:flex;flex-wrap:wrap;align-items:center;gap:0 12px}
.side .product{padding:0}
.menu{display:block;margin-left:auto}
.menu summary{padding:10px 4px}
.find{flex:1 1 100%;order:2;margin:0 0 4px}
.places{display:none;order:3;flex:1 1 100%;max-height:70vh;overflow-y:auto;padding-bottom:16px}
.menu[open]~.places{display:block}
.reference,.alone{padding:24px 16px 64px}
.places a{min-height:36px}
}
@media(hover:none){.find kbd{display:none!important}}
@media(prefers-reduced-motion:no-preference){a,button,summary{transition:background-color .12s}}
@media print{.side,.try,.scripted{display:none!important}body:has(.side){display:block}.beside{position:static}}
`
