import { startSimulator } from '../../apps/simulator/simulator.js'

const simulator = await startSimulator({ delays: { sent: 1, delivered: 2, read: 3 } })
console.log(simulator.received()) // what was sent through simulator.url
await simulator.idle() // every webhook was acknowledged
await simulator.close() // ends everything, also connections that hang
