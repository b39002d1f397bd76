import type { AnswerTime } from './platform-server.js'
import { startPlatformServer } from './platform-server.js'

/** What the process of a platform is asked for; it answers each message with a `PlatformReport`. */
export type PlatformRequest = { readonly answerAfter?: AnswerTime }

const platform = await startPlatformServer()
process.on('message', ({ answerAfter }: PlatformRequest) => {
  if (answerAfter !== undefined) platform.answerAfter(answerAfter)
  process.send?.(platform.report())
})
process.once('disconnect', () => process.exit(0))
process.send?.(platform.url)
