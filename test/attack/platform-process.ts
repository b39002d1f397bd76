import { readFileSync } from 'node:fs'
import type { AnswerTime } from './platform-server.js'
import { startPlatformServer } from './platform-server.js'

/** What the process of a platform is asked for; it answers each message with a `PlatformReport`. */
export type PlatformRequest = { readonly answerAfter?: AnswerTime }

const [certFile, keyFile] = process.argv.slice(2)
const platform = await startPlatformServer(certFile === undefined || keyFile === undefined ? undefined : {
  cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8'),
})
process.on('message', ({ answerAfter }: PlatformRequest) => {
  if (answerAfter !== undefined) platform.answerAfter(answerAfter)
  process.send?.(platform.report())
})
process.once('disconnect', () => process.exit(0))
process.send?.(platform.url)
