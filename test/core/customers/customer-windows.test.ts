import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import { describeCustomerWindows } from '../customer-windows.js'

const WORKSPACE = workspaceIdOf('019c0000000070008000000000000000')
/** Worlds in disorder; with CUSTOMER_RUNS as many as it says. The slow part plays more. */
const RUNS = Number(process.env['CUSTOMER_RUNS'] ?? 2_000)

describe('The windows of customers whose ids change', () => {
  describeCustomerWindows(RUNS, () => {
    const ports = makeMemoryStorage()
    return { gateways: [ports, ports], workspace: WORKSPACE }
  })
})
