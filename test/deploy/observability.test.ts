import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { stringifyYaml } from '@redocly/openapi-core'
import { assert } from 'chai'
import { ROOT } from '../architecture/tree.js'
import { startInProcessFixture } from '../support/process-fixture.js'
import { makeScratch } from '../support/scratch.js'
import { ALERTS, alertQueries, dashboardQueries, metricsIn, readDashboard, readRules, type Query } from './observability.js'

const run = promisify(execFile)
const all = async (): Promise<ReadonlyArray<Query>> => [...await dashboardQueries(), ...await alertQueries()]

/** What promtool prints, or undefined where it is not installed and `CI` is not set. */
const promtool = async (...words: ReadonlyArray<string>): Promise<string | undefined> => {
  try {
    return (await run('promtool', words)).stdout
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT' && process.env['CI'] === undefined) {
      console.log('      promtool is not installed, so the queries are not parsed')
      return undefined
    }
    throw error
  }
}

describe('The dashboard and the alerts', () => {
  it('read only metrics that a running gateway has', async () => {
    const gateway = await startInProcessFixture()
    const text = await fetch(`${gateway.url}/metrics`).then((answer) => answer.text())
    await gateway[Symbol.asyncDispose]()
    const types = new Map(Array.from(text.matchAll(/^# TYPE (\w+) (\w+)$/gm), ([, name = '', type = '']) => [name, type]))
    const isKnown = (name: string): boolean => types.has(name) || types.get(name.replace(/_(bucket|sum|count)$/, '')) === 'histogram'
    const queries = await all()
    assert.isAbove(queries.length, 40)
    const unknown = queries.flatMap(({ where, expr }) =>
      metricsIn(expr).filter((name) => !isKnown(name)).map((name) => `${where}: ${name}`))
    assert.deepEqual(unknown, [])
    assert.deepEqual(
      queries.filter(({ expr }) => metricsIn(expr).length === 0).map(({ where }) => where), ['panel Gateways up', 'alert PosternDown'],
    )
  })

  it('show every metric of the table in the operations page', async () => {
    const page = await readFile(join(ROOT, 'docs/operations/watch.md'), 'utf8')
    const table = Array.from(page.matchAll(/^\| (`postern_.*?) \|/gm), ([, cell = '']) =>
      Array.from(cell.matchAll(/postern_\w+/g), ([name]) => name)).flat()
    const shown = new Set((await dashboardQueries()).flatMap(({ expr }) => metricsIn(expr)).map((name) => name.replace(/_bucket$/, '')))
    assert.isAbove(table.length, 20)
    assert.deepEqual(table.filter((name) => !shown.has(name)), [])
  })

  it('name reasons, codes and outcomes that the gateway has', async () => {
    const [metrics, failures, operations] = await Promise.all(
      ['apps/server/metrics.ts', 'docs/api.md', 'docs/operations/watch.md'].map((path) => readFile(join(ROOT, path), 'utf8')),
    )
    const known = `${metrics ?? ''}${failures ?? ''}${operations ?? ''}`
    const values = (await all()).flatMap(({ expr }) =>
      Array.from(expr.matchAll(/(?:outcome|code|reason|receipt)(?:=|!=|=~)"([^"]+)"/g), ([, value = '']) => value.split('|')).flat())
    assert.isAbove(values.length, 10)
    assert.deepEqual(values.filter((value) => !new RegExp(`['"\`]${value}['"\`]`).test(known)), [])
  })

  it('are well formed for promtool', async () => {
    const scratch = await makeScratch()
    try {
      const rules = (await dashboardQueries()).map(({ expr }, index) => ({ record: `dashboard:query:${index}`, expr }))
      await writeFile(scratch.path('rules.yaml'), stringifyYaml({ groups: [{ name: 'dashboard', rules }] }))
      const checked = await promtool('check', 'rules', ALERTS, scratch.path('rules.yaml'))
      if (checked === undefined) return
      assert.include(checked, `SUCCESS: ${(await readRules()).length} rules found`)
      assert.include(checked, `SUCCESS: ${rules.length} rules found`)
    } finally {
      await scratch.remove()
    }
  })

  it('alert when they should and not before, as promtool plays it', async () => {
    const played = await promtool('test', 'rules', join(ROOT, 'test/deploy/alerts.yaml'))
    if (played !== undefined) assert.include(played, 'SUCCESS')
  })

  it('say what is wrong and what to do, and have a severity', async () => {
    assert.deepEqual(
      (await readRules()).filter(({ annotations }) => !annotations['summary'] || !annotations['action']).map(({ alert }) => alert), [],
    )
  })

  it('ask for a data source, so that the dashboard can be imported anywhere', async () => {
    const { templating } = await readDashboard()
    assert.deepEqual(templating.list.map(({ name }) => name), ['datasource', 'job', 'instance'])
    const sources = Array.from(
      (await readFile(join(ROOT, 'deploy/grafana-dashboard.json'), 'utf8')).matchAll(/"uid": "(?!postern")([^"]*)"/g), ([, uid]) => uid,
    )
    assert.deepEqual(Array.from(new Set(sources)), ['${datasource}'])
  })
})
