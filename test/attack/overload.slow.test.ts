// Slow: sends more than gateways can take, for some seconds at each of two transports.
import { shortForm } from './attacks.js'
import { describeAttacks } from './describe-attacks.js'

describeAttacks(shortForm.overload)
