// Slow: tries ten thousand states.
import { describeAgreement } from './quotes-agree.js'

describe('A quote, in thousands of states,', () => {
  describeAgreement(10_000)
})
