import { assert } from 'chai'
import type { ConversationError } from '../../../../core/messages/conversation.js'
import { ACCESS_TOKEN, type Answered, CUSTOMER, gateway, type Gateway } from '../gateway.js'
import { refusal } from '../refusal.js'
import { withScopes } from '../with-uses.js'

const WAMID = 'wamid.HBgNNTUx/MTk4+NzY=='
const PATH = `/v1/messages/${encodeURIComponent(WAMID)}/read`

const marks = ({ marked }: Gateway): unknown => marked.map(({ message, typing, sender: { accessToken } }) => [message, typing, accessToken])

describe('marking a message as read over HTTP', () => {
  for (const base of ['/v1', '/api/v1']) {
    it(`POST ${base}/messages/{wamid}/read marks the very message, through the workspace's sender`, async () => {
      await using gw = await gateway()
      const { status, text } = await gw.request(`${base}${PATH.slice('/v1'.length)}`, { method: 'POST' })
      assert.deepEqual([status, text], [200, '{"status":"success"}'])
      assert.deepEqual(marks(gw), [[WAMID, false, ACCESS_TOKEN]])
    })
  }

  it('shows typing if the body says so', async () => {
    await using gw = await gateway()
    for (const body of [{ typing: true }, { typing: false }, {}, { more: 1 }]) assert.equal((await gw.post(PATH, body)).status, 200)
    assert.deepEqual(gw.marked.map(({ typing }) => typing), [true, false, false, false])
  })

  it('answers 400 if typing is neither true nor false, and marks nothing', async () => {
    await using gw = await gateway()
    for (const typing of ['true', 1, null, {}]) {
      const { status, json } = await gw.post(PATH, { typing })
      assert.equal(status, 400)
      assert.deepInclude(json, { code: 'invalid_parameter', message: 'typing must be true or false' })
    }
    assert.isEmpty(gw.marked)
  })

  it('answers 404 for an id of another form, and marks nothing', async () => {
    await using gw = await gateway()
    for (const id of ['msg_1', `msg_${'0'.repeat(32)}`, 'wamid.a%20b', 'wamid.%00', 'wamid.%C3%A9', '%2e%2e', `wamid.${'x'.repeat(250)}`]) {
      const { status, json } = await gw.post(`/v1/messages/${id}/read`, {})
      assert.equal(status, 404, id)
      assert.deepInclude(json, { code: 'not_found' })
    }
    assert.isEmpty(gw.marked)
  })

  it('marks a message of another network by its id there', async () => {
    await using gw = await gateway()
    for (const id of ['SM0123', 'abcdefghijklmnopqrstuv', '4711']) assert.equal((await gw.post(`/v1/messages/${id}/read`, {})).status, 200)
    assert.deepEqual(gw.marked.map(({ message }) => message), ['SM0123', 'abcdefghijklmnopqrstuv', '4711'])
  })

  it('answers 403 to a key without the scope `answer`, after 401 and before 400', async () => {
    await using gw = await gateway({ deps: withScopes('send', 'read') })
    const refused = await gw.post(PATH, { typing: 'yes' })
    assert.equal(refused.status, 403)
    assert.deepEqual(refused.json, refusal('forbidden', 'This API key does not have the scope answer'))
    assert.equal((await gw.post(PATH, {}, { Authorization: 'Bearer x' })).status, 401)
    assert.equal((await gw.sendText({ to: CUSTOMER, text: 'hello' })).status, 200)
    assert.isEmpty(gw.marked)
  })

  const error = { code: 131009, message: 'Parameter value is not valid' }
  const failures: ReadonlyArray<readonly [ConversationError, status: number, code: string, retryAfter: string | null]> = [
    [{ _tag: 'PlatformRejected', error }, 400, 'platform_rejected', null],
    [{ _tag: 'PlatformThrottled', error, retryAfterSeconds: 7 }, 429, 'platform_throttled', '7'],
    [{ _tag: 'CredentialsRefused', error }, 502, 'platform_credentials', null],
    [{ _tag: 'PlatformUnanswered', cause: new Error('ETIMEDOUT') }, 503, 'platform_unreachable', '5'],
  ]
  for (const [failure, status, code, retryAfter] of failures) {
    it(`answers ${status} ${code} to ${failure._tag}, and names no message`, async () => {
      await using gw = await gateway()
      gw.conversationWillFail(failure)
      const answer: Answered = await gw.post(PATH, {})
      assert.equal(answer.status, status)
      assert.deepInclude(answer.json, { code, ...(status < 500 && { platform_error: error }) })
      assert.equal(answer.headers.get('retry-after'), retryAfter)
      assert.isNull(answer.headers.get('postern-message'))
      assert.notMatch(answer.text, /sent|charged|ETIMEDOUT/)
    })
  }

  it('logs what kept the platform from answering, without the id of the message', async () => {
    await using gw = await gateway()
    gw.conversationWillFail({ _tag: 'PlatformUnanswered', cause: new Error('ETIMEDOUT') })
    await gw.post(PATH, {})
    assert.match(gw.log.join(), /"platform_unreachable".*ETIMEDOUT/)
    assert.notInclude(gw.log.join() + JSON.stringify(gw.requests), 'HBgNNTUx')
  })

  it('answers 503 to a workspace without a sender, and 405 to another method', async () => {
    await using gw = await gateway({ sender: false })
    const { status, json } = await gw.post(PATH, {})
    assert.equal(status, 503)
    assert.deepInclude(json, { code: 'sender_not_configured' })
    const other = await gw.get(PATH)
    assert.deepEqual([other.status, other.headers.get('allow')], [405, 'POST'])
  })

  it('changes neither the window nor the wallet', async () => {
    await using gw = await gateway()
    const [window, books] = [await gw.get(`/v1/windows/${CUSTOMER}`), await gw.books()]
    await gw.post(PATH, { typing: true })
    assert.equal((await gw.get(`/v1/windows/${CUSTOMER}`)).text, window.text)
    assert.deepEqual(await gw.books(), books)
  })
})
