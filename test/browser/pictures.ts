import { createHash } from 'node:crypto'
import type { Page } from 'playwright-core'
import { compiled } from '../support/compiled.js'
import { eventually } from '../support/eventually.js'
import { bareEnv } from '../support/postern.js'
import { startProgram } from '../support/program.js'
import { openChromium } from './chromium.js'

/** A picture of a page of the demonstration. */
export type Picture = {
  readonly png: Buffer
  /** A digest of the page's style and of the words that do not change from day to day, by which a picture is seen to be old. */
  readonly madeOf: string
}

/** Where the pictures are, and what they were made of. */
export const FOLDER = 'docs/pictures'
export const MADE_OF = `${FOLDER}/made-of.json`

/** The pages that the demonstration's last lines lead to. */
const SHOWN = {
  dashboard: { line: /^The dashboard,.*(http:\S+)\n/m, width: 1280, height: 1120 },
  phone: { line: /^The phone of a customer,.*(http:\S+)\n/m, width: 1280, height: 900 },
} as const

/** Starts the demonstration, and takes a picture of each page that it ends with. */
export const takePictures = async (): Promise<ReadonlyMap<string, Picture>> => {
  const demo = startProgram(process.execPath, [compiled('apps/cli/main.js'), 'demo', '--free-ports'], bareEnv({}))
  const browser = await openChromium()
  try {
    await eventually(
      'the end of the demonstration', () => Object.values(SHOWN).every(({ line }) => line.test(demo.output())) || undefined, 100_000,
    )
    const pictures = new Map<string, Picture>()
    for (const [name, { line, width, height }] of Object.entries(SHOWN)) {
      const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: 1, reducedMotion: 'reduce' })
      await page.goto(line.exec(demo.output())?.[1] ?? '')
      pictures.set(name, { madeOf: await madeOf(page), png: await page.screenshot() })
    }
    return pictures
  } finally {
    await browser.close()
    demo.signal('SIGINT')
    await demo.ended
  }
}

const madeOf = async (page: Page): Promise<string> => {
  // Which customers wrote last differs from day to day.
  const words = await page.locator(`h1, h2:not(.phone h2), h3, th[scope=col], dt, nav a:not(.names li + li a), button`).allTextContents()
  const sheet = await page.locator('link[rel=stylesheet]').getAttribute('href')
  const style = await (await page.request.get(new URL(sheet ?? '', page.url()).href)).text()
  return createHash('sha256').update(JSON.stringify([words, style])).digest('hex').slice(0, 16)
}
