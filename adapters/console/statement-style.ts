/** The style of a wallet and of its statement, on the screen and on paper. */
export const STATEMENT_STYLE = `.figure{font-size:28px;line-height:36px;font-weight:600;letter-spacing:-.022em}
.figure+p a{color:inherit;font-weight:400}
.tabs{margin:0 0 20px;overflow-x:auto;box-shadow:inset 0 -1px 0 var(--line)}
.tabs ul{display:flex;gap:24px;list-style:none;margin:0;padding:0}
.tabs a{display:block;padding:10px 0;color:var(--muted);white-space:nowrap}
main .tabs a:hover{color:var(--text);text-decoration:none}
.tabs [aria-current]{color:var(--text);box-shadow:inset 0 -2px 0 var(--brand)}
.tabs a:focus-visible{outline-offset:-2px}
.beside>div>.panel:first-child{margin-top:0}
.panel>h2>a{color:inherit;font-weight:600}
.latest .entry{grid-template-columns:7.5rem minmax(0,1fr) 8rem 8rem;min-height:44px;padding:6px 20px}
.latest [data-long] .entry{grid-template-columns:4.5rem minmax(0,1fr) 11rem 11.5rem}
.latest .entry.names{min-height:36px}
.steps{display:flex;align-items:center;gap:12px;font-size:13px}
.over .acts{margin:0}
.steps .icon{width:16px;height:16px;vertical-align:-3px}
.below{display:inline-block;text-align:left;color:var(--muted)}
${[1, 2, 3, 4, 5, 6].map((digits) => `[data-below="${digits}"] .below{min-width:${digits}ch}`).join('')}
.sum .stats{margin:0;border-radius:var(--card-radius) var(--card-radius) 0 0}
.sum .stats strong{font-size:20px;line-height:28px}.sum .money.in{color:inherit}
.sum+.statement{border-top:0;border-radius:0 0 var(--card-radius) var(--card-radius)}
.statement{margin:0 0 12px}
.statement ol{list-style:none;margin:0;padding:0}
.statement details{margin:0}
.entry{display:grid;grid-template-columns:9.5rem minmax(0,1fr) 12rem 12rem;align-items:center;gap:0 12px;min-height:37px;margin:0;padding:6px 20px 6px 36px;border-top:1px solid var(--line);font-weight:400;color:var(--text)}
.entry .when{color:var(--muted);font-variant-numeric:tabular-nums}
.entry .text,.over>p{min-width:0;overflow-wrap:anywhere}
.entry.names{border:0;color:var(--muted);font-size:12px;font-weight:500}
.statement .entry a{color:var(--text);font-weight:400}
.entry.edge,.entry.edge .when,.entry.edge .number{font-weight:600;color:var(--text)}
.statement summary{position:relative;list-style:none}
.statement summary::-webkit-details-marker{display:none}
.statement summary::before{content:"";position:absolute;left:18px;top:16px;width:6px;height:6px;border:solid var(--muted);border-width:0 1.5px 1.5px 0;transform:rotate(-45deg)}
.statement [open]>summary::before{transform:rotate(45deg)}
.statement summary:hover,.statement [open]{background:color-mix(in oklab,var(--side) 60%,transparent)}
.statement details ol .entry{min-height:32px;border:0;font-size:13px}
.statement details ol{border-top:1px solid var(--line)}

@media screen and (max-width:48rem){
.entry{grid-template-columns:minmax(0,1fr) auto;padding:8px 14px 8px 32px}
.entry .text{grid-row:2;grid-column:1}
.entry .number:empty{display:none}
.entry .number+.number{grid-row:2;grid-column:2;align-self:start}
.entry.names{display:none}
.latest .entry,.latest [data-long] .entry{grid-template-columns:minmax(0,1fr) auto;padding:8px 14px}
.statement summary::before{left:14px}
}
@page{margin:18mm 16mm 20mm;@bottom-right{content:counter(page) " / " counter(pages);font:9pt sans-serif}}
@media print{
.over:has(.steps),.steps,.tabs,.unprinted,.statement summary::before,.over p a{display:none!important}
.over .button{min-height:0;padding:0;border:0;box-shadow:none}
.stats,.entry{break-inside:avoid}.entry.edge,.statement [open]>summary{break-after:avoid}
.sum .stats{flex-wrap:nowrap}.sum .stats>div{flex:1 1 auto;padding:8px}.sum dt{font-size:11px;line-height:16px}.sum .stats strong{font-size:14px;line-height:20px}
.statement [open]{background:none}
.statement{display:table;width:100%}
.statement>.columns{display:table-header-group;break-inside:avoid}
.entry,.statement details ol .entry{min-height:0;padding:3px 8px;grid-template-columns:6rem minmax(0,1fr) 7rem 7rem;font-size:12px}
.statement details ol .entry{padding-left:20px;grid-template-columns:calc(6rem - 12px) minmax(0,1fr) 7rem 7rem}
}
`
