import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { assert } from 'chai'
import { onPort } from '../../../apps/demo/environment.js'
import { ROOT } from '../../architecture/tree.js'
import { compiled } from '../../support/compiled.js'
import { eventually } from '../../support/eventually.js'
import { bareEnv, posternProcess } from '../../support/postern.js'
import { startProgram } from '../../support/program.js'
import { makeScratch } from '../../support/scratch.js'

/** A whole day of traffic is made at the start, which takes long on a busy machine. */
const START_MS = 60_000

describe('A port that the README names', () => {
  it('is given up for a free one if another program has it', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const start = async (asked: number): Promise<number> => {
      const server = createServer().listen(asked, '127.0.0.1')
      await once(server, 'listening')
      server.close()
      return asked
    }
    assert.equal(await onPort(port, start), 0)
    taken.close()
    await once(taken, 'close')
    assert.equal(await onPort(port, start), port)
  })
})

describe('The demonstration', () => {
  const perform = async (...args: ReadonlyArray<string>) => {
    const scratch = await makeScratch()
    return {
      scratch, ...startProgram(process.execPath, [compiled('apps/cli/main.js'), 'demo', ...args], bareEnv({ TMPDIR: scratch.path('') })),
    }
  }

  /** The one that ends by itself, and the one that stays up, run side by side; the last test interrupts it. */
  let [single, lasting]: ReadonlyArray<Awaited<ReturnType<typeof perform>>> = []
  before(async () => { [single, lasting] = await Promise.all([perform('--once'), perform('--free-ports')]) })
  after(async () => {
    for (const one of [single, lasting]) {
      one?.signal('SIGINT')
      await one?.ended
      await one?.scratch.remove()
    }
  })

  it('shows every step with --once, leaves with 0 and leaves nothing behind', async () => {
    const { scratch, output, ended } = single ?? assert.fail('it did not start')
    assert.equal(await ended, 0, output())
    const text = output()
    for (const code of ['window_closed', 'insufficient_balance', 'unauthenticated']) assert.include(text, `"code":"${code}"`)
    assert.include(text, '"shortfall":"0.010000"')
    // Five messages that went, and a message that was marked as read.
    assert.lengthOf(text.match(/"status":"success"/g) ?? [], 6)
    assert.match(text, /"type":"message\.received".*"content":\{"body":"Where is my order\?"\}/)
    for (const type of [
      'wallet.topped_up', 'wallet.exhausted', 'key.minted', 'key.revoked', 'message.accepted', 'message.delivered', 'window.opened',
    ]) {
      assert.match(text, new RegExp(`^\\S+  ${type.replace('.', '\\.')} +evt_`, 'm'))
    }
    assert.isAtLeast((text.match(/^\$ curl -sS /gm) ?? []).length, 10)
    assert.include(text, 'All replies were as expected.')
    assert.notInclude(text, '\u001b')
    assert.deepEqual(await readdir(scratch.path('')), [])
  })

  it('ends with two addresses: the dashboard, signed in, and a phone with a conversation, from which one writes, gets an answer and skips a day', async () => {
    const { output } = lasting ?? assert.fail('it did not start')
    const phone = await eventually(
      'the address of the phone', () => /^The phone of a customer\D*: +(http:\S+\/_simulator)$/m.exec(output())?.[1], START_MS,
    )
    const dashboard = /^The dashboard, signed in\D*: +(http:\S+)$/m.exec(output())?.[1] ?? ''
    const signedIn = await fetch(dashboard, { redirect: 'manual' })
    const page = await fetch(signedIn.headers.get('location') ?? '', {
      redirect: 'manual', headers: { Cookie: signedIn.headers.get('set-cookie')?.split(';')[0] ?? '' },
    })
    assert.equal(page.status, 200)
    assert.include(await page.text(), 'Messages')

    const entries = await fetch(`${signedIn.headers.get('location') ?? ''}/wallet/entries`, {
      headers: { Cookie: signedIn.headers.get('set-cookie')?.split(';')[0] ?? '' },
    })
    const [, listed = ''] = /<main([^]*)<\/main>/.exec(await entries.text()) ?? []
    const moments = Array.from(listed.matchAll(/<time datetime="([^"]+)"/gi), ([, moment = '']) => moment)
    assert.isNotEmpty(moments)
    assert.deepEqual(moments, moments.toSorted().reverse(), 'the newest movements are first')

    const shown = async (): Promise<string> => (await fetch(phone)).text()
    const before = await shown()
    for (const text of [
      'Ada', 'Hi Ada, your order A-17 is on its way.', 'Where is my order?', 'Your order is at the door.', 'Window open:',
    ]) {
      assert.include(before, text)
    }
    const act = async (name: string, fields: Readonly<Record<string, string>>): Promise<void> => {
      const { status } = await fetch(`${phone}/phone/${name}`, {
        method: 'POST', redirect: 'manual', headers: { Origin: new URL(phone).origin }, body: new URLSearchParams(fields),
      })
      assert.equal(status, 303)
    }
    await act('write', { customer: '33639980001', text: 'Do you sell lamps?' })
    await eventually('an answer on the phone', async () =>
      /Do you sell lamps\?[^]*We have your message/.test(await shown()) ? true : undefined)

    const [url = '', authorization = ''] = /curl -sS (http\S+\/v1\/windows\/33639980001) -H 'Authorization: (Bearer \S+)'/
      .exec(output())?.slice(1)
      ?? []
    const isOpen = async (): Promise<unknown> =>
      (await (await fetch(url, { headers: { Authorization: authorization } })).json() as { readonly open: unknown }).open
    assert.isTrue(await isOpen())
    await act('skip', {})
    assert.isFalse(await isOpen())
    assert.include(await shown(), 'Window closed.')
    await act('write', { customer: '33639980001', text: 'Still there?' })
    await eventually('the window to open again', async () => (await isOpen() === true ? true : undefined))
  })

  it('takes the first request of the README, and refuses it for another customer as the README says', async () => {
    const { output } = lasting ?? assert.fail('it did not start')
    await eventually('the end of the story', () => output().includes('Press Ctrl-C') || undefined, START_MS)
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
    const [, url = '', body = ''] = /^curl http:\/\/127\.0\.0\.1:3000(\/\S+) [^]*?-d '(\{[^']+\})'$/m.exec(readme) ?? []
    const [, refusal = '{}'] = /```json\n(\{"status":"error"[^\n]+)\n```/.exec(readme) ?? []
    const [, stranger = ''] = /With `(\d+)` as `to`/.exec(readme) ?? []
    const gateway = /^Postern listens at (\S+);/m.exec(output())?.[1] ?? ''
    const key = /^\$ export .* API_KEY=(\S+)$/m.exec(output())?.[1] ?? ''
    const ask = async (asked: string): Promise<object> =>
      (await fetch(`${gateway}${url}`, {
        method: 'POST', headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }, body: asked,
      })).json() as Promise<object>
    assert.deepInclude(await ask(body), { status: 'success' })
    assert.deepInclude(await ask(JSON.stringify({ ...(JSON.parse(body) as object), to: stranger })), JSON.parse(refusal) as object)
  })

  it('prints settings in which `postern doctor` finds no fault', async () => {
    const { output } = lasting ?? assert.fail('it did not start')
    await eventually('the end of the story', () => output().includes('Press Ctrl-C') || undefined, START_MS)
    const settings = Object.fromEntries((/^\$ export (.*)$/m.exec(output())?.[1] ?? '').split(' ')
      .map((setting) => [setting.slice(0, setting.indexOf('=')), setting.slice(setting.indexOf('=') + 1)]))
    assert.hasAllKeys(settings, [
      'DATABASE_URL', 'POSTERN_SECRET', 'PLATFORM_URL', 'PLATFORM_VERIFY_TOKEN', 'PLATFORM_APP_SECRET', 'POSTERN_ACCESS_TOKEN', 'API_KEY',
    ])
    const { status, stdout, stderr } = await posternProcess(['doctor'], settings)
    assert.equal(status, 0, stdout + stderr)
  })

  it('stays up for its lines to be pasted, until it is interrupted', async () => {
    const { signal, scratch, output, ended } = lasting ?? assert.fail('it did not start')
    await eventually('the end of the story', () => output().includes('Press Ctrl-C') || undefined, START_MS)
    const url = /curl -sS (http\S+\/v1\/wallet) -H 'Authorization: (Bearer \S+)'/.exec(output())
    const reply = await fetch(url?.[1] ?? '', { headers: { Authorization: url?.[2] ?? '' } })
    assert.equal(reply.status, 200)
    const simulator = /the platform simulator listens at (\S+)\.$/m.exec(output())?.[1] ?? ''
    const written = await fetch(`${simulator}/_simulator/customers/33639980002/messages`, {
      method: 'POST', body: '{"text":"Is it open?"}',
    })
    assert.equal(written.status, 200)
    await eventually('an answer to the customer', () =>
      /"to":"33639980002","text":"We have your message[^]*"status":"success"/.test(output()) || undefined)
    signal('SIGINT')
    assert.equal(await ended, 0)
    assert.deepEqual(await readdir(scratch.path('')), [])
  })
})
