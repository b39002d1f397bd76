import { TEXTS } from './texts.js'

const { copied, now, minutes, hours } = TEXTS.parts

/**
 * Our own script: it shows moments in the time of the person who looks, and copies ids.
 *
 * A part of a page that is sent again has its moments in UTC again, so every change of the page is looked at.
 */
export const CLIENT = `(() => {
const words = ${JSON.stringify({ copied, now, minutes, hours })}
const form = (options) => new Intl.DateTimeFormat('en-GB', options)
const day = form({ day: 'numeric', month: 'short' })
const date = form({ day: 'numeric', month: 'short', year: 'numeric' })
const forms = { minute: form({ dateStyle: 'medium', timeStyle: 'short' }), second: form({ dateStyle: 'medium', timeStyle: 'medium' }) }
const whole = form({ dateStyle: 'full', timeStyle: 'long' })
const ago = (at) => {
  const passed = Math.floor((Date.now() - at) / 60000)
  if (passed < 0) return forms.minute.format(at)
  if (passed < 60) return passed < 1 ? words.now : words.minutes.replace('#', passed)
  if (passed < 1440) return words.hours.replace('#', Math.floor(passed / 60))
  return (at.getFullYear() === new Date().getFullYear() ? day : date).format(at)
}
const show = (time) => {
  const at = new Date(time.dateTime)
  const text = time.dataset.as === 'ago' ? ago(at) : forms[time.dataset.as].format(at)
  if (time.textContent !== text) time.textContent = text
  if (time.title === '') time.title = whole.format(at)
}
const showAll = () => document.querySelectorAll('time').forEach(show)
showAll()
setInterval(showAll, 30000)
new MutationObserver(showAll).observe(document.body, { childList: true, characterData: true, subtree: true })
if (navigator.clipboard === undefined) return
document.documentElement.dataset.copies = ''
document.addEventListener('click', async ({ target }) => {
  const button = target.closest('.copy')
  if (button === null) return
  await navigator.clipboard.writeText(button.dataset.copy)
  const label = button.getAttribute('aria-label')
  button.setAttribute('aria-label', words.copied)
  button.dataset.done = ''
  setTimeout(() => { button.setAttribute('aria-label', label); delete button.dataset.done }, 1500)
})
})()`
