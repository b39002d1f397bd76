// Long: plays ten thousand worlds.
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import { describeCustomerWindows } from '../customer-windows.js'

const WORKSPACE = workspaceIdOf('019c0000000070008000000000000000')
/** Worlds in disorder. */
const RUNS = 10_000

describe('The windows of customers whose ids change, in thousands of worlds,', () => {
  describeCustomerWindows(RUNS, () => {
    const ports = makeMemoryStorage()
    return { gateways: [ports, ports], workspace: WORKSPACE }
  })
})
