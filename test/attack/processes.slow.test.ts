// Slow: kills, freezes and restarts real gateways while callers race.
import { shortForm } from './attacks.js'
import { describeAttacks } from './describe-attacks.js'

describeAttacks(shortForm.processes)
