import { describeEachDatabase } from '../../support/databases.js'
import { describePorts } from '../../support/describe-ports.js'

await describeEachDatabase('Every port over SQL', ({ createMigrated }) => {
  describePorts({ create: createMigrated }, undefined, 'odd')
}, 'SQLite')
