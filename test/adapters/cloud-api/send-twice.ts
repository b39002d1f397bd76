import { makeGotTransport } from '../../../adapters/cloud-api/got-transport.js'
import { makeUndiciTransport } from '../../../adapters/cloud-api/undici-transport.js'
import { tagAndCause, to, untilRested } from './each-transport.js'

// Sends twice over the transport that its first argument names, and prints both results, for a test that needs a process of its own:
// which certificates one trusts is settled when it starts.
const [name, origin = ''] = process.argv.slice(2)
const transport = name === 'got' ? makeGotTransport() : makeUndiciTransport()
const first = await transport.send(to(origin))
await untilRested()
const second = await transport.send(to(origin))
await transport.close()
process.stdout.write(JSON.stringify([first, second].map((result) => (result._tag === 'Answered' ? result.body : tagAndCause(result)))))
