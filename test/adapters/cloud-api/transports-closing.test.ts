import { assert } from 'chai'
import { describeTransports, to } from './each-transport.js'
import { ACCEPTED, openRawServer, type RawServer, type Respond } from './raw-server.js'

const SENDERS = 16
const SENDS = 480

/** Ways in which a server closes a connection that it had not said it would close. */
const closings: ReadonlyArray<readonly [string, Respond]> = [
  ['with the answer', (socket) => { socket.end(ACCEPTED) }],
  ['with every third answer', (socket, nth) => {
    if (nth % 3 === 0) socket.end(ACCEPTED)
    else socket.write(ACCEPTED)
  }],
  ['a turn after the answer', (socket) => {
    socket.write(ACCEPTED)
    setImmediate(() => socket.end())
  }],
  ['three milliseconds after the answer', (socket) => {
    socket.write(ACCEPTED)
    setTimeout(() => socket.end(), 3)
  }],
  ['three milliseconds after every third answer', (socket, nth) => {
    socket.write(ACCEPTED)
    if (nth % 3 === 0) setTimeout(() => socket.end(), 3)
  }],
]

describeTransports('with a server that closes connections unannounced', (world) => {
  let server: RawServer
  afterEach(() => server.close())

  for (const [when, respond] of closings) {
    it(`has every answer when the server closes a connection ${when}`, async () => {
      server = await openRawServer(respond)
      const statuses: (number | string)[] = []
      await Promise.all(Array.from({ length: SENDERS }, async () => {
        for (let n = 0; n < SENDS / SENDERS; n += 1) {
          const result = await world().transport.send(to(server.url))
          statuses.push(result._tag === 'Answered' ? result.status : result.cause.message)
        }
      }))
      assert.deepEqual(statuses, Array.from({ length: SENDS }, () => 200))
      assert.equal(server.arrived(), SENDS, 'no request was written twice')
    })
  }
})
