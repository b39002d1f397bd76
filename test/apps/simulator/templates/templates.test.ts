import { assert } from 'chai'
import type { Simulator } from '../../../../apps/simulator/simulator.js'
import { UNKNOWN_PHONE_NUMBER_ID } from '../../../../apps/simulator/state.js'
import { BUILT_IN } from '../../../../apps/simulator/templates/templates.js'
import { control, CUSTOMER, json, type Json, post, quickSimulator, record, template } from '../support.js'

describe('the simulator\'s templates', () => {
  let simulator: Simulator
  before(async () => {
    simulator = await quickSimulator({
      templates: [{ name: 'mine', language: 'de', category: 'UTILITY', components: [{ type: 'BODY', text: 'Hallo.' }] }],
    })
  })
  afterEach(() => simulator.reset())
  after(() => simulator.close())

  const get = (path: string) => fetch(`${simulator.url}/v25.0/${path}`, { headers: { authorization: 'Bearer a-token' } })
  const page = async (path: string) => json(await get(path))
  const keysOf = (items: ReadonlyArray<Json> | undefined) => (items ?? []).map(({ name, language }) => `${name} ${language}`)
  const list = async (query: string) => keysOf((await page(`200/message_templates?${query}`))['data'])
  const remove = (name: string) => fetch(`${simulator.url}/_simulator/templates/${name}`, { method: 'DELETE' })

  it('are listed page by page', async () => {
    const names: string[] = []
    let next: string | undefined = `${simulator.url}/v25.0/200000000000001/message_templates?limit=8&fields=name,language`
    let pages = 0
    while (next !== undefined) {
      const { data, paging } = await json(await fetch(next, { headers: { authorization: 'Bearer a-token' } }))
      names.push(...keysOf(data))
      assert.deepEqual(Object.keys(data![0]!), ['name', 'language', 'id'])
      assert.isNotEmpty(paging!['cursors']!['after'])
      next = paging!['next']
      pages += 1
    }
    assert.equal(pages, 3)
    assert.deepEqual(names, [...BUILT_IN.map(({ name, language }) => `${name} ${language}`), 'mine de'])
  })

  it('stay in their order from page to page, whatever is removed meanwhile', async () => {
    const whole = await list('limit=100')
    const first = await page('200/message_templates?limit=5')
    for (const name of ['hello_world', 'welcome']) await remove(name)
    const rest = await list(`limit=100&after=${encodeURIComponent(first['paging']!['cursors']!['after']!)}`)
    assert.deepEqual([...keysOf(first['data']), ...rest], whole)
    assert.deepEqual(await list(`after=${encodeURIComponent(Buffer.from('id:999999999999999').toString('base64'))}`), [])
  })

  it('are filtered by exact name, and by language, category and status, whatever its case', async () => {
    assert.deepEqual(await list('name=order_update&language=en_US'), ['order_update en_US'])
    assert.deepEqual(await list('name=order'), [])
    assert.deepEqual(await list('status=paused'), ['seasonal_sale en'])
    assert.deepEqual(await list('category=authentication'), ['login_code en', 'one_time_code en'])
    assert.deepEqual(await list('name_or_content=parcel'), ['shipment_photo en'])
    assert.deepEqual(await list('name=nothing'), [])
  })

  it('are shown with the fields asked for, as is the business number', async () => {
    const [first] = [...(await page('200/message_templates?name=welcome'))['data']!]
    assert.deepEqual(await page(`${first!['id']}?fields=status`) as unknown, { status: 'APPROVED', id: first!['id'] })
    const { data } = await page('200/message_templates?name=refused_news&fields=status,quality_score,rejected_reason')
    assert.deepInclude(record(data![0]), {
      status: 'REJECTED', quality_score: { score: 'UNKNOWN', date: 1767225600 }, rejected_reason: 'INVALID_FORMAT',
    })
    assert.deepEqual(await page('100200300400500?fields=display_phone_number,throughput') as unknown, {
      display_phone_number: '+15550109999', throughput: { level: 'STANDARD' }, id: '100200300400500',
    })
  })

  it('are not shown without a token, nor for an account that does not exist', async () => {
    assert.equal((await fetch(`${simulator.url}/v25.0/200/message_templates`)).status, 401)
    for (const path of [UNKNOWN_PHONE_NUMBER_ID, `${UNKNOWN_PHONE_NUMBER_ID}/message_templates`]) {
      const response = await get(path)
      assert.deepEqual([response.status, (await json(response))['error']!['error_subcode']] as unknown[], [400, 33])
    }
  })

  const answers: ReadonlyArray<readonly [templateList: string, status: number, code: number]> = [
    ['forbidden', 403, 200], ['throttled', 400, 80007],
  ]
  for (const [templateList, status, code] of answers) {
    it(`are refused with ${code} while the list is ${templateList}, and still sent`, async () => {
      await control(simulator, 'faults', { templateList })
      const response = await get('200/message_templates')
      assert.deepEqual([response.status, (await json(response))['error']!['code']] as unknown[], [status, code])
      assert.equal((await post(simulator, template(CUSTOMER))).status, 200)
    })
  }

  it('are answered with a page of HTML while the list is not JSON', async () => {
    await control(simulator, 'faults', { templateList: 'noJson' })
    const response = await get('200/message_templates')
    assert.equal(response.status, 200)
    assert.match(await response.text(), /^<!DOCTYPE html>/)
  })
})
