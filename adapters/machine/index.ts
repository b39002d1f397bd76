/** What the core asks of the machine, by Node's own cryptography. */
export { machine } from './machine.js'
