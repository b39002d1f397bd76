// Programs of others that speak the platform's API, unchanged but for the address and the token.
import { WhatsAppClient } from '@kapso/whatsapp-cloud-api'
import { assert } from 'chai'
import { WhatsAppAPI } from 'whatsapp-api-js'
import { ActionList, Body, Image, Interactive, Language, ListSection, Reaction, Row, Template, Text } from 'whatsapp-api-js/messages'
import type { Media } from '../../../../core/messages/conversation.js'
import type { Template as Listed } from '../../../../core/templates/template.js'
import { ACCOUNT, CUSTOMER, gateway, type Gateway } from '../gateway.js'

const WAMID = 'wamid.HBgNNTUx'
const ID = '1003383421387256'
const LINK = 'https://shop.example/boots.jpg'
const GREETING: Listed = {
  id: '7', name: 'greeting', language: 'en', category: 'utility', status: 'approved', quality: 'green', parameterFormat: 'positional',
  components: [{ type: 'BODY', text: 'Hello' }],
}
const WORLD = { templates: [GREETING] }

/** An attachment of five bytes, as often as it is asked for. */
const attachment = (): Media => ({
  type: 'image/jpeg',
  length: 5,
  part: undefined,
  bytes: { async* [Symbol.asyncIterator]() { yield Buffer.from('bytes') } },
  close: () => undefined,
})

const typesOf = (gw: Gateway): ReadonlyArray<unknown> =>
  gw.sent.map(({ message }) => (message._tag === 'Content' ? message.type : message._tag))

describe('a client of whatsapp-api-js below /graph', () => {
  /** It has the platform's address built in, and takes a function that fetches. */
  const clientOf = ({ url, key: token }: Gateway): WhatsAppAPI => new WhatsAppAPI({
    token, secure: false, v: 'v23.0',
    ponyfill: {
      fetch: (input: string | URL | Request, init?: RequestInit) =>
        fetch(new Request(input).url.replace('https://graph.facebook.com', `${url}/graph`), init),
    },
  })

  it('sends a text, a picture, a list, a reaction and a template, and reads the ids of the answer', async () => {
    await using gw = await gateway(WORLD)
    const client = clientOf(gw)
    const list = new Interactive(
      new ActionList('Sizes', new ListSection(undefined, new Row('36', 'Size 36'), new Row('37', 'Size 37', 'The last pair'))),
      new Body('Which size?'),
    )
    for (const message of [
      new Text('Hello', true), new Image(LINK, false, 'Boots'), list, new Reaction(WAMID, '👍'),
      new Template('greeting', new Language('en')),
    ]) {
      const answer = await client.sendMessage(gw.phoneNumberId, { phone: CUSTOMER, bsuid: 'BR.13491208655302741918' }, message)
      assert.deepInclude(answer, { messaging_product: 'whatsapp', contacts: [{ input: CUSTOMER, wa_id: CUSTOMER }] })
    }
    assert.deepEqual(typesOf(gw), ['text', 'image', 'interactive', 'reaction', 'Template'])
    assert.deepInclude(gw.messages()[1], { content: { link: LINK, caption: 'Boots' } })
  })

  it('quotes, and finds its own data on the message', async () => {
    await using gw = await gateway()
    await clientOf(gw).sendMessage(
      gw.phoneNumberId, { phone: CUSTOMER, bsuid: 'BR.13491208655302741918' }, new Text('Hello'), WAMID, 'order A-17',
    )
    assert.deepInclude(gw.messages()[0], { context: { message_id: WAMID }, metadata: { biz_opaque_callback_data: 'order A-17' } })
  })

  it('marks a message as read, with an indicator, and downloads an attachment', async () => {
    await using gw = await gateway()
    const client = clientOf(gw)
    assert.deepEqual<unknown>(await client.markAsRead(gw.phoneNumberId, WAMID, 'text'), { success: true })
    assert.deepInclude<object>(gw.marked[0] ?? {}, { message: WAMID, typing: true })
    gw.willGiveMedia(attachment())
    const described = await client.retrieveMedia(ID, gw.phoneNumberId)
    assert.equal('url' in described ? await (await client.fetchMedia(described.url)).text() : 'no address', 'bytes')
  })

  it('reads what refuses it', async () => {
    await using gw = await gateway({ lastInbound: undefined })
    const answer = await clientOf(gw).sendMessage(
      gw.phoneNumberId, { phone: CUSTOMER, bsuid: 'BR.13491208655302741918' }, new Text('Hello'),
    )
    assert.equal('error' in answer ? answer.error.code : undefined, 131047)
  })
})

