import { assert } from 'chai'
import type { Page } from 'playwright-core'

/** What has the focus: its tag, what a screen reader calls it, and whether people see that it has the focus. */
type Focused = {
  readonly tag: string
  readonly name: string
  readonly isSeen: boolean
  readonly isInMain: boolean
  readonly isInDialog: boolean
}

/** More steps than any page has places to stop at. */
const MAX_TABS = 120

/** A person at a keyboard without a mouse. Every place at which she stops has to be seen. */
export const keyboardOf = (page: Page) => {
  const focused = (): Promise<Focused> => page.evaluate(() => {
    const one = document.activeElement ?? document.body
    const { outlineStyle, outlineWidth, visibility } = getComputedStyle(one)
    const { left, top, right, bottom } = one.getBoundingClientRect()
    const label = one instanceof HTMLInputElement || one instanceof HTMLSelectElement || one instanceof HTMLTextAreaElement
      ? one.labels?.[0]?.textContent
      : undefined
    return {
      tag: one.tagName.toLowerCase(), name: (one.getAttribute('aria-label') ?? label ?? one.textContent).trim(),
      isInMain: one.closest('main') !== null, isInDialog: one.closest('dialog') !== null,
      isSeen: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2 && visibility === 'visible' && right > 0 && bottom > 0
        && left < innerWidth && top < innerHeight,
    }
  })

  let isFresh = true
  const tab = async (): Promise<Focused> => {
    await page.keyboard.press('Tab')
    const at = await focused()
    if (isFresh) assert.isTrue(at.isInDialog || at.name === 'Skip to the content', `the first stop at ${page.url()} is ${at.name}`)
    isFresh = false
    if (at.tag !== 'body') assert.isTrue(at.isSeen, `the focus on ${at.tag} “${at.name}” is not seen at ${page.url()}`)
    return at
  }

  /** Moves on until something is reached by its tag and name. */
  const tabTo = async (tag: string, name: string | RegExp): Promise<void> => {
    const passed: Array<string> = []
    for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
      const at = await tab()
      if (at.tag === tag && (typeof name === 'string' ? at.name === name : name.test(at.name))) return
      passed.push(`${at.tag} ${at.name.slice(0, 40)}`)
    }
    assert.fail(`${tag} “${String(name)}” is not reached at ${page.url()}, but ${[...new Set(passed)].join(', ')}`)
  }

  return {
    focused, tab, tabTo,
    type: (text: string) => page.keyboard.type(text),
    press: (key: 'Enter' | 'Space' | 'ArrowUp' | 'ArrowDown') => page.keyboard.press(key),
    /** Presses what leads to another page, whose first stop is the link that skips the navigation, or in its panel. */
    go: async (key: 'Enter' | 'Space' = 'Enter'): Promise<void> => {
      const loaded = page.waitForEvent('load')
      await page.keyboard.press(key)
      await loaded
      // The browser focuses a field of its own accord only after the page has loaded.
      await page.waitForFunction(
        () => document.querySelector('[autofocus]') === null || document.activeElement !== document.body, undefined, { polling: 20 },
      )
      isFresh = true
    },
  }
}

export type Keyboard = ReturnType<typeof keyboardOf>
