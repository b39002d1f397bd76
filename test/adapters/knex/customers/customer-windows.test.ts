import { randomUUID } from 'node:crypto'
import { workspaceIdOf } from '../../../../core/kernel/ids.js'
import { describeCustomerWindows } from '../../../core/customer-windows.js'
import { describeEachStorage } from '../../../support/each-storage.js'

/** Worlds in disorder; with CUSTOMER_RUNS as many as it says. */
const RUNS = Number(process.env['CUSTOMER_RUNS'] ?? 50)

await describeEachStorage('The windows of customers whose ids change', ({ storage, elsewhere }) => {
  describeCustomerWindows(RUNS, () => ({ gateways: [storage(), elsewhere()], workspace: workspaceIdOf(randomUUID()) }))
})
