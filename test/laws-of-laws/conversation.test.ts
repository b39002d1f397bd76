import * as E from 'fp-ts/lib/Either.js'
import { makeGotTransport } from '../../adapters/cloud-api/got-transport.js'
import type { Transport, TransportResult } from '../../adapters/cloud-api/transport.js'
import type { Conversation, ConversationError, ReadMark } from '../../core/messages/conversation.js'
import type { PlatformId } from '../../core/messages/message.js'
import { openConversationFixture } from '../adapters/cloud-api/conversation-fixture.js'
import { type ConversationFixture, conversationLaws } from '../laws/conversation.js'
import { describeMutations } from './mutation.js'

const overTransport = (spoil: (send: Transport) => Transport) => (): Promise<ConversationFixture> =>
  openConversationFixture(makeGotTransport(), { spoil })

const changed = (change: (mark: ReadMark) => ReadMark) => broken((markRead) => (mark) => markRead(change(mark)))

const broken = (defect: (markRead: Conversation['markRead']) => Conversation['markRead']) => async (): Promise<ConversationFixture> => {
  const fixture = await openConversationFixture(makeGotTransport())
  return { ...fixture, conversation: { ...fixture.conversation, markRead: defect(fixture.conversation.markRead) } }
}

const repeatedIf = (failed: (result: TransportResult) => boolean) => overTransport((send) => async (request) => {
  const first = await send(request)
  return failed(first) ? send(request) : first
})

const REFUSALS = [
  'a mark that is refused is rejected with the platform\'s error object, whole, and is not repeated',
  'a throttled mark is answered so, with the platform\'s error object, whole, and is not repeated',
  'refused credentials are answered so, with the platform\'s error object, whole, and the mark is not repeated',
]
const UNANSWERED = 'a platform that is down, hangs or answers nothing of sense is PlatformUnanswered within a deadline, and the mark is not repeated'

describeMutations('the conversation', conversationLaws, [
  {
    defect: 'tries again after a refusal', open: repeatedIf((first) => first._tag === 'Answered' && first.status >= 400), breaks: REFUSALS,
  },
  { defect: 'tries again after a lost answer', open: repeatedIf((first) => first._tag === 'NoAnswer'), breaks: [UNANSWERED] },
  { defect: 'shortens the platform\'s error', open: overTransport((send) => async (request) => {
    const result = await send(request)
    return result._tag === 'Answered' ? { ...result, body: result.body.replace(/"error_data":\{[^}]*\},?/, '') } : result
  }), breaks: REFUSALS },
  { defect: 'takes every answer without an error for a success', open: overTransport((send) => async (request) => {
    const result = await send(request)
    return result._tag === 'Answered' && result.status === 200 ? { ...result, body: '{"success":true}' } : result
  }), breaks: [UNANSWERED] },
  { defect: 'has causes that carry the request', open: overTransport((send) => async (request) => {
    const result = await send(request)
    return result._tag === 'Answered' ? result : { ...result, cause: Object.assign(result.cause, { request }) }
  }), breaks: ['no answer to a mark carries the access token'] },
  { defect: 'marks the message twice', open: broken((markRead) => async (mark) => {
    await markRead(mark)
    return markRead(mark)
  }), breaks: ['a message is marked as read once, under its own id'] },
  { defect: 'always shows typing', open: changed((mark) => ({ ...mark, typing: true })), breaks: ['typing is shown where it is asked for, and only there'] },
  {
    defect: 'takes an id for part of an address',
    open: changed((mark) => ({ ...mark, message: encodeURIComponent(mark.message) as PlatformId })),
    breaks: [
      'any text that can be an id of a message arrives unchanged',
    ],
  },
  { defect: 'refuses to mark a message again', open: broken((markRead) => {
    const marked = new Set<string>()
    return async (mark) => {
      if (marked.has(mark.message)) return E.left<ConversationError>({ _tag: 'PlatformRejected', error: {} })
      marked.add(mark.message)
      return markRead(mark)
    }
  }), breaks: ['marking again is harmless and succeeds'] },
  { defect: 'marks a message once only', open: broken((markRead) => {
    const answers = new Map<PlatformId, ReturnType<typeof markRead>>()
    return (mark) => {
      const answer = answers.get(mark.message) ?? markRead(mark)
      answers.set(mark.message, answer)
      return answer
    }
  }), breaks: ['marking again asks the platform again'] },
  { defect: 'marks nothing more after a failure', open: broken((markRead) => {
    let failed = false
    return async (mark) => {
      if (failed) return E.left<ConversationError>({ _tag: 'PlatformUnanswered', cause: new Error('the circuit is open') })
      const answer = await markRead(mark)
      failed = E.isLeft(answer)
      return answer
    }
  }), breaks: ['one that was refused or lost is no reason to refuse the next'] },
])
