import { assert } from 'chai'
import { CUSTOMER, control, json, post, record, startInOrder, template, text, type Json } from '../support.js'

const BODY = [{ type: 'BODY', text: 'Your table is booked for {{1}}.' }]
const AT = Date.UTC(2026, 10, 20, 10)

describe('the simulator, when its templates are changed,', () => {
  const { simulator, receiver } = startInOrder()

  const change = async (name: string, body: object): Promise<Json> => {
    const answer = await control(simulator(), `templates/${name}`, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.json))
    await simulator().idle()
    return answer.json
  }
  const add = (body: object): Promise<Json> =>
    change('', { name: 'booking', language: 'en', category: 'UTILITY', components: BODY, ...body })
  const remove = async (path: string) => {
    const response = await fetch(`${simulator().url}/_simulator/templates/${path}`, { method: 'DELETE' })
    await simulator().idle()
    return response.status
  }
  const listed = async (query: string): Promise<ReadonlyArray<Json>> => {
    const response = await fetch(`${simulator().url}/v25.0/200/message_templates?limit=100&${query}`, {
      headers: { authorization: 'Bearer a-token' },
    })
    return [...(await json(response))['data']!]
  }
  const statusOf = async (name: string, components?: ReadonlyArray<object>) =>
    (await post(simulator(), template(CUSTOMER, name, 'en', components))).status
  const entries = () => receiver().notifications.flatMap(({ json: { entry } }) => [...entry!])
  const reported = (): ReadonlyArray<object> =>
    entries().flatMap(({ changes }) => [...changes!].map(({ field, value }) => ({ field, ...record(value) })))
  const booked = { type: 'body', parameters: [{ type: 'text', text: 'noon' }] }

  it('adds one, which is listed, sent and reported from then on', async () => {
    assert.equal(await statusOf('booking', [booked]), 404)
    const { templates } = await add({})
    assert.deepInclude(record(templates![0]), { name: 'booking', status: 'APPROVED', parameter_format: 'POSITIONAL' })
    assert.equal(await statusOf('booking', [booked]), 200)
    assert.deepEqual((await listed('name=booking'))[0]!['components'] as unknown, BODY)
    assert.deepInclude(reported()[0]!, {
      field: 'message_template_status_update', event: 'APPROVED', message_template_id: Number(templates![0]!['id']),
      message_template_name: 'booking', message_template_language: 'en', reason: 'NONE', message_template_category: 'UTILITY',
    })
  })

  it('replaces one, which keeps its id', async () => {
    const [first, second] = [await add({}), await add({ status: 'PENDING', quality: 'YELLOW', parameter_format: 'NAMED' })]
    assert.equal(first['templates']![0]!['id'], second['templates']![0]!['id'])
    assert.equal(await statusOf('booking', [booked]), 404)
    assert.lengthOf(await listed('name=booking'), 1)
  })

  it('adds one of every kind: in another script, with 50 buttons, with cards', async () => {
    const buttons = Array.from({ length: 50 }, (_, index) => ({ type: 'QUICK_REPLY', text: `Answer ${index}` }))
    await add({ name: 'предложение_ราคา_عرض', language: 'ar', components: [...BODY, { type: 'BUTTONS', buttons }] })
    await add({
      name: 'cards', components: [...BODY, { type: 'CAROUSEL', cards: [{ components: [{ type: 'HEADER', format: 'IMAGE' }] }] }],
    })
    assert.lengthOf((await listed(`name=${encodeURIComponent('предложение_ราคา_عرض')}`))[0]!['components']![1]!['buttons']!, 50)
    assert.lengthOf(await listed('name=cards'), 1)
  })

  it('reports a status, a category and a quality that changed, in one language', async () => {
    await change('order_update', { language: 'en', status: 'PAUSED', category: 'MARKETING', quality: 'RED', at: AT })
    const naming = { message_template_name: 'order_update', message_template_language: 'en' }
    assert.deepInclude(reported()[0]!, { field: 'message_template_status_update', event: 'PAUSED', ...naming, reason: 'NONE' })
    assert.equal(receiver().values()[0]!['other_info']!['title'], 'FIRST_PAUSE')
    assert.deepInclude(reported()[1]!, {
      field: 'template_category_update', previous_category: 'UTILITY', new_category: 'MARKETING', ...naming,
    })
    assert.deepInclude(reported()[2]!, {
      field: 'message_template_quality_update', previous_quality_score: 'UNKNOWN', new_quality_score: 'RED', ...naming,
    })
    assert.deepEqual(entries().map(({ time }) => time) as unknown[], [AT / 1000])
    const [paused, other] = await listed('name=order_update&fields=status,category,quality_score')
    assert.deepInclude(record(paused), { status: 'PAUSED', category: 'MARKETING' })
    assert.equal(paused!['quality_score']!['score'], 'RED')
    assert.deepInclude(record(other), { status: 'APPROVED', category: 'UTILITY' })
  })

  const statuses = ['PENDING', 'REJECTED', 'DISABLED', 'IN_APPEAL', 'LIMIT_EXCEEDED', 'ARCHIVED', 'PENDING_DELETION', 'DELETED']
  for (const status of statuses) {
    it(`lists the status ${status}, in which a template is not sent`, async () => {
      await change('hello_world', { status, reason: 'INVALID_FORMAT' })
      assert.deepEqual((await listed(`status=${status}&name=hello_world`)).length, 2)
      assert.notEqual(await statusOf('hello_world'), 200)
      assert.deepInclude(reported()[0]!, { event: status, reason: 'INVALID_FORMAT' })
    })
  }

  it('reports nothing that did not change, and nothing if it is asked not to', async () => {
    await change('hello_world', { status: 'APPROVED', category: 'UTILITY', quality: 'UNKNOWN' })
    await change('hello_world', { status: 'PAUSED', notify: false })
    await add({ notify: false })
    assert.equal(await remove('booking?notify=false'), 200)
    assert.isEmpty(reported())
    assert.equal(await statusOf('hello_world'), 400)
  })

  it('announces a category without changing it', async () => {
    await change('hello_world', { language: 'en', correct_category: 'MARKETING', at: AT })
    assert.deepInclude(reported()[0]!, {
      field: 'template_category_update', correct_category: 'MARKETING', new_category: 'UTILITY',
      category_update_timestamp: AT / 1000 + 86_400,
    })
    assert.equal((await listed('name=hello_world&language=en'))[0]!['category'], 'UTILITY')
  })

  it('removes one in one language, then in all', async () => {
    assert.equal(await remove('hello_world?language=en'), 200)
    assert.deepInclude(reported()[0]!, {
      event: 'DELETED', message_template_name: 'hello_world', message_template_language: 'en', reason: null,
    })
    assert.deepEqual((await listed('name=hello_world')).map(({ language }) => language) as unknown[], ['en_US'])
    assert.equal(await statusOf('hello_world'), 404)
    assert.equal(await remove('order_update'), 200)
    assert.isEmpty(await listed('name=order_update'))
    assert.equal(await remove('order_update'), 404)
  })

  it('lists anything instead of a template\'s own fields, and sends the template as it is', async () => {
    await change('order_update', { language: 'en', listed: { components: 'no list', quality_score: null, status: 'NEW_WORD' } })
    await change('hello_world', { language: 'en', listed: { name: null } })
    const [odd] = await listed('name=order_update&language=en&fields=name,components,quality_score,status')
    assert.deepInclude(record(odd), { name: 'order_update', components: 'no list', status: 'NEW_WORD' })
    assert.notProperty(odd, 'quality_score')
    assert.notProperty((await listed('name=hello_world&language=en'))[0], 'name')
    assert.equal(
      await statusOf('order_update', [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }, { type: 'text', text: 'A-17' }] }]), 200,
    )
    assert.isEmpty(reported())
  })

  it('restores all of them on a reset', async () => {
    const before = (await control(simulator(), 'templates')).json
    await change('hello_world', { status: 'PAUSED', quality: 'RED', listed: { name: null } })
    await add({})
    await remove('welcome')
    simulator().reset()
    assert.deepEqual((await control(simulator(), 'templates')).json, before)
    assert.lengthOf(await listed('name=hello_world'), 2)
  })

  it('sends a notification as often and signed as the request says', async () => {
    await change('hello_world', { language: 'en', status: 'PAUSED', times: 2, signature: 'wrong' })
    assert.lengthOf(reported(), 2)
    assert.notEqual(receiver().notifications[0]!.headers['x-hub-signature-256'], undefined)
  })

  const faulty: ReadonlyArray<readonly [path: string, body: object, says: RegExp]> = [
    ['templates', { name: 'x', language: 'en', category: 'UTILITY' }, /A template has/],
    ['templates', { name: 'x', language: 'en', category: 'UTILITY', components: [{ type: 'CEILING' }] }, /A template has/],
    ['templates', { name: 'x', language: 'en', category: 'UTILITY', components: BODY, statu: 'PAUSED' }, /A template has/],
    ['templates/hello_world', { quality: 'BLUE' }, /A template change has/],
    ['templates/hello_world', { language: 'en', at: 'soon' }, /A template change has/],
  ]
  for (const [path, body, says] of faulty) {
    it(`refuses ${JSON.stringify(body)} for ${path}, and changes nothing`, async () => {
      const before = (await control(simulator(), 'templates')).json
      const answer = await control(simulator(), path, body)
      assert.equal(answer.status, 400)
      assert.match(answer.json['error']!, says)
      assert.deepEqual((await control(simulator(), 'templates')).json, before)
    })
  }

  it('shows them, and those of one name', async () => {
    assert.lengthOf((await control(simulator(), 'templates/hello_world')).json['templates']!, 2)
    const page = await (await fetch(`${simulator().url}/_simulator/log`)).text()
    assert.include(page, 'new_arrivals')
    await change('hello_world', { language: 'en', status: 'PAUSED', quality: 'YELLOW' })
    assert.match(await (await fetch(`${simulator().url}/_simulator/log?arrived`)).text(), /hello_world<\/td><td>en<\/td><td>utility<\/td>\s*<td>.*PAUSED.*YELLOW/)
  })

  it('prices what is sent by the category of that moment', async () => {
    simulator().change({ internationalAuthentication: ['1555'] })
    await post(simulator(), template(CUSTOMER))
    await change('hello_world', { category: 'MARKETING', notify: false })
    await post(simulator(), template(CUSTOMER))
    for (const to of [CUSTOMER, '4915123456789']) {
      await post(simulator(), template(to, 'login_code', 'en', [{ type: 'body', parameters: [{ type: 'text', text: '1' }] }]))
    }
    await post(simulator(), text(CUSTOMER))
    await post(simulator(), text('15550100026'))
    await simulator().idle()
    const billed = [
      'regular utility', 'regular marketing', 'regular authentication_international', 'regular authentication',
      'free_customer_service service',
    ]
    assert.sameMembers(
      receiver().statuses().flatMap(({ status, pricing }) => (status === 'sent' ? [`${pricing!['type']} ${pricing!['category']}`] : [])),
      billed,
    )
    assert.deepEqual(simulator().received().map(({ pricing }) => pricing && `${pricing.type} ${pricing.category}`), [...billed, undefined])
  })
})
