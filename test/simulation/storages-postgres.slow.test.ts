import { describeStorage } from './storages.js'

await describeStorage('PostgreSQL')