describe("a client of Kapso's below /graph", () => {
  const clientOf = ({ url, key }: Gateway): WhatsAppClient => new WhatsAppClient({ baseUrl: `${url}/graph`, accessToken: key })

  it('sends a text, a picture, a list and a template', async () => {
    await using gw = await gateway(WORLD)
    const { messages } = clientOf(gw)
    const to = { phoneNumberId: gw.phoneNumberId, to: `+${CUSTOMER}` }
    const answers = [
      await messages.sendText({ ...to, body: 'Hello', previewUrl: true, contextMessageId: WAMID }),
      await messages.sendImage({ ...to, image: { link: LINK, caption: 'Boots' } }),
      await messages.sendInteractiveList({
        ...to, bodyText: 'Which size?', buttonText: 'Sizes', sections: [{ title: 'All', rows: [{ id: '36', title: 'Size 36' }] }],
      }),
      await messages.sendTemplate({ ...to, template: { name: 'greeting', language: { code: 'en' } } }),
    ]
    for (const { messages: [message] } of answers) assert.match(message?.id ?? '', /^wamid\./)
    assert.deepEqual(typesOf(gw), ['text', 'image', 'interactive', 'Template'])
    assert.deepInclude(gw.messages()[0], { content: { body: 'Hello', preview_url: true }, context: { message_id: WAMID } })
  })

  it('marks as read, lists templates and downloads an attachment', async () => {
    await using gw = await gateway(WORLD)
    const client = clientOf(gw)
    assert.deepInclude(await client.messages.markRead({ phoneNumberId: gw.phoneNumberId, messageId: WAMID }), { success: true })
    const { data } = await client.templates.list({ businessAccountId: ACCOUNT, limit: 10, status: 'APPROVED' })
    assert.deepEqual(data.map(({ name, status }) => [name, status]), [['greeting', 'APPROVED']])
    gw.willGiveMedia(attachment())
    // By default it sends no token to an address that is not Kapso's, and the platform's own addresses need one as well.
    assert.equal(
      Buffer.from(
        await client.media.download({ mediaId: ID, phoneNumberId: gw.phoneNumberId, auth: 'always', as: 'arrayBuffer' }) as ArrayBuffer,
      ).toString(),
      'bytes',
    )
  })

  it('uploads a file and sends it', async () => {
    await using gw = await gateway(WORLD)
    const client = clientOf(gw)
    const { id } = await client.media.upload({
      phoneNumberId: gw.phoneNumberId, type: 'document', file: new Blob(['%PDF-1.7'], { type: 'application/pdf' }), fileName: 'invoice.pdf',
    })
    await client.messages.sendDocument({ phoneNumberId: gw.phoneNumberId, to: CUSTOMER, document: { id, filename: 'invoice.pdf' } })
    assert.deepEqual(gw.uploads.map(({ type, name }) => [type, name]), [['application/pdf', 'invoice.pdf']])
    assert.deepInclude(gw.messages()[0], { type: 'document', content: { id: '900001', filename: 'invoice.pdf' } })
  })

  it('reads what refuses it', async () => {
    await using gw = await gateway({ balance: '0' })
    const refusal: unknown = await clientOf(gw).messages.sendText({ phoneNumberId: gw.phoneNumberId, to: CUSTOMER, body: 'Hello' })
      .then(() => 'sent', (error: unknown) => error)
    assert.match(String(refusal), /131042/)
  })
})

/**
 * What the sender of a shared inbox asks. It leaves out `recipient_type`, has null for what it does not quote, gives the action of interactive content as the text of its JSON,
 * and reads the list of templates with the token in the query.
 */
