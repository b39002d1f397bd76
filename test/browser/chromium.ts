import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

/** The headless shell comes first: it takes a third of the processor's time, because it has no windows. */
const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Where a Chromium is on this machine: `CHROMIUM`, or where Debian and others install it. */
export const chromiumPath = process.env['CHROMIUM'] ?? PLACES.find((path) => existsSync(path))

if (chromiumPath === undefined) process.stderr.write('There is no Chromium on this machine, so the tests in a browser do not run. Install it, or say with CHROMIUM where it is.\n')

/** `describe` where there is a browser. */
export const describeInBrowser = (title: string, tests: (this: Mocha.Suite) => void): void => {
  if (chromiumPath !== undefined) describe(title, tests)
}

/** Starts a browser that makes no requests of its own. */
export const openChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
      '--disable-sync',
    ],
  })
