/** How long the script waits after a keystroke before it asks for the rows. */
const REST_MS = 120
/** How long the second of two keys may take. */
const SECOND_KEY_MS = 1_500

/**
 * The script of the palette. Control and K, or a slash, open it; the server finds and marks the rows, so the script only shows them and moves among them. Two keys, one
 * after the other, open a page or an action without it, by the same rows.
 */
export const PALETTE_CLIENT = `const palette = document.querySelector('.palette')
const isTyping = (event) => event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input:not([type=checkbox]), textarea, select, dialog') !== null
if (palette !== null) {
  const field = palette.querySelector('input')
  const place = palette.querySelector('.rows')
  const finder = document.querySelector('#find-anything')
  if (/^(Mac|iP)/.test(navigator.platform)) for (const key of document.querySelectorAll('kbd')) key.textContent = key.textContent.replace(/^(Ctrl|Strg)/, '\\u2318')
  const read = async (sought, signal) => {
    const reply = await fetch(palette.dataset.rows + '?q=' + encodeURIComponent(sought), { signal, redirect: 'manual' }).catch(() => null)
    return reply?.ok === true ? reply.text().catch(() => '') : ''
  }
  const rows = () => [...place.querySelectorAll('[role=option]')]
  const chosen = () => place.querySelector('[aria-selected=true]')
  const choose = (row) => {
    for (const each of rows()) each.setAttribute('aria-selected', each === row)
    if (row === undefined) field.removeAttribute('aria-activedescendant')
    else field.setAttribute('aria-activedescendant', row.id)
    row?.scrollIntoView({ block: 'nearest' })
  }
  let asking, shown
  const load = () => {
    asking?.abort()
    const { signal } = asking = new AbortController()
    const sought = field.value
    shown = (async () => {
      if (sought !== '' && sought !== '?') await new Promise((resolve) => setTimeout(resolve, ${REST_MS}))
      if (signal.aborted) return
      const found = await read(sought, signal)
      if (signal.aborted) return
      place.innerHTML = found
      palette.querySelector('[role=status]').textContent = place.firstElementChild?.dataset.said ?? ''
      choose(rows()[0])
    })()
  }
  const open = (sought) => {
    if (palette.open) return field.select()
    field.value = sought
    place.innerHTML = ''
    palette.showModal()
    field.focus()
    field.select()
    load()
  }
  const go = async (isNew) => {
    await shown
    const to = chosen()?.href ?? finder.form.action + '?q=' + encodeURIComponent(field.value)
    if (isNew) window.open(to, '_blank', 'noopener')
    else location.assign(to)
  }
  field.addEventListener('input', load)
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.isComposing) void go(event.ctrlKey || event.metaKey)
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const [all, by] = [rows(), event.key === 'ArrowDown' ? 1 : -1]
      choose(all.at((all.indexOf(chosen()) + by) % all.length))
    } else return
    event.preventDefault()
  })
  place.addEventListener('pointermove', ({ target }) => {
    const row = target.closest('[role=option]')
    if (row !== null && row !== chosen()) choose(row)
  })
  palette.addEventListener('click', ({ target }) => { if (target === palette) palette.close() })
  finder.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'mouse') return
    event.preventDefault()
    open(finder.value)
  })
  let first, all
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
      event.preventDefault()
      return open('')
    }
    if (isTyping(event)) return
    if (first !== undefined) {
      const keys = first + ' ' + event.key
      first = undefined
      event.stopImmediatePropagation()
      void all.then((text) => {
        const row = [...new DOMParser().parseFromString(text, 'text/html').querySelectorAll('[data-keys]')].find((one) => one.dataset.keys === keys)
        if (row !== undefined) location.assign(row.getAttribute('href'))
      })
    } else if (event.key === '/' || event.key === '?') {
      event.preventDefault()
      open(event.key === '/' ? finder.value : '?')
    } else if ('acgr'.includes(event.key)) {
      first = event.key
      all ??= read('?')
      setTimeout(() => { if (first === event.key) first = undefined }, ${SECOND_KEY_MS})
    }
  })
}`
