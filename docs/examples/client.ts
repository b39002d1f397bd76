import { createClient } from 'postern/client'

const { POSTERN_URL = 'http://127.0.0.1:3000', POSTERN_KEY = '', CUSTOMER = '33639980001' } = process.env
const postern = createClient({ baseUrl: POSTERN_URL, apiKey: POSTERN_KEY })

// Pass your own key if your program may request the same message twice, such as after a restart.
const answer = await postern.sendText({ to: CUSTOMER, text: 'Your order is at the door.', metadata: { order: 'A-17' } }, { idempotencyKey: 'door A-17' })
if (answer.ok) console.log('sent as', answer.value.message_id)
else if (answer.code === 'window_closed') {
  const template = await postern.sendTemplate({ to: CUSTOMER, template_name: 'hello_world' })
  console.log(template.ok ? 'sent a template instead' : template.message)
} else if (answer.code === 'insufficient_balance') console.log(`top up ${answer.shortfall} ${answer.currency}`)
else if (answer.code === 'outcome_unknown') console.log(`do not send it again; check the status of ${answer.messageId ?? 'it'}`)
else if (answer.unanswered > 0) console.log(`it may have been sent; to find out, repeat the request with the key ${answer.idempotencyKey}`)
else console.log(answer.code, answer.message)

for await (const message of postern.messages.list({ metadata: { order: 'A-17' } })) {
  if (message.ok) console.log(message.value.type, message.value.state)
  else console.log(message.code, message.message)
}
