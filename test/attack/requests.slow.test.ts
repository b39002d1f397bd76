// Slow: attacks a real gateway with large bodies and many peers while a good client sends for some seconds.
import { shortForm } from './attacks.js'
import { describeAttacks } from './describe-attacks.js'

describeAttacks(shortForm.requests)
