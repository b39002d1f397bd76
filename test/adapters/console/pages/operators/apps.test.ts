import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { appIdOf } from '../../../../../core/kernel/ids.js'
import { done } from '../../../../support/right-of.js'
import { role } from '../../../../core/use-cases/member-world.js'
import { openConsole, type OpenConsole } from '../../browser.js'
import { addNumber } from '../numbers/several-numbers.js'

const PATH = '/console/apps'

describe('the page of the apps of the platform', () => {
  let console: OpenConsole
  beforeEach(async () => { console = await openConsole() })
  afterEach(() => console.close())

  it('shows an operator the address, the secrets and the numbers of each app, and never a secret', async () => {
    const cookie = `postern_session=${(await console.join('boss@example.com')).token}`
    const { storage: { apps }, clock: { at } } = console
    assert.include((await console.get(PATH, cookie)).text, 'There is no app except that of the environment.')
    const [acme, other] = [appIdOf(uuidv7()), appIdOf(uuidv7())]
    await done(apps.add({ id: acme, name: 'acme', createdAt: at, appSecret: 'secret-of-acme', verifyToken: 'token-of-acme' }))
    await done(apps.add({ id: other, name: 'other', createdAt: at, appSecret: 'secret-of-other', verifyToken: 'token-of-other' }))
    await done(apps.change(other, { _tag: 'SecretAdded', appSecret: 'second-secret' }, at))
    for (const [id, app] of [['1001', acme], ['1002', acme], ['1003', undefined]] as const) {
      await addNumber(console, id, undefined, app === undefined ? {} : { app })
    }
    const { text } = await console.get(PATH, cookie)
    const rows = [...text.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) => [
      /data-copy="[^"]*?(\/webhooks[^"]*)"/.exec(row)?.[1], /class="number"[^>]*>(\d+)</.exec(row)?.[1], row.includes('class="state'),
    ]).filter(([address]) => address !== undefined)
    assert.deepEqual(rows, [
      ['/webhooks/platform', '1', false], ['/webhooks/platform/acme', '2', false], ['/webhooks/platform/other', '0', true],
    ])
    for (const secret of ['secret-of-acme', 'token-of-acme', 'secret-of-other', 'second-secret', 'token-of-other']) {
      assert.notInclude(text, secret)
    }
    assert.include((await console.get('/console', cookie)).text, `href="${PATH}"`)
  })

  it('is shown to operators alone', async () => {
    const cookie = `postern_session=${(await console.join('ann@example.com', role(console.workspace, 'owner'))).token}`
    assert.equal((await console.get(PATH, cookie)).status, 403)
    assert.notInclude((await console.get('/console', cookie)).text, `href="${PATH}"`)
    assert.equal((await console.get(PATH)).status, 303)
  })
})
