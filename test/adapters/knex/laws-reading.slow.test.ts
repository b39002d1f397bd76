import { withReading } from '../../../core/ports.js'
import { describeEachDatabase } from '../../support/databases.js'
import { describePorts } from '../../support/describe-ports.js'

await describeEachDatabase(
  'Every port over SQL, read on connections for reading,',
  ({ createMigrated }) => { describePorts({ create: createMigrated }, withReading) }, 'SQLite',
)
