import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../architecture/tree.js'
import { FOLDER, MADE_OF, takePictures } from './pictures.js'

// Takes the pictures of the README again. The package must be compiled.
const pictures = await takePictures()
await mkdir(join(ROOT, FOLDER), { recursive: true })
for (const [name, { png }] of pictures) await writeFile(join(ROOT, FOLDER, `${name}.png`), png)
await writeFile(join(ROOT, MADE_OF), `${JSON.stringify(Object.fromEntries([...pictures].map(([name, picture]) => [name, picture.madeOf])), undefined, 2)}\n`)