const INBOX = [
  { messaging_product: 'whatsapp', context: null, to: CUSTOMER, text: { body: 'Good morning' }, type: 'text' },
  {
    messaging_product: 'whatsapp',
    context: { message_id: WAMID },
    to: CUSTOMER,
    type: 'document',
    document: { link: 'https://inbox.example/bill.pdf', caption: null, filename: 'bill.pdf' },
  },
  { messaging_product: 'whatsapp', context: null, to: CUSTOMER, type: 'audio', audio: { link: 'https://inbox.example/voice.ogg' } },
  {
    messaging_product: 'whatsapp', to: CUSTOMER, type: 'interactive',
    interactive: {
      type: 'button',
      body: { text: 'Did that help?' },
      action: JSON.stringify({
        buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }, { type: 'reply', reply: { id: 'no', title: 'No' } }],
      }),
    },
  },
  {
    messaging_product: 'whatsapp', to: CUSTOMER, type: 'interactive',
    interactive: {
      type: 'list',
      body: { text: 'Which day?' },
      action: JSON.stringify({
        button: 'Choose', sections: [{ rows: [{ id: 'mon', title: 'Monday' }, { id: 'tue', title: 'Tuesday', description: 'From noon' }] }],
      }),
    },
  },
  {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: CUSTOMER,
    type: 'template',
    template: { name: 'greeting', language: { policy: 'deterministic', code: 'en' }, components: [] },
  },
]

/** What a builder of bots asks: the recipient as people write it, pictures and films by link, buttons with a picture above. */
const BOT = [
  { messaging_product: 'whatsapp', to: `+${CUSTOMER}`, type: 'text', text: { body: 'Welcome to https://shop.example', preview_url: true } },
  { messaging_product: 'whatsapp', to: `+${CUSTOMER}`, type: 'image', image: { link: LINK } },
  { messaging_product: 'whatsapp', to: `+${CUSTOMER}`, type: 'video', video: { link: 'https://shop.example/boots.mp4' } },
  {
    messaging_product: 'whatsapp', to: `+${CUSTOMER}`, type: 'interactive',
    interactive: {
      type: 'button',
      header: { type: 'image', image: { link: LINK } },
      body: { text: '―' },
      action: { buttons: [{ type: 'reply', reply: { id: 'block-1', title: 'Buy' } }] },
    },
  },
  { messaging_product: 'whatsapp', to: `+${CUSTOMER}`, type: 'template', template: { language: { code: 'en' }, name: 'greeting' } },
]

describe('the bodies of well-known senders below /graph', () => {
  for (const [sender, version, bodies] of [['a shared inbox', 'v13.0', INBOX], ['a builder of bots', 'v21.0', BOT]] as const) {
    it(`are taken: ${sender}`, async () => {
      await using gw = await gateway(WORLD)
      for (const body of bodies) {
        const { status, text } = await gw.post(`/graph/${version}/${gw.phoneNumberId}/messages`, body)
        assert.equal(status, 200, text)
      }
      assert.deepEqual(typesOf(gw), bodies.map(({ type }) => (type === 'template' ? 'Template' : type)))
    })
  }

  it('give the platform the objects that were written as texts', async () => {
    await using gw = await gateway()
    await gw.post(`/graph/v13.0/${gw.phoneNumberId}/messages`, INBOX[3])
    await gw.post(`/graph/v13.0/${gw.phoneNumberId}/messages`, {
      messaging_product: 'whatsapp', to: CUSTOMER, type: 'text', text: '{"body":"Hello"}',
    })
    assert.deepInclude(gw.messages()[0], {
      content: { ...INBOX[3]?.interactive, action: JSON.parse(String(INBOX[3]?.interactive?.action)) as unknown },
    })
    assert.deepInclude(gw.messages()[1], { content: { body: 'Hello' } })
    const { status } = await gw.post(`/graph/v13.0/${gw.phoneNumberId}/messages`, {
      messaging_product: 'whatsapp', to: CUSTOMER, type: 'text', text: '{"__proto__":{},"body":"Hello"}',
    })
    assert.equal(status, 400)
  })

  it('read the whole list of templates without a further page, with the token in the query', async () => {
    const templates = Array.from({ length: 60 }, (_, index) => ({ ...GREETING, id: `7${index}`, name: `greeting_${index}` }))
    await using gw = await gateway({ templates })
    const answer = await fetch(`${gw.url}/graph/v14.0/${ACCOUNT}/message_templates?access_token=${gw.key}`)
    const { data, paging } = await answer.json() as { readonly data: ReadonlyArray<unknown>; readonly paging: object }
    assert.lengthOf(data, 60)
    assert.notProperty(paging, 'next')
  })
})
