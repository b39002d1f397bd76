// Long: plays three hundred worlds on each database.
import { randomUUID } from 'node:crypto'
import { workspaceIdOf } from '../../../../core/kernel/ids.js'
import { describeCustomerWindows } from '../../../core/customer-windows.js'
import { describeEachStorage } from '../../../support/each-storage.js'

/** Worlds in disorder. */
const RUNS = 200

await describeEachStorage('The windows of customers whose ids change, in hundreds of worlds,', ({ storage, elsewhere }) => {
  describeCustomerWindows(RUNS, () => ({ gateways: [storage(), elsewhere()], workspace: workspaceIdOf(randomUUID()) }))
})
