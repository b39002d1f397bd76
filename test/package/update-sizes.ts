import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../architecture/tree.js'
import { install } from './install.js'
import { measure, PAGE, TABLE, tableOf } from './sizes.js'

// Writes the table of sizes again. The package must be compiled.
const pack = await install()
try {
  const path = join(ROOT, PAGE)
  const table = tableOf(await measure(pack))
  await writeFile(path, (await readFile(path, 'utf8')).replace(TABLE, () => table))
  process.stdout.write(table)
} finally {
  await pack.dispose()
}
