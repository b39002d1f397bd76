import { assert } from 'chai'
import { MAX_ANSWER_BYTES } from '../../../adapters/cloud-api/transport.js'
import { until } from '../../support/eventually.js'
import { describeTransports, to, untilRested } from './each-transport.js'
import { answer, hang, reset } from './network.js'

describeTransports('with a server that fails it', (world) => {
  it('reports no answer when no answer comes within the deadline', async () => {
    const { transport, network } = world()
    network.behave(hang)
    assert.equal((await transport.send(to(network.url, { timeoutMs: 100 })))._tag, 'NoAnswer')
    assert.equal(network.arrived.length, 1)
  })

  it('reads an answer that came within the deadline though the process was too busy to read it', async () => {
    const { transport, network } = world()
    network.behave((response, arrived) => {
      answer(200, {})(response, arrived)
      const until = Date.now() + 300
      while (Date.now() < until);
    })
    assert.equal((await transport.send(to(network.url, { timeoutMs: 200 })))._tag, 'Answered')
  })

  it('reads an answer that came late only because the process was too busy', async () => {
    const { transport, network } = world()
    network.behave((response, arrived) => {
      const until = Date.now() + 600
      while (Date.now() < until);
      setTimeout(() => answer(200, {})(response, arrived), 50)
    })
    assert.equal((await transport.send(to(network.url, { timeoutMs: 500 })))._tag, 'Answered')
  })

  it('reports no answer when the answer drips past the deadline', async () => {
    const { transport, network } = world()
    let drip: NodeJS.Timeout | undefined
    network.behave((response) => {
      response.writeHead(200)
      drip = setInterval(() => response.write(' '), 10)
      response.on('close', () => clearInterval(drip))
    })
    assert.equal((await transport.send(to(network.url, { timeoutMs: 150 })))._tag, 'NoAnswer')
  })

  it('reports no answer when the connection is reset before the answer', async () => {
    const { transport, network } = world()
    network.behave(reset)
    assert.equal((await transport.send(to(network.url)))._tag, 'NoAnswer')
    assert.equal(network.arrived.length, 1)
  })

  it('reports no answer when the connection is closed before the answer', async () => {
    const { transport, network } = world()
    network.behave((response) => void response.socket?.end())
    assert.equal((await transport.send(to(network.url)))._tag, 'NoAnswer')
    assert.equal(network.arrived.length, 1)
  })

  it('reports no answer when the connection is reset in the middle of the answer', async () => {
    const { transport, network } = world()
    network.behave((response, arrived) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{"messages":', () => reset(response, arrived))
    })
    assert.equal((await transport.send(to(network.url)))._tag, 'NoAnswer')
  })

  it('reports no answer if the answer is shorter than announced', async () => {
    const { transport, speaking } = world()
    const host = await speaking((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"messages":[]}'))
    assert.equal((await transport.send(to(`http://${host}`)))._tag, 'NoAnswer')
  })

  it('reports no answer when a chunked answer breaks off', async () => {
    const { transport, speaking } = world()
    const host = await speaking((socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n'))
    assert.equal((await transport.send(to(`http://${host}`)))._tag, 'NoAnswer')
  })

  it('reports no answer when the answer is not HTTP', async () => {
    const { transport, speaking } = world()
    const host = await speaking((socket) => socket.end('220 mail.example.org ESMTP\r\n'))
    assert.equal((await transport.send(to(`http://${host}`)))._tag, 'NoAnswer')
  })

  it('reports no answer when the answer switches protocols', async () => {
    const { transport, speaking } = world()
    const host = await speaking((socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'))
    assert.equal((await transport.send(to(`http://${host}`, { timeoutMs: 300 })))._tag, 'NoAnswer')
  })

  it('reports no answer when the answer says that it is longer than what is read', async () => {
    const { transport, network } = world()
    network.behave((response) => {
      response.writeHead(200, { 'content-length': String(MAX_ANSWER_BYTES + 1) })
      response.write('x')
    })
    assert.equal((await transport.send(to(network.url, { timeoutMs: 1_000 })))._tag, 'NoAnswer')
  })

  it('reports no answer when the answer is longer than what is read', async () => {
    const { transport, network } = world()
    network.behave((response) => {
      response.writeHead(200)
      const flood = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', flood)
      }
      flood()
    })
    assert.equal((await transport.send(to(network.url)))._tag, 'NoAnswer')
  })
})

describeTransports('keeping connections', (world) => {
  it('uses a connection again', async () => {
    const { transport, network } = world()
    network.behave(answer(200, {}))
    await transport.send(to(network.url))
    await untilRested()
    await transport.send(to(network.url))
    const [first, second] = network.arrived
    assert.isTrue(first !== undefined && first.port === second?.port)
  })

  it('reports no answer, and does not repeat the request, when a connection used again is reset', async () => {
    const { transport, network } = world()
    network.behave(answer(200, {}))
    await transport.send(to(network.url))
    await untilRested()
    network.behave(reset)
    assert.equal((await transport.send(to(network.url)))._tag, 'NoAnswer')
    assert.equal(network.arrived.length, 2)
    assert.equal(network.arrived[0]?.port, network.arrived[1]?.port)
  })

  it('opens a new connection when the server has closed the idle one', async () => {
    const { transport, network } = world()
    network.behave(answer(200, {}))
    await transport.send(to(network.url))
    await network.hangUp()
    assert.equal((await transport.send(to(network.url)))._tag, 'Answered')
    assert.notEqual(network.arrived[0]?.port, network.arrived[1]?.port)
  })

  it('opens a new connection if the server announced that it closes the old one', async () => {
    const { transport, network } = world()
    network.behave(answer(200, {}, { connection: 'close' }))
    await transport.send(to(network.url))
    assert.equal((await transport.send(to(network.url)))._tag, 'Answered')
    assert.notEqual(network.arrived[0]?.port, network.arrived[1]?.port)
  })

  it('sends nothing once it is closed', async () => {
    const { transport, network } = world()
    await transport.close()
    assert.equal((await transport.send(to(network.url)))._tag, 'NotSent')
    assert.deepEqual(network.arrived, [])
  })

  it('reports no answer for what is under way when it is closed', async () => {
    const { transport, network } = world()
    network.behave(hang)
    const sending = transport.send(to(network.url))
    await until(() => network.arrived.length === 1)
    await transport.close()
    assert.equal((await sending)._tag, 'NoAnswer')
  })
})
