// Slow: floods a real gateway with people, pages and passwords.
import { shortForm } from './attacks.js'
import { describeAttacks } from './describe-attacks.js'

describeAttacks(shortForm.people)
