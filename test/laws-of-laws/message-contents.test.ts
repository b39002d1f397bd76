import * as E from 'fp-ts/lib/Either.js'
import type { KeptContent, MessageContents } from '../../core/messages/kept-content.js'
import type { MessageId } from '../../core/messages/message.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import { type MessageContentsFixture, messageContentsLaws } from '../laws/message-contents.js'
import { rounded } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const broken = (defect: (contents: MessageContents) => Partial<MessageContents>) => async (): Promise<MessageContentsFixture> => {
  const fixture = await openMemoryFixture({ keepContent: true })
  return { ...fixture, messageContents: { ...fixture.messageContents, ...defect(fixture.messageContents) } }
}

describeMutations('contents of messages', messageContentsLaws, [
  {
    defect: 'loses what a message quoted',
    open: broken(({ find }) => ({
      find: async (workspace, ids) =>
        E.map((found: ReadonlyMap<MessageId, KeptContent>) =>
          new Map([...found].map(([id, { context: _context, ...content }]) => [id, content])))(await find(workspace, ids)),
    })),
    breaks: ['what a message of each kind said is found by its id, as the platform has it'],
  },
  {
    defect: 'rounds long numbers',
    open: broken(({ find }) => ({
      find: async (workspace, ids) =>
        E.map((found: ReadonlyMap<MessageId, KeptContent>) => new Map([...found].map(([id, content]) => [id, rounded(content)])))(
          await find(workspace, ids),
        ),
    })),
    breaks: ['what a message of each kind said is found by its id, as the platform has it'],
  },
  {
    defect: 'finds what another workspace said',
    open: broken(({ find }) => {
      const known = new Map<MessageId, KeptContent>()
      return {
        find: async (workspace, ids) => {
          const found = await find(workspace, ids)
          if (E.isRight(found)) for (const [id, content] of found.right) known.set(id, content)
          return E.right(new Map(ids.flatMap((id) => {
            const content = known.get(id)
            return content === undefined ? [] : [[id, content]]
          })))
        },
      }
    }),
    breaks: [
      'what a message said is never found from another workspace', 'what a message said is gone once its message is forgotten, by its age or with its person',
    ],
  },
  {
    defect: 'removes what is of the very moment',
    open: broken(({ removeOld }) => ({ removeOld: (before) => removeOld(before + 1) })),
    breaks: ['what is older than a moment is removed, and its messages stay'],
  },
  { defect: 'removes nothing', open: broken(() => ({ removeOld: async () => E.right(2) })), breaks: ['what is older than a moment is removed, and its messages stay'] },
  {
    defect: 'keeps nothing',
    open: () => openMemoryFixture(),
    breaks: messageContentsLaws.map(({ name }) => name),
  },
])
