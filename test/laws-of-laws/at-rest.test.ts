import type { Draft } from '../../core/messages/message-log.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import { type AtRest, messageLogAtRestLaws } from '../laws/at-rest.js'
import type { MessageLogFixture } from '../laws/message-log.js'
import { describeMutations } from './mutation.js'

/** Memory that writes drafts to its storage as `encode` says. */
const atRest = (encode: (draft: Draft) => unknown) => async (): Promise<MessageLogFixture & AtRest> => {
  const stored: string[] = []
  const { messageLog, openWorkspace } = await openMemoryFixture()
  return {
    openWorkspace,
    messageLog: {
      ...messageLog,
      open: (draft) => {
        stored.push(JSON.stringify([draft.id, encode(draft)]))
        return messageLog.open(draft)
      },
    },
    atRest: async () => stored.join('\n'),
  }
}

const AT_REST = ['the text of a message, a template\'s variables and a request are never stored']

describeMutations('the message log at rest', messageLogAtRestLaws, [
  { defect: 'stores the text of a message', open: atRest(({ message }) => ('text' in message ? message.text : '')), breaks: AT_REST },
  {
    defect: 'stores the variables of a template',
    open: atRest(({ message }) => ('components' in message ? message.components : '')),
    breaks: AT_REST,
  },
  { defect: 'stores the request of a key', open: atRest(({ claim }) => claim?.request ?? ''), breaks: AT_REST },
])
