import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { assert } from 'chai'
import { SMTPServer } from 'smtp-server'
import { makeMailCarrier } from '../../../adapters/mail/mail-carrier.js'
import type { WaitingAlert } from '../../../core/alerts/alert.js'
import { memberIdOf, workspaceIdOf } from '../../../core/kernel/ids.js'
import { NOON } from '../../core/gateway.js'

const UUID = '0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5d'

const ALERT: WaitingAlert = {
  id: 'f'.repeat(32), workspace: workspaceIdOf(UUID), to: { _tag: 'Member', member: memberIdOf(UUID), email: 'ada@shop.example' },
  troubles: [{ kind: 'balance', sentence: 'The balance is low.' }], raisedAt: NOON, attempts: 0,
}

/** A mail server on loopback that accepts one user, and the mails that it has accepted. */
const openServer = async (refuses = false) => {
  const mails: Array<{ readonly to: ReadonlyArray<string>; readonly data: string }> = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'], allowInsecureAuth: true, disableReverseLookup: true,
    onAuth: ({ username, password }, _session, answer) => {
      if (username === 'postern' && password === 'p ss') answer(null, { user: username })
      else answer(new Error(`the password ${password ?? ''} is wrong`))
    },
    onData: (stream, { envelope }, answer) => {
      void text(stream).then((data) => {
        if (refuses) return answer(Object.assign(new Error('The mailbox is full'), { responseCode: 452 }))
        mails.push({ to: envelope.rcptTo.map(({ address }) => address), data })
        answer(null)
      })
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  const { port } = server.server.address() as AddressInfo
  return { mails, port, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => { server.close(() => { resolve() }) }) }
}

const carrierFor = (port: number, login = 'postern:p%20ss') => {
  const carrier = makeMailCarrier({ url: `smtp://${login}@127.0.0.1:${port}`, from: 'Postern <postern@shop.example>' })
  return { ...carrier, [Symbol.dispose]: carrier.close }
}

describe('Mails', () => {
  it('reach a mail server, with the same message id in each attempt', async () => {
    await using server = await openServer()
    using carrier = carrierFor(server.port)
    for (const _ of [1, 2]) assert.isUndefined(await carrier.carry(ALERT, { subject: 'Postern, Acme: low', body: 'The balance is low.' }))
    assert.deepEqual(server.mails.map(({ to }) => to), [['ada@shop.example'], ['ada@shop.example']])
    for (const { data } of server.mails) {
      assert.match(data, /^From: Postern <postern@shop\.example>\r\n/m)
      assert.match(data, /^Subject: Postern, Acme: low\r\n/m)
      assert.match(data, /^Message-ID: <f{32}@postern>\r\n/m)
      assert.match(data, /\r\n\r\nThe balance is low\.\r\n$/)
    }
  })

  it('fail with a sentence that contains no password', async () => {
    await using server = await openServer()
    using carrier = carrierFor(server.port, 'postern:wr%20ng')
    for (const fault of [await carrier.check(), await carrier.carry(ALERT, { subject: 's', body: 'b' })]) {
      assert.match(fault ?? '', /the password \*\*\* is wrong/)
    }
  })

  it('fail if the server refuses them, or does not listen', async () => {
    const port = await (async () => {
      await using server = await openServer(true)
      using carrier = carrierFor(server.port)
      assert.isUndefined(await carrier.check())
      assert.match(await carrier.carry(ALERT, { subject: 's', body: 'b' }) ?? '', /mailbox is full/i)
      return server.port
    })()
    using carrier = carrierFor(port)
    assert.match(await carrier.check() ?? '', /ECONNREFUSED/)
  })
})
