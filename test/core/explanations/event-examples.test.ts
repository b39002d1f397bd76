import { assert } from 'chai'
import { exampleEvent } from '../../../core/explanations/event-examples.js'
import { EVENT_TYPES } from '../../../core/kernel/outbox.js'

describe('the examples of events', () => {
  for (const type of EVENT_TYPES) {
    it(`have one of ${type}, of that type and with data`, () => {
      const event = exampleEvent(type)
      assert.equal(event.type, type)
      assert.isNotEmpty(event.data)
      if (type === 'message.overdue') assert.equal(event.data['state'], 'sent')
      else if (type.startsWith('message.') && type !== 'message.received') {
        assert.equal(event.data['state'], type.replace('message.', ''))
      }
      assert.deepEqual(JSON.parse(JSON.stringify(event)), event)
    })
  }
})
