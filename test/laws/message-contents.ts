import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { KeptContent, MessageContents } from '../../core/messages/kept-content.js'
import type { Message, MessageId } from '../../core/messages/message.js'
import type { PersonalData } from '../../core/privacy.js'
import type { AtRest } from './at-rest.js'
import { done, holds, same } from './expect.js'
import { LONG_NUMBERS, longAgo, newName, newPhoneNumber, newPlatformId, times } from './ids.js'
import type { Law } from './law.js'
import { type MessageLogFixture, newKey, openMessageWorkspace } from './message-fixture.js'

/** A storage that keeps the content of messages. */
export type MessageContentsFixture = MessageLogFixture & {
  readonly messageContents: MessageContents
  readonly personalData: Pick<PersonalData, 'erase' | 'forgetBefore'>
}

const find = (
  { messageContents }: MessageContentsFixture, workspace: WorkspaceId, ...ids: ReadonlyArray<MessageId>
): Promise<ReadonlyMap<MessageId, KeptContent>> =>
  done('contents are looked up', messageContents.find(workspace, ids))

const text = (body = newName()): Message => ({ _tag: 'Text', to: newPhoneNumber(), text: body })

/** The promises of every `MessageContents`. */
export const messageContentsLaws: ReadonlyArray<Law<MessageContentsFixture>> = [
  {
    name: 'what a message of each kind said is found by its id, as the platform has it',
    check: async (fixture) => {
      const { workspace, opened } = await openMessageWorkspace(fixture)
      const context = { message_id: newPlatformId() }
      const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ana "👍"\n' }] }]
      const cases: ReadonlyArray<readonly [Message, KeptContent]> = [
        [text('Hello 👍'), { type: 'text', text: { body: 'Hello 👍' } }],
        [{ _tag: 'Content', to: newPhoneNumber(), type: 'image', content: { id: '1', caption: 'x'.repeat(1_024) }, context },
          { type: 'image', image: { id: '1', caption: 'x'.repeat(1_024) }, context }],
        [{ _tag: 'Content', to: newPhoneNumber(), type: 'contacts', content: [{ name: { formatted_name: 'Ann' }, ...LONG_NUMBERS }] },
          { type: 'contacts', contacts: [{ name: { formatted_name: 'Ann' }, ...LONG_NUMBERS }] }],
        [{ _tag: 'Template', to: newPhoneNumber(), name: 'order', language: 'pt_BR', components },
          { type: 'template', template: { name: 'order', language: { code: 'pt_BR' }, components } }],
        [text('x'.repeat(4_096)), { type: 'text', text: { body: 'x'.repeat(4_096) } }],
      ]
      const ids: MessageId[] = []
      for (const [message] of cases) ids.push((await opened({ message })).id)
      same(
        'what all of them said', [...await find(fixture, workspace, ...ids)].sort(byId),
        ids.map((id, index) => [id, cases[index]?.[1] ?? {}] as const).sort(byId),
      )
      same('what none of them said', (await find(fixture, workspace)).size, 0)
    },
  },
  {
    name: 'what a message said is never found from another workspace',
    check: async (fixture) => {
      const [{ opened, workspace }, other] = [await openMessageWorkspace(fixture), await openMessageWorkspace(fixture)]
      const { id } = await opened({ message: text() })
      same('from its own', (await find(fixture, workspace, id)).size, 1)
      same('from another', (await find(fixture, other.workspace, id)).size, 0)
    },
  },
  {
    name: 'what is older than a moment is removed, and its messages stay',
    check: async (fixture) => {
      const at = longAgo()
      const { workspace, opened, found } = await openMessageWorkspace(fixture)
      const ids: MessageId[] = []
      for (const step of times(3, (index) => index)) ids.push((await opened({ message: text(), at: at + step })).id)
      const removed = await done('old contents are removed', fixture.messageContents.removeOld(at + 2))
      holds('at least two were removed', removed >= 2, removed)
      same('what is left', [...(await find(fixture, workspace, ...ids)).keys()], ids.slice(2))
      for (const id of ids) same('the message', (await found(id))?.id, id)
    },
  },
  {
    name: 'what a message said is gone once its message is forgotten, by its age or with its person',
    check: async (fixture) => {
      const at = longAgo()
      const { workspace, opened, apply } = await openMessageWorkspace(fixture)
      const [person, other] = [newPhoneNumber(), newPhoneNumber()]
      const send = async (to: typeof person, moment: number): Promise<MessageId> => {
        const { id } = await opened({ message: { _tag: 'Text', to, text: newName() }, at: moment })
        await apply(id, { state: 'accepted', at: moment, platformId: newPlatformId() })
        return id
      }
      const [old, own, others] = [await send(other, at), await send(person, at + 1_000), await send(other, at + 1_000)]
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        cursor = (await done(
          'a step of retention', fixture.personalData.forgetBefore({ before: at + 500, limit: 500, ...(cursor !== '' && { cursor }) }),
        )).next
      }
      same('after retention', [...(await find(fixture, workspace, old, own, others)).keys()].sort(), [own, others].sort())
      await done('a person is erased', fixture.personalData.erase(workspace, [{ phoneNumber: person, userId: undefined }]))
      same('after the erasure', [...(await find(fixture, workspace, old, own, others)).keys()], [others])
    },
  },
  {
    name: 'of a message that was not opened, because its key guards another one, nothing is kept',
    check: async (fixture) => {
      const { workspace, draft, open } = await openMessageWorkspace(fixture)
      const claim = { key: newKey(), request: 'a request' }
      const [first, second] = [draft({ message: text(), claim }), draft({ message: text(), claim })]
      same('the first', (await open(first))._tag, 'Opened')
      same('the second', (await open(second))._tag, 'Claimed')
      same('of the first', (await find(fixture, workspace, first.id)).size, 1)
      same('of the second', (await find(fixture, workspace, second.id)).size, 0)
    },
  },
]

const byId = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

/** The promises of every `MessageContents` about its stored data. */
export const messageContentsAtRestLaws: ReadonlyArray<Law<MessageContentsFixture & AtRest>> = [
  {
    name: 'what messages said is encrypted at rest',
    check: async (fixture) => {
      const { opened, workspace } = await openMessageWorkspace(fixture)
      const [said, variable] = [newName(), newName()]
      const { id } = await opened({ message: text(said) })
      await opened({
        message: {
          _tag: 'Template',
          to: newPhoneNumber(),
          name: 'order',
          language: 'en',
          components: [{ type: 'body', parameters: [{ type: 'text', text: variable }] }],
        },
      })
      const everything = await fixture.atRest()
      holds('what is kept can be seen at all', everything.includes(id), id)
      for (const secret of [said, variable, btoa(said).replaceAll('=', '')]) {
        holds('what a message said is not stored as it is', !everything.includes(secret), 'it at rest')
      }
      same('and it is found', (await find(fixture, workspace, id)).size, 1)
    },
  },
]
