// Long: sends ten thousand messages.
import { compareBilling } from './billing.js'

describe('The charges of a gateway', () => {
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)

  it(`are what the simulator bills, to the micro, for 10,000 messages of every kind (SEED=${seed})`, async function () {
    // So many keep a processor busy for a while, and it may be shared.
    this.timeout(300_000)
    await compareBilling(seed, { phases: 10, sendsAPhase: 1_000, freeTexts: 300, atLeastOfEach: 50 })
  })
})
