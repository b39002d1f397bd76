/** The style of the pages of batches. */
export const BATCH_STYLE = `.progress{margin:8px 0}.progress>svg{display:block;width:100%;height:10px;border-radius:5px}.progress .legend{margin:12px 0 0}
.part-read{fill:var(--chart-1)}.part-delivered{fill:var(--chart-2)}.part-moving{fill:var(--moving)}.part-unconfirmed{fill:var(--attention)}.part-failed{fill:url(#hatch)}.part-stopped{fill:var(--control)}.part-waiting{fill:var(--line)}
.hatch-ground{fill:var(--bad-soft)}.hatch-line{fill:var(--bad)}
.beside:is(.batch,.checked) .panel{margin:0 0 16px}.beside:is(.batch,.checked) .attention-list{margin-bottom:16px}.priced+.soft{margin-top:0}
.checked{row-gap:0}@media (min-width:72.01rem){.checked{grid-template-rows:auto 1fr}.checked>:nth-child(2){grid-column:2;grid-row:1/3}}
.sums{margin:8px 0 12px}.sums>div{display:flex;justify-content:space-between;gap:16px;padding:7px 0;border-bottom:1px solid var(--line)}.sums>div:last-child{border-bottom:0}.sums dd{font-weight:500}
.cards-row{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,300px),1fr));gap:16px 24px;align-items:start}.cards-row .panel{margin:0}.cards-row .panel+.panel{margin-top:16px}
.days{display:grid;grid-template-columns:repeat(auto-fit,minmax(72px,1fr));gap:8px;list-style:none;margin:16px 0 0;padding:0;font-size:13px}.days svg{display:block;width:100%;height:6px;border-radius:3px;margin-bottom:4px}.days .soft{display:block;font-size:12px;line-height:16px}.days strong{font-weight:500;font-variant-numeric:tabular-nums}
.runs{list-style:none;margin:0;padding:0;display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,260px),1fr));gap:12px 24px}.runs li{display:flex;gap:10px;overflow-wrap:anywhere}.runs .icon{color:var(--muted);margin-top:1px}.runs span{min-width:0}
.steps{flex-wrap:nowrap;align-items:center}.steps>span{display:flex;gap:4px}.step{display:grid;place-items:center;width:28px;height:28px;border-radius:var(--radius);color:var(--text)}a.step:hover{background:var(--quiet-soft)}span.step{opacity:.35}
.jump{display:flex;flex-wrap:wrap;align-items:center;gap:4px 8px;margin-top:12px}.jump label{margin:0;font-size:13px;font-weight:400;color:var(--muted)}.jump input{width:9ch}.jump button{margin:0}
.bubble mark{background:var(--card);color:var(--brand);font-weight:500;border-radius:4px;padding:0 3px}
.gist{display:block;max-width:60ch;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.matching{margin:0 0 8px}.matching legend,.matched h3{font-size:14px;font-weight:600;margin:0}.matching .hint{margin:2px 0 10px}.matching .field{display:grid;grid-template-columns:minmax(0,16ch) minmax(0,32ch);gap:4px 12px;align-items:center;margin:0 0 8px}.matching label{margin:0;overflow-wrap:anywhere}.matching .fault{grid-column:1/3}
.samples{display:flex;gap:12px;list-style:none;margin:8px 0 14px;padding:0 0 4px;overflow-x:auto}.samples li{flex:1 0 210px}.samples p{margin:0}
.wave th[scope=row]{font-weight:400;color:var(--text);font-size:13px}.wave td strong{font-weight:500}.wave .cut{max-width:10ch}
.brake{display:flex;gap:8px;margin:16px 0 0;padding-top:12px;border-top:1px solid var(--line);color:var(--muted);font-size:13px}.brake .icon{width:16px;height:16px;margin-top:2px}
.confirm button{width:100%}.confirm .hint{text-align:center}
.panel table.figures :is(th,td){padding:6px 12px 6px 0}.panel table.figures th[scope=row]{white-space:normal}.panel table.figures :is(th,td):last-child{padding-right:0}
.over p>.icon{width:14px;height:14px;vertical-align:-2px}.over .acts{margin:0;align-items:center}.over .acts .behind[open]{flex-basis:100%}.reasons .heading{flex-wrap:nowrap}.reasons .heading strong{font-weight:500}
`
