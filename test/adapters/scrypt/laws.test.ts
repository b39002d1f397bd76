import { makePasswordTurns } from '../../../adapters/scrypt/password-turns.js'
import { passwordTurnsLaws } from '../../laws/password-turns.js'
import { describeLaws } from '../../support/describe-laws.js'

describeLaws('the turns of passwords', passwordTurnsLaws, async () => ({ openTurns: makePasswordTurns }))
