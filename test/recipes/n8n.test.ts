// Runs the workflow as n8n does, as far as it matters here: the code of its node, its expressions, and its requests, in the order of its connections.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { join } from 'node:path'
import vm from 'node:vm'
import { assert } from 'chai'
import { ROOT } from '../architecture/tree.js'
import { eventually } from '../support/eventually.js'
import { type InProcessFixture, startInProcessFixture, type Tenant } from '../support/process-fixture.js'

type Parameters = {
  readonly method?: string
  readonly url?: string
  readonly genericAuthType?: string
  readonly jsonBody?: string
  readonly jsCode?: string
  readonly httpMethod?: string
  readonly headerParameters?: { readonly parameters: ReadonlyArray<{ readonly name: string; readonly value: string }> }
}
type Node = { readonly name: string; readonly type: string; readonly parameters: Parameters }
type Workflow = {
  readonly nodes: ReadonlyArray<Node>
  readonly connections: Readonly<Record<string, { readonly main: ReadonlyArray<ReadonlyArray<{ readonly node: string }>> }>>
}
type Env = Readonly<Record<string, string>>

/** The values that nodes gave, by the names of the nodes. */
type Given = Map<string, unknown>

/** A text of n8n: one that begins with `=` has expressions between braces. */
const evaluate = (text: string, given: Given, last: unknown, env: Env): string => {
  if (!text.startsWith('=')) return text
  const scope = vm.createContext({ $env: env, $json: last, $: (name: string) => ({ item: { json: given.get(name) } }), encodeURIComponent })
  return text.slice(1).replaceAll(/\{\{([^]*?)\}\}(?!\})/g, (_, expression: string) => String(vm.runInContext(expression, scope)))
}

const runCode = (
  code: string, headers: IncomingMessage['headers'], body: Buffer, env: Env,
): Promise<ReadonlyArray<{ readonly json: unknown }>> => {
  const scope = vm.createContext({
    $env: env, $input: { first: () => ({ json: { headers } }) }, require: createRequire(import.meta.url), Buffer,
  })
  const run = vm.runInContext(`(async function () { ${code} })`, scope) as (this: object) => Promise<ReadonlyArray<{
    readonly json: unknown
  }>>
  return run.call({ helpers: { getBinaryDataBuffer: async () => body } })
}

/** Runs what follows the webhook, and gives the status with which n8n answers after its last node. */
const execute = async (
  { nodes, connections }: Workflow, headers: IncomingMessage['headers'], body: Buffer, env: Env, key: string,
): Promise<number> => {
  const given: Given = new Map()
  let last: unknown
  let next = connections[nodes[0]?.name ?? '']?.main[0]?.[0]?.node
  while (next !== undefined) {
    const name = next
    const { type, parameters } = nodes.find((node) => node.name === name) ?? assert.fail(`there is no node ${name}`)
    if (type === 'n8n-nodes-base.code') {
      try {
        last = (await runCode(parameters.jsCode ?? '', headers, body, env))[0]?.json
      } catch {
        return 500
      }
    } else {
      assert.deepEqual([type, parameters.genericAuthType], ['n8n-nodes-base.httpRequest', 'httpHeaderAuth'])
      const extra = (parameters.headerParameters?.parameters ?? []).map((one) => [one.name, evaluate(one.value, given, last, env)])
      const answer = await fetch(evaluate(parameters.url ?? '', given, last, env), {
        method: parameters.method ?? 'GET', body: evaluate(parameters.jsonBody ?? '', given, last, env),
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}`, ...Object.fromEntries(extra) },
      })
      if (!answer.ok) return 500
      last = await answer.json()
    }
    given.set(name, last)
    next = connections[name]?.main[0]?.[0]?.node
  }
  return 200
}

describe('The workflow for n8n', () => {
  let world: InProcessFixture
  let tenant: Tenant
  let workflow: Workflow
  before(async () => {
    workflow = JSON.parse(await readFile(join(ROOT, 'docs/examples/n8n-workflow.json'), 'utf8')) as Workflow
    world = await startInProcessFixture({ EVENTS_ALLOW: '127.0.0.0/8' })
    tenant = await world.tenant()
  })
  after(() => world[Symbol.asyncDispose]())

  it('has nodes with names of their own that are all connected', () => {
    const names = workflow.nodes.map(({ name }) => name)
    assert.equal(new Set(names).size, names.length)
    assert.deepEqual(Object.values(workflow.connections).flatMap(({ main }) => main.flat().map(({ node }) => node)), names.slice(1))
    assert.deepEqual(Object.keys(workflow.connections), names.slice(0, -1))
  })

  it('marks what a customer wrote as read and answers once, and refuses what is not signed', async () => {
    const statuses: number[] = []
    const deliveries: { readonly headers: IncomingMessage['headers']; readonly body: Buffer }[] = []
    const env: { POSTERN_URL: string; POSTERN_ENDPOINT_SECRET: string } = { POSTERN_URL: world.url, POSTERN_ENDPOINT_SECRET: '' }
    const n8n = createServer((request, response) => {
      void buffer(request).then(async (body) => {
        deliveries.push({ headers: request.headers, body })
        const status = await execute(workflow, request.headers, body, env, tenant.key)
        statuses.push(status)
        response.writeHead(status).end()
      })
    })
    await new Promise<void>((resolve) => { n8n.listen(0, '127.0.0.1', resolve) })
    try {
      const address = n8n.address()
      const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/webhook/postern`
      const { json } = await tenant.ask('POST', '/v1/event-endpoints', { json: { url, types: ['message.received'] } })
      env.POSTERN_ENDPOINT_SECRET = String(json['secret'])
      const written = world.simulator.writeAs('33639980001', { text: 'Is it open?' }, tenant.phoneNumberId)
      await eventually('the workflow to end', () => statuses.length > 0 || undefined)
      assert.deepEqual(statuses, [200])
      const texts = () => world.simulator.received().map(({ text }) => text)
      assert.deepEqual(texts(), ['We have your message and answer soon.'])
      assert.isNumber(world.simulator.inbound().find(({ id }) => id === written)?.read_at)
      const [delivery] = deliveries
      if (delivery === undefined) throw new Error('nothing was delivered')
      // Run again by hand, it answers 200 and sends nothing; changed, or too old, it is refused.
      assert.equal(await execute(workflow, delivery.headers, delivery.body, env, tenant.key), 200)
      assert.equal(await execute(workflow, delivery.headers, Buffer.from(`${delivery.body.toString()} `), env, tenant.key), 500)
      assert.equal(await execute(workflow, { ...delivery.headers, 'webhook-timestamp': '1700000000' }, delivery.body, env, tenant.key), 500)
      assert.lengthOf(texts(), 1)
    } finally {
      n8n.closeAllConnections()
      n8n.close()
    }
  })
})
