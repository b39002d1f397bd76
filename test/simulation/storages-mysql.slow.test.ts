import { describeStorage } from './storages.js'

await describeStorage('MySQL')
