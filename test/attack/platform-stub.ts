import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { PlatformRequest } from './platform-process.js'
import type { AcceptedSend, AnswerTime, PlatformReport } from './platform-server.js'

/** A platform in a process of its own, so that the senders of a test do not delay its answers. */
export type PlatformStub = {
  readonly url: string
  /** The sends that reached it; those of one sender where its id is given. */
  readonly accepted: (phoneNumberId?: string) => Promise<ReadonlyArray<AcceptedSend>>
  readonly report: () => Promise<PlatformReport>
  /** How long an answer takes from now on. */
  readonly answerAfter: (time: AnswerTime | number) => Promise<void>
  readonly close: () => Promise<void>
}

/** Starts a platform on a free port, with the certificate of two files if they are given. */
export const startPlatformStub = async (tls?: { readonly certFile: string; readonly keyFile: string }): Promise<PlatformStub> => {
  const child = fork(fileURLToPath(new URL('platform-process.ts', import.meta.url)), tls === undefined ? [] : [tls.certFile, tls.keyFile], { execArgv: ['--import', 'tsx'] })
  const url = String(await messageOf(child))
  let last: Promise<unknown> = Promise.resolve()
  /** One question at a time, so that each answer belongs to the question before it. */
  const ask = (request: PlatformRequest): Promise<PlatformReport> => {
    const answered = last.then(async () => {
      const answer = messageOf(child)
      child.send(request)
      return await answer as PlatformReport
    })
    last = answered.catch(() => undefined)
    return answered
  }
  const report = (): Promise<PlatformReport> => ask({})
  return {
    url,
    report,
    accepted: async (phoneNumberId) => {
      const { accepted } = await report()
      return phoneNumberId === undefined ? accepted : accepted.filter((one) => one.phoneNumberId === phoneNumberId)
    },
    answerAfter: async (time) => {
      await ask({ answerAfter: typeof time === 'number' ? { kind: 'random', fromMs: time, toMs: time } : time })
    },
    close: async () => {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}

const messageOf = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => void child.once('message', resolve))
