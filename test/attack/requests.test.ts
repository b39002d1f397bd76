import { shortForm } from './attacks.js'
import { describeAttacks } from './describe-attacks.js'

describeAttacks(shortForm.requests)
