// Slow: sends gigabytes to a process whose memory is measured.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { assert } from 'chai'
import { eventually } from '../../support/eventually.js'
import { startProcessFixture, type Tenant, type ProcessFixture } from '../../support/process-fixture.js'
import { changeOf, inboundOf, notificationOf } from './notifications.js'

const MIB = 1024 * 1024
const LARGEST = 3 * MIB

/** What docs/operations/run.md promises: the memory for bodies, and what the process takes to handle them. */
const BODY_MEMORY_MIB = 16
const BOUND_MIB = 2 * BODY_MEMORY_MIB + 96

describe('The memory of the compiled gateway', () => {
  let world: ProcessFixture
  let tenant: Tenant
  let sockets: Socket[]
  before(async () => {
    world = await startProcessFixture({ BODY_MEMORY_MIB: String(BODY_MEMORY_MIB) })
    tenant = await world.tenant()
  })
  beforeEach(() => { sockets = [] })
  afterEach(() => { for (const socket of sockets) socket.destroy() })
  after(() => world[Symbol.asyncDispose]())

  const residentMib = async (): Promise<number> => {
    const status = await readFile(`/proc/${world.server().pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
  }
  const open = async (headers: string): Promise<Socket> => {
    const { hostname, port } = new URL(world.server().url)
    const socket = connect(Number(port), hostname)
    sockets.push(socket)
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    socket.write(`POST /webhooks/platform HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${LARGEST}\r\n\r\n`)
    return socket
  }
  const firstLine = async (socket: Socket): Promise<string> =>
    new Promise((resolve) => {
      socket.once('data', (reply: Buffer) => resolve(reply.toString().split('\r\n')[0] ?? ''))
      socket.once('close', () => resolve('closed'))
    })
  /** Whether a notification and a send of usual size are served. */
  const serves = async (customer: string): Promise<void> => {
    const body = notificationOf([changeOf(tenant.phoneNumberId, { messages: [inboundOf(customer)] })])
    await eventually('a notification', async () => ((await world.notify(body)).status === 200 ? true : undefined))
    assert.equal((await tenant.ask('POST', '/v1/messages/send-text', { json: { to: customer, text: 'hello' } })).status, 200)
  }

  it('stays within its bound under 400 unsigned notifications that stall, and refuses each immediately', async () => {
    const before = await residentMib()
    for (let n = 0; n < 400; n += 1) {
      const socket = await open('')
      assert.equal(await firstLine(socket), 'HTTP/1.1 401 Unauthorized')
      socket.write(Buffer.alloc(512 * 1024))
    }
    assert.isBelow(await residentMib() - before, BOUND_MIB)
    await serves('493070000001')
  })

  it('stays within its bound under 800 whole unsigned notifications of 3 MiB', async () => {
    const before = await residentMib()
    let most = before
    for (let n = 0; n < 800; n += 40) {
      const batch = await Promise.all(Array.from({ length: 40 }, () => open('')))
      const replies = batch.map(firstLine)
      for (const socket of batch) socket.write(Buffer.alloc(LARGEST))
      // A client that goes on sending may be disconnected before it reads the reply.
      for (const reply of await Promise.all(replies)) assert.include(['HTTP/1.1 401 Unauthorized', 'closed'], reply)
      most = Math.max(most, await residentMib())
      for (const socket of batch) socket.destroy()
    }
    assert.isBelow(most - before, BOUND_MIB)
    await serves('493070000002')
  })

  it('stays within its bound under 400 notifications with a forged signature that stall, and releases their memory', async () => {
    const before = await residentMib()
    await Promise.all(Array.from({ length: 400 }, async () => {
      const socket = await open(`X-Hub-Signature-256: sha256=${'0'.repeat(64)}\r\n`)
      socket.write(Buffer.alloc(LARGEST - 1))
    }))
    const { json } = await tenant.ask('GET', '/v1/wallet')
    assert.equal(json['currency'], 'USD')
    assert.isBelow(await residentMib() - before, BOUND_MIB)
    for (const socket of sockets) socket.destroy()
    await serves('493070000003')
  })
})
