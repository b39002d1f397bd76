import { request } from 'node:http'
import { assert } from 'chai'
import type { Simulator } from '../../../apps/simulator/simulator.js'
import { control, CUSTOMER, freshForEach, PHONE_NUMBER_ID, quickSimulator, type Receiver, record, startReceiver } from './support.js'

/** A form of the phone: its fields, or the whole form with a file. */
export type Fields = Readonly<Record<string, string>> | FormData

/** The phone of a simulator, with a business that listens. */
export type Phone = {
  readonly simulator: () => Simulator
  readonly receiver: () => Receiver
  /** The spans that the simulator asked to skip, and what the business does then. */
  readonly skipped: Array<number>
  readonly whenSkipped: (act: () => Promise<void>) => void
  readonly page: (query?: string) => Promise<string>
  readonly act: (name: string, fields: Fields, headers?: Readonly<Record<string, string>>) => Promise<Response>
  /** Does an act that must succeed, and waits for its notifications. */
  readonly done: (name: string, fields: Fields) => Promise<void>
  /** Does an act that must be refused for a reason, and send nothing. */
  readonly refused: (name: string, fields: Fields, status: number, says: RegExp) => Promise<void>
  readonly addAda: () => Promise<void>
  /** The form for attachments of Ada, with a file or as browsers send it without one. */
  readonly attached: (fields: Readonly<Record<string, string>>, file?: File) => FormData
  /** The rates of faults. */
  readonly rates: () => Promise<object>
  /** Opens a stream of events. */
  readonly open: (lastEventId?: string) => Stream
}

/** A stream of events; `next` waits for one with a text. */
export type Stream = {
  readonly all: () => ReadonlyArray<string>
  readonly next: (shown: string) => Promise<{ readonly id: string; readonly html: string }>
  readonly close: () => void
}

/** Starts a simulator and its business for a suite, and resets both before each test. */
export const startPhone = (): Phone => {
  let fixture: { readonly simulator: Simulator; readonly receiver: Receiver }
  const skipped: Array<number> = []
  let skipping: () => Promise<void> = async () => undefined
  before(async () => {
    const receiver = await startReceiver()
    const onSkip = async (ms: number): Promise<void> => {
      skipped.push(ms)
      await skipping()
    }
    fixture = { receiver, simulator: await quickSimulator({ webhook: { ...receiver.webhook, concurrency: 1, batch: 1 }, onSkip }) }
  })
  freshForEach(() => fixture)
  beforeEach(() => {
    skipped.length = 0
    skipping = async () => undefined
  })
  const url = (): string => fixture.simulator.url
  const act: Phone['act'] = (name, fields, headers = { origin: url() }) =>
    fetch(`${url()}/_simulator/phone/${name}`, {
      method: 'POST', redirect: 'manual', headers,
      body: fields instanceof FormData ? fields : new URLSearchParams({ business: PHONE_NUMBER_ID, ...fields }),
    })
  const done: Phone['done'] = async (name, fields) => {
    const response = await act(name, fields)
    assert.equal(response.status, 303, await response.text())
    await fixture.simulator.idle()
  }
  return {
    simulator: () => fixture.simulator, receiver: () => fixture.receiver, skipped, act, done,
    whenSkipped: (then) => { skipping = then },
    page: async (query = '') => (await fetch(`${url()}/_simulator${query}`)).text(),
    refused: async (name, fields, status, says) => {
      const response = await act(name, fields)
      assert.equal(response.status, status)
      assert.match(await response.text(), says)
      await fixture.simulator.idle()
      assert.isEmpty(fixture.receiver.notifications)
    },
    addAda: () => done('add', { name: 'Ada', number: `+${CUSTOMER}` }),
    attached: (fields, file = new File([], '')) => {
      const form = new FormData()
      for (const [name, value] of Object.entries({ business: PHONE_NUMBER_ID, customer: CUSTOMER, text: '', ...fields })) {
        form.append(name, value)
      }
      form.append('file', file)
      return form
    },
    rates: async () => record((await control(fixture.simulator, 'faults')).json['settings']!['rates']),
    open: (lastEventId) => openStream(`${url()}/_simulator/phone/live`, lastEventId),
  }
}

const openStream = (url: string, lastEventId: string | undefined): Stream => {
  let got = ''
  const wakes: Array<() => void> = []
  const asked = request(url, { headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId } })
  asked.on('response', (response) => response.setEncoding('utf8').on('data', (chunk: string) => {
    got += chunk
    wakes.splice(0).forEach((wake) => wake())
  }).on('error', () => undefined))
  asked.on('error', () => undefined).end()
  const events = (): ReadonlyArray<string> => got.split('\n\n').slice(0, -1).filter((event) => event.startsWith('id: '))
  return {
    all: events,
    close: () => asked.destroy(),
    next: async (shown) => {
      for (;;) {
        const event = events().find((one) => one.includes(shown))
        if (event !== undefined) return { id: /^id: (\S+)/.exec(event)?.[1] ?? '', html: event.replace(/^data: /gm, '') }
        await new Promise<void>((resolve) => wakes.push(resolve))
      }
    },
  }
}
