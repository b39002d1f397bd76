// Slow: shows the phone of a customer in a real browser, in many ways.
import { assert } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { type Simulator, startSimulator } from '../../apps/simulator/simulator.js'
import { ACCEPTED, interactive, message } from '../apps/simulator/content-cases.js'
import { post, type Receiver, startReceiver, template, text } from '../apps/simulator/support.js'
import { describeInBrowser, openChromium } from './chromium.js'
import { axeFaults } from './dashboard.js'

type Look = { readonly width?: number; readonly dark?: boolean; readonly script?: boolean }

const ADA = '15550100910'
const BEN = '15550100911'
const LOOKS: ReadonlyArray<Look> = [{}, { width: 1900 }, { width: 320 }, { dark: true }, { width: 320, dark: true, script: false }]

describeInBrowser('The customer\'s phone in a browser', () => {
  let browser: Browser
  let receiver: Receiver
  let simulator: Simulator
  before(async () => { browser = await openChromium() })
  after(() => browser.close())
  beforeEach(async () => {
    receiver = await startReceiver()
    simulator = await startSimulator({ delays: { sent: 2, delivered: 8, read: 14 }, webhook: receiver.webhook })
  })
  afterEach(async () => {
    await simulator.close()
    await receiver.close()
  })

  const withPage = async (
    use: (page: Page, faults: Array<string>) => Promise<void>, { width = 1280, dark = false, script = true }: Look = {},
    path = '/_simulator',
  ): Promise<void> => {
    const context = await browser.newContext({
      viewport: { width, height: 900 }, colorScheme: dark ? 'dark' : 'light', javaScriptEnabled: script,
    })
    const faults: Array<string> = []
    await context.route('**/*', async (route) => {
      const asked = route.request().url()
      if (asked.startsWith(`${simulator.url}/`)) return route.continue()
      faults.push(`asked ${asked}`)
      return route.abort()
    })
    const page = await context.newPage()
    page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`) })
    page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
    try {
      await page.goto(simulator.url + path)
      await use(page, faults)
      assert.deepEqual(faults, [])
    } finally {
      await context.close()
    }
  }
  const looksGood = async (page: Page, { width = 1280, dark = false, script = true }: Look, name: string): Promise<void> => {
    if (script) assert.deepEqual(await axeFaults(page), [], name)
    assert.isAtMost(await page.locator('html').evaluate((html) => html.scrollWidth), width, `${name} is wider than the window`)
    const shots = process.env['SHOTS']
    if (shots !== undefined) {
      await page.screenshot({ path: `${shots}/phone-${name}-${width}${dark ? '-dark' : ''}${script ? '' : '-plain'}.png`, fullPage: true })
    }
  }
  const arrives = (page: Page, shown: string): Promise<void> => page.getByText(shown).first().waitFor()
  const write = async (page: Page, name: string, message: string): Promise<void> => {
    await page.getByLabel(`Message of ${name}`).fill(message)
    await page.keyboard.press('Enter')
    await arrives(page, message)
  }
  const add = async (page: Page, name: string): Promise<void> => {
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByRole('button', { name: 'Add the phone' }).click()
    await page.getByRole('heading', { name, exact: true }).waitFor()
  }
  const shipment = (to: string): object => template(to, 'shipment_photo', 'en', [
    { type: 'header', parameters: [{ type: 'image', image: { link: 'https://shop.example/a.jpg' } }] },
    { type: 'body', parameters: [{ type: 'text', text: 'A-17' }] },
    { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'a17' }] },
    { type: 'button', sub_type: 'quick_reply', index: '1', parameters: [{ type: 'payload', payload: 'thanks-17' }] },
  ])
  /** Sends a message of every type that the platform takes. */
  const sendEveryType = async (to: string): Promise<void> => {
    for (const [title, body] of ACCEPTED) {
      if (/257|by id|catalog without/.test(title) || JSON.stringify(body).includes('"id":"1"')) continue
      const { status } = await post(simulator, { ...body, to })
      assert.equal(status, 200, title)
    }
    await simulator.idle()
  }
  const fill = async (): Promise<void> => {
    await sendEveryType(BEN)
    simulator.writeAs(ADA, { text: 'Where is my order? It should have been here on Monday.', name: 'Ada' })
    await post(simulator, text(ADA, 'It is at the door. Look: https://shop.example/track/a-very-long-address-that-does-not-break-anywhere-by-itself'))
    await post(simulator, shipment(ADA))
    simulator.writeAs(BEN, { type: 'image', text: 'Is this the lamp?', name: 'Ben' })
    await post(simulator, text(BEN, 'It is.\nShall we keep one for you?'))
    simulator.writeAs('15550100026', { text: 'Hello?', name: 'Chloé' })
    await post(simulator, text('15550100026', 'Never seen'))
    await post(simulator, text('15550100126', 'Refused'))
    await simulator.idle()
    await simulator.skip(24 * 3_600_000)
    simulator.writeAs(ADA, { type: 'reaction', name: 'Ada' })
    simulator.writeAs(ADA, { text: 'Thank you!', name: 'Ada' })
    await simulator.idle()
  }

  for (const look of LOOKS) {
    it(`pleases axe, fits, complains of nothing and asks no other host, ${JSON.stringify(look)}`, async () => {
      await withPage((page) => looksGood(page, look, 'empty'), look)
      await fill()
      await withPage(async (page) => {
        await looksGood(page, look, 'chats')
        for (const summary of await page.locator('summary').all()) await summary.click()
        await looksGood(page, look, 'opened')
      }, look)
    })
  }

  it('shows a message that comes by the platform\'s address, and its ticks, without being loaded again', async () => {
    await withPage(async (page) => {
      await post(simulator, text(ADA, 'Your order is at the door.'))
      await arrives(page, 'Your order is at the door.')
      await page.locator('.tick.read').waitFor()
    })
  })

  it('lets a customer write one message after another by keyboard, and keeps what another is typing', async () => {
    await withPage(async (page) => {
      await add(page, 'Ada')
      await add(page, 'Ben')
      await page.getByLabel('Message of Ben').fill('Not sent yet')
      await write(page, 'Ada', 'One')
      await page.waitForFunction(() =>
        document.activeElement?.getAttribute('name') === 'text' && (document.activeElement as HTMLInputElement).value === '')
      await page.keyboard.type('Two')
      await page.keyboard.press('Enter')
      await page.locator('.mine', { hasText: 'Two' }).waitFor()
      await post(simulator, text(ADA, 'An answer'))
      await page.locator('.theirs', { hasText: 'An answer' }).locator('.tick.read').waitFor()
      assert.equal(await page.getByLabel('Message of Ben').inputValue(), 'Not sent yet')
      await simulator.idle()
      assert.deepEqual(receiver.messages().map((message) => String(message['text']!['body'])), ['One', 'Two'])
    })
  })

  it('opens a list and chooses a row, sends the location and plays a voice message by keyboard', async () => {
    await withPage(async (page) => {
      await post(simulator, {
        ...interactive('list', { button: 'Choose a time', sections: [{ rows: [{ id: 'ten', title: '10:00' }] }] }), to: ADA,
      })
      await post(simulator, { ...interactive('location_request_message', { name: 'send_location' }), to: ADA })
      await post(simulator, message('audio', { link: 'https://shop.example/a.ogg', voice: true }, { to: ADA }))
      await page.locator('.theirs .tick.read').nth(2).waitFor()
      await page.getByText('Choose a time').focus()
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.locator('.mine', { hasText: 'Chose' }).waitFor()
      await page.getByRole('button', { name: 'Send my location' }).press('Enter')
      await page.locator('.mine', { hasText: 'Location' }).waitFor()
      await page.getByRole('button', { name: 'Play the voice message' }).press('Enter')
      await page.locator('.tick.played').waitFor()
      await simulator.idle()
      assert.deepEqual(receiver.messages().map(({ type }) => String(type)), ['interactive', 'location'])
    })
  })

  it('taps a quick reply, attaches a file, hides the number, skips a day and lets the platform fail', async () => {
    await withPage(async (page) => {
      await post(simulator, shipment(ADA))
      await page.getByRole('button', { name: 'Thanks' }).click()
      await page.locator('.mine', { hasText: 'Tapped' }).waitFor()
      const name = 'A customer'
      await page.getByLabel(`Attach, as ${name}`).click()
      await page.getByLabel('What', { exact: true }).selectOption('file')
      await page.getByLabel('A file, instead of the sample').setInputFiles({
        name: 'order.txt', mimeType: 'text/plain', buffer: Buffer.from('one lamp'),
      })
      await page.getByRole('button', { name: 'Send it' }).click()
      await page.locator('.mine', { hasText: 'order.txt' }).waitFor()
      await page.getByLabel(`My number and my wishes, as ${name}`).click()
      await page.getByRole('button', { name: 'Hide my number' }).click()
      await page.getByRole('button', { name: 'Show my number' }).waitFor()
      await arrives(page, 'Window open:')
      await page.getByRole('button', { name: 'Skip 24 hours' }).click()
      await arrives(page, 'Window closed.')
      await page.getByLabel('When the business sends').selectOption('throttle')
      await page.getByRole('button', { name: 'Apply' }).click()
      await arrives(page, 'failing on purpose')
      assert.equal((await post(simulator, text(ADA))).status, 429)
      await arrives(page, 'The platform refused a message of the business: 130429')
    })
  })

  it('works without JavaScript', async () => {
    await withPage(async (page, faults) => {
      await add(page, 'Ada')
      await write(page, 'Ada', 'Is anybody there?')
      await simulator.idle()
      assert.equal(String(receiver.messages()[0]!['text']!['body']), 'Is anybody there?')
      await page.getByLabel('Number', { exact: true }).fill('12')
      await page.getByRole('button', { name: 'Add the phone' }).click()
      await arrives(page, 'A number needs its country code')
      await page.getByRole('link', { name: 'loaded again' }).waitFor()
      // The refusal is a page with the status 400, of which Chromium complains.
      assert.match(faults.splice(0).join(), /^console: Failed to load resource: the server responded with a status of 400[^:]*$/)
    }, { script: false, width: 320 })
  })

  it('goes on after the simulator was away for a while', async () => {
    const { port } = simulator
    await withPage(async (page, faults) => {
      simulator.writeAs(ADA, { text: 'Before' })
      await arrives(page, 'Before')
      await simulator.close()
      simulator = await startSimulator({ port, webhook: receiver.webhook })
      simulator.writeAs(ADA, { text: 'After' })
      await arrives(page, 'After')
      assert.equal(await page.getByText('Before').count(), 0)
      // Chromium and htmx complain of the stream that broke.
      assert.deepEqual(faults.splice(0).filter((fault) => !/net::ERR_|htmx:sse:/.test(fault)), [])
    })
  })
})
