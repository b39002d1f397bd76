import { startChild, UNPINNED } from '../bench/child.js'
import type { AcceptedSend, AnswerTime, PlatformReport, PlatformRequest } from './platform-server.js'

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
  const child = await startChild(UNPINNED, 'all', {
    program: { file: '../attack/platform-server.ts' }, args: tls === undefined ? [] : [tls.certFile, tls.keyFile],
  })
  const ask = (request: PlatformRequest) => child.ask(request) as Promise<PlatformReport>
  const report = (): Promise<PlatformReport> => ask({})
  return {
    url: child.url,
    report,
    accepted: async (phoneNumberId) => {
      const { accepted } = await report()
      return phoneNumberId === undefined ? accepted : accepted.filter((one) => one.phoneNumberId === phoneNumberId)
    },
    answerAfter: async (time) => {
      await ask({ answerAfter: typeof time === 'number' ? { kind: 'random', fromMs: time, toMs: time } : time })
    },
    close: child.stop,
  }
}
