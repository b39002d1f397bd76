import { assert } from 'chai'
import { control, CUSTOMER, PHONE_NUMBER_ID, record, startInOrder, type Json } from './support.js'

describe('messages of the simulator', () => {
  const { simulator, receiver } = startInOrder()

  const types = [
    'image', 'video', 'audio', 'document', 'sticker', 'location', 'contacts', 'button', 'interactive', 'reaction', 'order',
    'edit', 'revoke', 'unsupported',
  ]
  for (const type of types) {
    it(`come from a customer who sends something of the type ${type}`, async () => {
      await control(simulator(), `customers/${CUSTOMER}/messages`, { type })
      await simulator().idle()
      const [message] = receiver().messages()
      assert.equal(message!['type'], type)
      assert.property(message, type)
    })
  }

  const written = async (body: object): Promise<object> => {
    await control(simulator(), `customers/${CUSTOMER}/messages`, { phone_number_id: PHONE_NUMBER_ID, ...body })
    await simulator().idle()
    return record(receiver().messages().at(-1))
  }

  it('come from a customer who answers with a button, a row of a list or a form', async () => {
    assert.deepInclude(await written({ type: 'button', text: 'Yes', payload: 'YES-17' }), { button: { text: 'Yes', payload: 'YES-17' } })
    const answers = [
      ['button_reply', { id: 'YES-17', title: 'Yes' }],
      ['list_reply', { id: 'YES-17', title: 'Yes', description: 'The first of the list' }],
      ['nfm_reply', { name: 'flow', body: 'Sent', response_json: '{"flow_token":"unused","answer":"Yes"}' }],
    ] as const
    for (const [interactive, answer] of answers) {
      const message = await written({ type: 'interactive', interactive, text: 'Yes', payload: 'YES-17' })
      assert.deepInclude(message, { interactive: { type: interactive, [interactive]: answer } })
      assert.hasAllKeys(Object(message)['context'], ['from', 'id'])
    }
  })

  it('come from a customer who sends a voice message or a file, reacts, and takes the reaction back', async () => {
    for (const voice of [true, false]) assert.deepInclude(record((await written({ type: 'audio', voice }) as Json)['audio']), { voice })
    assert.deepInclude(await written({ type: 'reaction', reply_to: 'wamid.a', emoji: '🎉' }), {
      reaction: { message_id: 'wamid.a', emoji: '🎉' },
    })
    assert.deepInclude(await written({ type: 'reaction', reply_to: 'wamid.a', emoji: '' }), { reaction: { message_id: 'wamid.a' } })
  })

  it('come from a customer who answers, edits or revokes a message, with its author', async () => {
    const first = String((await control(simulator(), `customers/${CUSTOMER}/messages`, { phone_number_id: PHONE_NUMBER_ID })).json['id'])
    assert.deepInclude(await written({ reply_to: first }), { context: { from: CUSTOMER, id: first } })
    assert.deepInclude(await written({ type: 'image', reply_to: 'wamid.ours' }), { context: { from: '15550109999', id: 'wamid.ours' } })
    const edit = await written({ type: 'edit', reply_to: first, text: 'Better' })
    assert.deepInclude(edit, { edit: { original_message_id: first, message: { type: 'text', text: { body: 'Better' } } } })
    assert.notProperty(edit, 'context')
    assert.deepInclude(await written({ type: 'revoke', reply_to: first }), { revoke: { original_message_id: first } })
  })

  it('come from a customer who forwards a message, or comes from an advertisement', async () => {
    assert.deepInclude(await written({ forwarded: true }), { context: { forwarded: true } })
    assert.deepInclude(await written({ type: 'video', frequently_forwarded: true }), { context: { frequently_forwarded: true } })
    const message = await written({ referral: true })
    assert.deepInclude(Object(message)['referral'], { source_type: 'ad', source_id: '120226305854810726' })
    assert.notProperty(message, 'context')
  })
})
