import * as E from 'fp-ts/lib/Either.js'
import { makeGotTransport } from '../../adapters/cloud-api/got-transport.js'
import type { Transport } from '../../adapters/cloud-api/transport.js'
import type { MessageId, PlatformId } from '../../core/messages/message.js'
import type { Platform } from '../../core/sending/dispatch.js'
import { openPlatformFixture } from '../adapters/cloud-api/platform-fixture.js'
import { type PlatformFixture, platformLaws } from '../laws/platform.js'
import { describeMutations } from './mutation.js'

const overTransport = (spoil: (send: Transport) => Transport) => (): Promise<PlatformFixture> =>
  openPlatformFixture(makeGotTransport(), { spoil, timeoutMs: 300 })

const broken = (defect: (send: Platform['send']) => Platform['send']) => async (): Promise<PlatformFixture> => {
  const fixture = await openPlatformFixture(makeGotTransport(), { timeoutMs: 300 })
  return { ...fixture, platform: { send: defect(fixture.platform.send) } }
}

const RESENT_AFTER_REFUSAL = [
  'a refused message is rejected with the platform\'s error object, whole, and is not sent again',
  'a throttled message is answered so, with the platform\'s error object, whole, and is not sent again',
  'refused credentials are answered so, with the platform\'s error object, whole, and the message is not sent again',
]
const OUTCOME_UNKNOWN = [
  'an answer comes within a deadline though the platform never gives one: the outcome is unknown, and nothing is sent again',
  'a connection lost after the message arrived leaves the outcome unknown, and nothing is sent again',
]

describeMutations('the platform', platformLaws, [
  { defect: 'tries again after a lost answer', open: overTransport((send) => async (request) => {
    const first = await send(request)
    return first._tag === 'NoAnswer' ? send(request) : first
  }), breaks: OUTCOME_UNKNOWN },
  { defect: 'tries again after a refusal', open: overTransport((send) => async (request) => {
    const first = await send(request)
    return first._tag === 'Answered' && first.status >= 400 ? send(request) : first
  }), breaks: RESENT_AFTER_REFUSAL },
  { defect: 'takes a lost answer for a platform that was never reached', open: overTransport((send) => async (request) => {
    const result = await send(request)
    return result._tag === 'NoAnswer' ? { ...result, _tag: 'NotSent' } : result
  }), breaks: OUTCOME_UNKNOWN },
  { defect: 'takes a platform that was never reached for a lost answer', open: overTransport((send) => async (request) => {
    const result = await send(request)
    return result._tag === 'NotSent' ? { ...result, _tag: 'NoAnswer' } : result
  }), breaks: ['a platform that is down is unreachable, and nothing was sent'] },
  { defect: 'has causes that carry the request', open: overTransport((send) => async (request) => {
    const result = await send(request)
    return result._tag === 'Answered' ? result : { ...result, cause: Object.assign(result.cause, { request }) }
  }), breaks: ['no answer carries the access token'] },
  { defect: 'shortens the platform\'s error', open: overTransport((send) => async (request) => {
    const result = await send(request)
    return result._tag === 'Answered' ? { ...result, body: result.body.replace(/"error_data":\{[^}]*\},?/, '') } : result
  }), breaks: RESENT_AFTER_REFUSAL },
  {
    defect: 'answers our id instead of the platform\'s',
    open: broken((send) => (outbound) => send(outbound).then(E.map(() => ({ platformId: outbound.id as string as PlatformId })))),
    breaks: [
      'an accepted text is answered with the id the platform gave it',
      'an accepted template is answered with the id the platform gave it',
      'accepted content of each type is answered with the id the platform gave it',
      'an accepted message of each kind that quotes another is answered with the id the platform gave it',
    ],
  },
  {
    defect: 'marks messages with an id of its own',
    open: broken((send) => (outbound) => send({ ...outbound, id: 'msg_1' as MessageId })),
    breaks: ['an accepted message is handed over once, marked with our id'],
  },
  { defect: 'knows no contacts', open: broken((send) => async (outbound) =>
    outbound.message._tag === 'Content' && outbound.message.type === 'contacts'
      ? E.left({ _tag: 'PlatformRejected', error: {} })
      : send(outbound)),
  breaks: ['accepted content of each type is answered with the id the platform gave it'] },
  {
    defect: 'quotes nothing',
    open: broken((send) => async (outbound) =>
      outbound.message.context === undefined ? send(outbound) : E.left({ _tag: 'PlatformRejected', error: {} })),
    breaks: ['an accepted message of each kind that quotes another is answered with the id the platform gave it'],
  },
  { defect: 'sends a message once only', open: broken((send) => {
    const answers = new Map<MessageId, ReturnType<Platform['send']>>()
    return (outbound) => {
      const answer = answers.get(outbound.id) ?? send(outbound)
      answers.set(outbound.id, answer)
      return answer
    }
  }), breaks: ['a message that is sent again is handed over again'] },
  { defect: 'sends one of concurrent messages for all', open: broken((send) => {
    let current: ReturnType<Platform['send']> | undefined
    return async (outbound) => {
      if (current === undefined) setImmediate(() => { current = undefined })
      current ??= send(outbound)
      return current
    }
  }), breaks: ['messages sent at the same time are each handed over once'] },
  { defect: 'sends nothing more after a failure', open: broken((send) => {
    let failed = false
    return async (outbound) => {
      if (failed) return E.left({ _tag: 'PlatformUnreachable', cause: new Error('the circuit is open') })
      const answer = await send(outbound)
      failed = E.isLeft(answer)
      return answer
    }
  }), breaks: ['one that was refused or lost is no reason to refuse the next'] },
])
