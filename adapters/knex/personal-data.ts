import { createHmac, hkdfSync } from 'node:crypto'
import { customerDigestOf, recordKeyOf } from '../../core/customers/customer.js'
import type { PersonalData } from '../../core/privacy.js'
import type { Database } from './database.js'
import { erasePerson } from './erase-person.js'
import type { DigestOf } from './forget-messages.js'
import { forgetStep } from './forget-step.js'
import { portTasks } from './port-tasks.js'
import type { TransactEvents } from './transact-events.js'

/** What a storage forgets of people; without a secret every method fails. */
export const makePersonalData = (database: Database, transactEvents: TransactEvents, secret: string | undefined): PersonalData => {
  const digest = digestWith(secret)
  return {
    digestOf: (workspace, id) => tasks.value(async () => digest()(workspace, recordKeyOf(id))),
    forgetBefore: (query) => tasks.value(async () => forgetStep(database, query, digest())),
    erase: (workspace, ids, along) => tasks.either(async () => erasePerson({ database, transactEvents, digestOf: digest() }, { workspace, ids, along })),
  }
}

const KEY_BYTES = 32

/** A key of its own, so that digests tell nothing about what else the secret protects. */
const digestWith = (secret: string | undefined): (() => DigestOf) => {
  const key = secret === undefined ? undefined : Buffer.from(hkdfSync('sha256', secret, '', 'postern forgotten customers', KEY_BYTES))
  return () => {
    if (key === undefined) throw new Error('POSTERN_SECRET is not set, and what takes the place of a forgotten number is made with it')
    return (workspace, id) => customerDigestOf(createHmac('sha256', key).update(`${workspace} ${id}`).digest('hex'))
  }
}

const tasks = portTasks('PersonalData')
