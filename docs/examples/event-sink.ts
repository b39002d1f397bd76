import { EventEmitter, once } from 'node:events'
import { type EventSink, eventView, phoneNumberOf } from 'postern'
import { makeGateway } from 'postern/gateway'
import { openSandbox } from 'postern/memory'

const app = new EventEmitter()

/** Delivers events, here to the app itself. It answers within 20 seconds and never throws. An event that was not `delivered` is delivered again. */
const sink: EventSink = {
  deliver: async (event) => {
    const startedAt = Date.now()
    const { type, data } = eventView(event)
    const delivered = app.emit(type, data['state'], data['price'])
    return { delivered, error: delivered ? undefined : 'The app does not listen.', httpStatus: undefined, answer: undefined, durationMs: Date.now() - startedAt }
  },
}

const { workspace, platform, priceOf, ...storage } = await openSandbox({ broker: true })
const gateway = makeGateway({ storage, platform, delivery: { broker: sink }, onFailure: (event, error) => { console.error(event, error) } }, { priceOf })
const accepted = once(app, 'message.accepted')
await gateway.start()
const reply = await gateway.sendTemplate({ workspace, to: phoneNumberOf('+33 6 39 98 00 01'), name: 'order_update' })
console.log(reply._tag, await accepted)
// Stop the app's own server first, so that no request arrives while the gateway stops.
await gateway.stop()
