import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { alwaysOpen, makeSending, parseJsonObject, phoneNumberOf, senderIdOf } from 'postern'
import { openSandbox } from 'postern/memory'
import { makeSmsPlatform } from './sms-platform.js'

// A stand-in for the network, which accepts every message.
const network = createServer((request, response) => {
  void text(request).then((body) => {
    const asked = parseJsonObject(body)
    console.log('the network got', asked?.['to'], asked?.['text'])
    response.setHeader('Content-Type', 'application/json').end('{"id":"sms-1"}')
  })
}).listen(0, '127.0.0.1')
await once(network, 'listening')
const address = network.address()
if (address === null || typeof address === 'string') throw new Error('The network has no port.')

// The customer has never written. On this network, a text may be sent anyway.
const to = phoneNumberOf('+33 6 39 98 00 01')
const sandbox = await openSandbox()
const { workspace, messageLog, ledger } = sandbox
const storage = { ...sandbox, windowClock: alwaysOpen(sandbox.windowClock) }
const { receive, sendText } = makeSending({ ...storage, platform: makeSmsPlatform(`http://127.0.0.1:${address.port}`) }, sandbox)

const reply = await sendText({ workspace, to, text: 'Your code is 1234' })
if (reply._tag === 'Left') throw new Error(reply.left._tag)
// A delivery report from the network, as the app's own webhook reads it.
const { id: messageId, platformId } = reply.right
await receive([{ _tag: 'StatusReport', phoneNumberId: senderIdOf('1000001'), messageId, platformId, change: { state: 'delivered', at: Date.now(), platformId } }])
const found = await messageLog.find(workspace, { id: messageId })
const balance = await ledger.balance(workspace)
if (found._tag === 'Right' && found.right._tag === 'Some') console.log(found.right.value.platformId, found.right.value.state)
if (balance._tag === 'Right' && balance.right._tag === 'Some') console.log(balance.right.value.available, balance.right.value.held)
network.close()
network.closeAllConnections()
