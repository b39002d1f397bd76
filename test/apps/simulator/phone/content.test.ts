import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { checkRequest } from '../../../../apps/simulator/graph/messages.js'
import { messageOf } from '../../../../apps/simulator/graph/reply.js'
import { ACCEPTED, interactive, message, REFUSED } from '../content-cases.js'
import { control, CUSTOMER, json, PHONE_NUMBER_ID, post, startInOrder, text } from '../support.js'

const NO_TEMPLATES = { find: () => undefined }
const DAY_MS = 24 * 3_600_000

describe('the types of messages that the simulator takes', () => {
  for (const [title, body] of ACCEPTED) {
    it(`accepts ${title}`, () => {
      const checked = checkRequest(JSON.stringify(body), NO_TEMPLATES)
      assert.isTrue(E.isRight(checked), JSON.stringify(checked))
    })
  }
  for (const [title, body, code, says] of REFUSED) {
    it(`refuses ${title} with ${code}`, () => {
      const checked = checkRequest(JSON.stringify(body), NO_TEMPLATES)
      if (E.isRight(checked)) return assert.fail('It was accepted')
      assert.equal(checked.left.code, code)
      assert.match(`${messageOf(checked.left)} | ${checked.left.details ?? ''}`, says)
    })
  }
})

describe('what becomes of a message of the simulator', () => {
  const { simulator, receiver } = startInOrder()

  const codeOf = async (body: object): Promise<number> => Number((await json(await post(simulator(), body)))['error']?.['code'] ?? 0)
  /** The statuses of an accepted message, each with the code of its error. */
  const statusesOf = async (body: object): Promise<ReadonlyArray<string>> => {
    receiver().notifications.length = 0
    assert.equal(await codeOf(body), 0)
    await simulator().idle()
    return receiver().statuses().map(({ status, errors }) =>
      [String(status), ...(errors === undefined ? [] : [String(errors[0]!['code'])])].join(' '))
  }
  const reaction = (id: string): object => message('reaction', { message_id: id, emoji: '👍' })
  const written = (said: object = {}): string => simulator().writeAs(CUSTOMER, said, PHONE_NUMBER_ID)

  it('reports of a reaction that it was sent, and nothing more', async () => {
    assert.deepEqual(await statusesOf(reaction(written())), ['sent'])
    simulator().change({ rates: { readWithoutDelivered: 1 } })
    assert.deepEqual(await statusesOf(reaction(written())), ['sent'])
  })

  it('fails a reaction to what cannot have one with 131009', async () => {
    const deleted = written()
    written({ type: 'revoke', reply_to: deleted })
    const old = simulator().writeAs(CUSTOMER, { at: Date.now() - 30 * DAY_MS }, PHONE_NUMBER_ID)
    const elsewhere = simulator().writeAs(CUSTOMER, {}, '77')
    for (const target of ['wamid.unknown', deleted, old, elsewhere, written({ type: 'reaction' })]) {
      assert.deepEqual(await statusesOf(reaction(target)), ['failed 131009'])
    }
    const young = written()
    await simulator().skip(29 * DAY_MS)
    assert.deepEqual(await statusesOf(reaction(young)), ['sent'])
    await simulator().skip(DAY_MS)
    assert.deepEqual(await statusesOf(reaction(young)), ['failed 131009'])
    assert.deepEqual(await statusesOf(reaction(written())), ['sent'])
  })

  const links: ReadonlyArray<readonly [type: string, content: object, isGood: boolean]> = [
    ['image', { link: 'https://shop.example/a.JPG?size=1' }, true], ['image', { link: 'https://shop.example/picture' }, true],
    ['image', { link: 'https://shop.invalid/a.jpg' }, false], ['image', { link: 'https://shop.example/a.gif' }, false],
    ['video', { link: 'https://shop.example/a.3gp' }, true], ['video', { link: 'https://shop.example/a.webm' }, false],
    ['audio', { link: 'https://shop.example/a.mp3' }, true], ['audio', { link: 'https://shop.example/a.wav' }, false],
    ['audio', { link: 'https://shop.example/a.ogg', voice: true }, true],
    ['audio', { link: 'https://shop.example/a.mp3', voice: true }, false], ['sticker', { link: 'https://shop.example/a.webp' }, true],
    ['sticker', { link: 'https://shop.example/a.png' }, false], ['document', { link: 'https://shop.example/a.zip' }, true],
    ['document', { link: 'https://invalid/a.pdf' }, false],
  ]
  for (const [type, content, isGood] of links) {
    it(`${isGood ? 'sends' : 'fails with 131053'} ${type} ${JSON.stringify(content)}, and fetches nothing`, async () => {
      assert.deepEqual(await statusesOf(message(type, content)), isGood ? ['sent', 'delivered', 'read'] : ['failed 131053'])
    })
  }

  it('looks into headers and cards too', async () => {
    const bad = { type: 'image', image: { link: 'https://shop.invalid/a.jpg' } }
    assert.deepEqual(
      await statusesOf(interactive('button', { buttons: [{ type: 'reply', reply: { id: 'a', title: 'a' } }] }, { header: bad })),
      ['failed 131053'],
    )
    const action = { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://shop.example' } }
    const good = { type: 'image', image: { link: 'https://shop.example/a.jpg' } }
    assert.deepEqual(
      await statusesOf(
        interactive('carousel', { cards: [{ card_index: 0, header: good, action }, { card_index: 1, header: bad, action }] }),
      ),
      ['failed 131053'],
    )
  })

  it('asks a customer for a call once a day and twice in 7 days', async () => {
    const request = interactive('call_permission_request', { name: 'call_permission_request' })
    assert.deepEqual([await codeOf(request), await codeOf(request)], [0, 138009])
    await simulator().skip(DAY_MS)
    assert.deepEqual([await codeOf(request), await codeOf(request)], [0, 138009])
    await simulator().skip(DAY_MS)
    assert.equal(await codeOf(request), 138009)
    await simulator().skip(5 * DAY_MS)
    assert.equal(await codeOf(request), 0)
    assert.equal(await codeOf({ ...request, to: '15550100998' }), 0)
  })

  it('refuses calls and flows if the settings say so', async () => {
    const flow = interactive('flow', { name: 'flow', parameters: { flow_message_version: '3', flow_id: '1', flow_cta: 'Book' } })
    assert.equal((await control(simulator(), 'faults', { calling: false, flows: 'blocked' })).status, 200)
    assert.equal(await codeOf(interactive('voice_call', { name: 'voice_call' })), 138000)
    assert.equal(await codeOf(interactive('call_permission_request', { name: 'call_permission_request' })), 138018)
    assert.equal(await codeOf(flow), 132068)
    simulator().change({ flows: 'throttled' })
    assert.equal(await codeOf(flow), 132069)
    assert.equal(await codeOf(text(CUSTOMER)), 0)
  })

  it('fails every type outside the window, if texts fail', async () => {
    simulator().change({ windows: 'failed' })
    assert.deepEqual(await statusesOf(message('image', { link: 'https://shop.example/a.jpg' })), ['failed 131047'])
  })
})
