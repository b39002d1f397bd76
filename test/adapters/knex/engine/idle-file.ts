import { openDatabase } from '../../../../adapters/knex/engine/database.js'
import { execute } from '../../../../adapters/knex/engine/sql.js'

// Run as a process of its own: uses the database its argument names and does not close it.
const [url = ''] = process.argv.slice(2)
const database = openDatabase(url)
database.allowCreate()
await execute(database.db, 'CREATE TABLE notes (id INTEGER PRIMARY KEY)')
process.stdout.write(`${await execute(database.db, 'INSERT INTO notes (id) VALUES (1)')} row`)
