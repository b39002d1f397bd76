import { startSimulator } from '../../apps/simulator/simulator.js'

const simulator = await startSimulator({ delays: { sent: 1, delivered: 2, read: 3 } })
console.log(simulator.received()) // the messages sent through simulator.url
await simulator.idle() // waits until every webhook is acknowledged
await simulator.close() // stops everything, including connections that hang
