import { describeStorage } from './storages.js'

await describeStorage('SQLite')
