import { assert } from 'chai'
import { MAX_ANSWER_BYTES } from '../../../adapters/cloud-api/transport.js'
import { aTurnLater, describeTransports, eventually, to } from './each-transport.js'
import { answer, hang, reset } from './network.js'

describeTransports('with a server that fails it', (world) => {
  it('gives a request up as lost when no answer comes within the deadline', async () => {
    const { transport, network } = world()
    network.behave(hang)
    assert.equal((await transport.send(to(network.url, { timeoutMs: 100 })))._tag, 'Lost')
    assert.equal(network.arrived.length, 1)
  })

  it('gives a request up as lost when the answer drips past the deadline', async () => {
    const { transport, network } = world()
    let drip: NodeJS.Timeout | undefined
    network.behave((response) => {
      response.writeHead(200)
      drip = setInterval(() => response.write(' '), 10)
      response.on('close', () => clearInterval(drip))
    })
    assert.equal((await transport.send(to(network.url, { timeoutMs: 150 })))._tag, 'Lost')
  })

  it('gives a request up as lost when the connection is reset before the answer', async () => {
    const { transport, network } = world()
    network.behave(reset)
    assert.equal((await transport.send(to(network.url)))._tag, 'Lost')
    assert.equal(network.arrived.length, 1)
  })

  it('gives a request up as lost when the connection is closed before the answer', async () => {
    const { transport, network } = world()
    network.behave((response) => void response.socket?.end())
    assert.equal((await transport.send(to(network.url)))._tag, 'Lost')
    assert.equal(network.arrived.length, 1)
  })

  it('gives a request up as lost when the connection is reset in the middle of the answer', async () => {
    const { transport, network } = world()
    network.behave((response, arrived) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{"messages":', () => reset(response, arrived))
    })
    assert.equal((await transport.send(to(network.url)))._tag, 'Lost')
  })

  it('gives a request up as lost when the answer is shorter than it said', async () => {
    const { transport, speaking } = world()
    const host = await speaking((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"messages":[]}'))
    assert.equal((await transport.send(to(`http://${host}`)))._tag, 'Lost')
  })

  it('gives a request up as lost when a chunked answer breaks off', async () => {
    const { transport, speaking } = world()
    const host = await speaking((socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n'))
    assert.equal((await transport.send(to(`http://${host}`)))._tag, 'Lost')
  })

  it('gives a request up as lost when the answer is not HTTP', async () => {
    const { transport, speaking } = world()
    const host = await speaking((socket) => socket.end('220 mail.example.org ESMTP\r\n'))
    assert.equal((await transport.send(to(`http://${host}`)))._tag, 'Lost')
  })

  it('gives a request up as lost when the answer switches protocols', async () => {
    const { transport, speaking } = world()
    const host = await speaking((socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'))
    assert.equal((await transport.send(to(`http://${host}`, { timeoutMs: 300 })))._tag, 'Lost')
  })

  it('gives a request up as lost when the answer says that it is longer than what is read', async () => {
    const { transport, network } = world()
    network.behave((response) => {
      response.writeHead(200, { 'content-length': String(MAX_ANSWER_BYTES + 1) })
      response.write('x')
    })
    assert.equal((await transport.send(to(network.url, { timeoutMs: 1_000 })))._tag, 'Lost')
  })

  it('gives a request up as lost when the answer turns out longer than what is read', async () => {
    const { transport, network } = world()
    network.behave((response) => {
      response.writeHead(200)
      const flood = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', flood)
      }
      flood()
    })
    assert.equal((await transport.send(to(network.url)))._tag, 'Lost')
  })
})

describeTransports('keeping connections', (world) => {
  it('uses a connection again', async () => {
    const { transport, network } = world()
    network.behave(answer(200, {}))
    await transport.send(to(network.url))
    await aTurnLater()
    await transport.send(to(network.url))
    const [first, second] = network.arrived
    assert.isTrue(first !== undefined && first.port === second?.port)
  })

  it('gives a request up as lost, and does not repeat it, when a connection used again is reset', async () => {
    const { transport, network } = world()
    network.behave(answer(200, {}))
    await transport.send(to(network.url))
    await aTurnLater()
    network.behave(reset)
    assert.equal((await transport.send(to(network.url)))._tag, 'Lost')
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

  it('opens a new connection when the server said it would close the old one', async () => {
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

  it('ends what is under way as lost when it is closed', async () => {
    const { transport, network } = world()
    network.behave(hang)
    const sending = transport.send(to(network.url))
    await eventually(() => network.arrived.length === 1)
    await transport.close()
    assert.equal((await sending)._tag, 'Lost')
  })
})
