// Once, at the entry, so that an operator's own adapter classes may use inversify's decorators; ours need none.
import 'reflect-metadata'
import { run } from './run.js'

await run(process.env)
