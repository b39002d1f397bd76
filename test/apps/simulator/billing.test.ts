import { compareBilling } from './billing.js'

describe('The charges of a gateway', () => {
  // The slow part draws other messages in each run.
  const seed = Number(process.env['SEED'] ?? 1)

  it(`are what the simulator bills, to the micro, for 1,000 messages of every kind (SEED=${seed})`, async () => {
    await compareBilling(seed, { phases: 5, sendsAPhase: 200, freeTexts: 30, atLeastOfEach: 3 })
  })
})
