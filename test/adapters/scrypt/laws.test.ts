import { makePasswordHashQueue } from '../../../adapters/scrypt/password-hash-queue.js'
import { passwordHashQueueLaws } from '../../laws/password-hash-queue.js'
import { describeLaws } from '../../support/describe-laws.js'

describeLaws('the queue of password hashes', passwordHashQueueLaws, async () => ({ openQueue: makePasswordHashQueue }))
