/** The part of the style sheet for the palette: a dialog over the dimmed page. */
export const PALETTE_STYLE = `.palette{width:640px;max-width:calc(100% - 32px);max-height:calc(100vh - 144px);margin:112px auto 0;padding:0;border:1px solid var(--edge);border-radius:var(--card-radius);background:var(--card);color:var(--text);box-shadow:0 16px 48px rgb(0 0 0/.25);overflow:hidden}
.palette[open]{display:flex;flex-direction:column}
.palette::backdrop{background:rgb(0 0 0/.5)}
.ask{display:flex;align-items:center;gap:12px;padding:10px 18px;border-bottom:1px solid var(--line);color:var(--muted)}
.ask input{flex:1;min-width:0;max-width:none;border:0;outline:0;padding:0;background:none;font-size:16px;color:var(--text)}
.ask:focus-within{box-shadow:inset 0 -2px 0 var(--brand)}
.palette .rows{overflow-y:auto;padding:8px}
.palette .rows:empty{padding:0}
.palette h2{margin:8px 10px 4px;font-size:12px;line-height:16px;font-weight:500;color:var(--muted)}
.palette a{display:flex;align-items:center;gap:12px;min-height:38px;padding:4px 10px;border-radius:var(--radius);color:var(--text)}
.palette a:hover{text-decoration:none}
.palette a .icon{color:var(--muted)}
.palette a .soft{flex-shrink:2;font-size:13px}
.palette mark{background:none;color:var(--brand);font-weight:600}
.palette .end{margin-left:auto;display:flex;gap:6px;flex:none}
.palette [aria-selected=true]{background:var(--brand-soft)}.palette [aria-selected=true]>:is(.icon,.soft,.end>kbd){color:inherit}
.palette .keys{display:flex;flex-wrap:wrap;gap:4px 18px;margin:0;padding:10px 18px;border-top:1px solid var(--line)}
.keys kbd{margin-right:4px}.keys :last-child{margin-left:auto}
`
