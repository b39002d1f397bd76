import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import type { PhoneNumber } from '../../core/customers/customer.js'
import type { Currency } from '../../core/kernel/money.js'
import { messageIdOf } from '../../core/messages/message.js'
import { rightOf } from '../support/right-of.js'
import { type Console, openConsole, type Viewer } from './console.js'

const CUSTOMER = '4915123456789'
const BUTTONS = {
  type: 'interactive',
  interactive: {
    type: 'button',
    body: { text: 'Shall we <b>deliver</b>?' },
    action: { buttons: [{ type: 'reply', reply: { id: 'y', title: 'Tomorrow' } }] },
  },
}

describe('What a message said, in the console of a whole gateway', () => {
  const withConsole = async (
    env: Readonly<Record<string, string>>,
    use: (dashboard: Console, show: (message: string, as?: Viewer) => Promise<string>) => Promise<void>,
  ) => {
    const dashboard = await openConsole(env)
    try {
      await dashboard.tenant.customerWrites(CUSTOMER)
      await use(dashboard, async (message, as = 'viewer') => {
        const page = await fetch(
          `${dashboard.gateway.url}/console/workspaces/${dashboard.tenant.id}/messages/${message}`,
          { headers: { Cookie: dashboard.cookieOf(as) } },
        )
        return `${page.status} ${await page.text()}`
      })
    } finally {
      await dashboard.close()
    }
  }
  /** Sends a message through the API, and gives its id. */
  const send = async ({ gateway, tenant }: Console, json: object): Promise<string> => {
    await tenant.ask('POST', '/v1/messages/send', { json: { to: CUSTOMER, ...json } })
    const [newest] = rightOf(await gateway.storage.messageLog.list(tenant.id, { limit: 1 })).items
    return newest?.id ?? assert.fail('nothing was sent')
  }

  it('is shown as the preview, to all who may see the message and to nobody else, until the customer is erased', () =>
    withConsole({ MESSAGE_CONTENT: 'keep' }, async (dashboard, show) => {
      const [buttons, text] = [await send(dashboard, BUTTONS), await send(dashboard, { type: 'text', text: { body: 'Hello Ann' } })]
      for (const as of ['viewer', 'developer', 'owner', 'operator'] as const) {
        assert.match(await show(buttons, as), /^200 [^]*Content<\/h2><div class="bubble"><p>Shall we &lt;b>deliver&lt;\/b>\?<\/p><ul><li>Tomorrow<\/li><\/ul><\/div>/)
      }
      assert.match(await show(text), /Content<\/h2><div class="bubble"><p>Hello Ann<\/p><\/div>/)
      const conversation = async (as: Viewer): Promise<string> =>
        (await fetch(
          `${dashboard.gateway.url}/console/workspaces/${dashboard.tenant.id}/customers/${CUSTOMER}`,
          { headers: { Cookie: dashboard.cookieOf(as) } },
        )).text()
      assert.match(await conversation('viewer'), /Shall we &lt;b>deliver&lt;\/b>\?[^]*Tomorrow[^]*Hello Ann/)
      assert.notInclude(await conversation('stranger'), 'Hello Ann')
      const foreign = await show(text, 'stranger')
      assert.match(foreign, /^403 /)
      assert.notInclude(foreign, 'Hello Ann')
      const erased = await fetch(`${dashboard.gateway.url}/console/workspaces/${dashboard.tenant.id}/customers/${CUSTOMER}/erase`, {
        method: 'POST', redirect: 'manual', body: new URLSearchParams({ sure: 'on', id: CUSTOMER }),
        headers: { Cookie: dashboard.cookieOf('owner'), Origin: dashboard.gateway.url },
      })
      assert.isBelow(erased.status, 400)
      assert.notMatch(await show(text), /Content<|Hello Ann/)
    }))

  it('is that of a template with what filled it, where the catalogue has the template', () =>
    withConsole({ MESSAGE_CONTENT: 'keep' }, async (dashboard, show) => {
      const template = (name: string) => ({
        type: 'template',
        template: {
          name,
          language: { code: 'en' },
          components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }, { type: 'text', text: 'A-17' }] }],
        },
      })
      await fetch(`${dashboard.gateway.url}/console/workspaces/${dashboard.tenant.id}/templates/sync`, {
        method: 'POST', body: new URLSearchParams(), headers: { Cookie: dashboard.cookieOf('owner'), Origin: dashboard.gateway.url },
      }).then((reply) => reply.text())
      assert.match(await show(await send(dashboard, template('order_update'))), /Content<\/h2><div class="bubble">[^]*Ann[^]*A-17[^]*<\/div>/)
    }))

  it('is sent again once, by a form that is sent twice', () =>
    withConsole({ MESSAGE_CONTENT: 'keep' }, async (dashboard, show) => {
      const { gateway: { storage, url }, tenant: { id: workspace }, cookieOf } = dashboard
      const [id, at, amount] = [messageIdOf(uuidv7()), Date.now(), { micros: 0n, currency: 'USD' as Currency }]
      const message = { _tag: 'Text', to: CUSTOMER as PhoneNumber, text: 'Hello Ann' } as const
      rightOf(await storage.messageLog.open({ id, workspace, at, message, price: { ...amount, category: 'service' } }))
      rightOf(await storage.wallet.hold({ workspace, message: id, amount, at }))
      rightOf(await storage.messageLog.apply(workspace, id, { state: 'failed', at, error: { code: 131_026 } }))
      const key = /name="key" value="([^"]+)"[^]*Send again for \$0\.00/.exec(await show(id, 'developer'))?.[1] ?? assert.fail('no form')
      const post = () => fetch(`${url}/console/workspaces/${workspace}/messages/${id}/again`, {
        method: 'POST', redirect: 'manual', body: new URLSearchParams({ key }), headers: { Cookie: cookieOf('developer'), Origin: url },
      })
      const [first, second] = [await post(), await post()]
      assert.deepEqual([first.status, second.status], [303, 303])
      const [newest, ...older] = rightOf(await storage.messageLog.list(workspace, { limit: 10 })).items
      assert.deepEqual(older.map((one) => one.id), [id])
      assert.deepEqual([first, second].map(({ headers }) => headers.get('location')?.split('/').at(-1)), [newest?.id, newest?.id])
      assert.match(await show(newest?.id ?? ''), /Content<\/h2><div class="bubble"><p>Hello Ann<\/p>/)
    }))

  it('is nowhere on the page where it is not kept', () =>
    withConsole({}, async (dashboard, show) => {
      const page = await show(await send(dashboard, { type: 'text', text: { body: 'Hello Ann' } }))
      assert.match(page, /^200 /)
      assert.notMatch(page, /Content<|Hello Ann/)
    }))
})
