// Long: tries ten thousand states.
import { describeAgreement } from '../use-cases/quotes-agree.js'

describe('A quote, in thousands of states,', () => {
  describeAgreement(10_000)
})
