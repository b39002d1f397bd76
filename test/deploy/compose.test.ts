import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseYaml } from '@redocly/openapi-core'
import { assert } from 'chai'
import { ROOT } from '../architecture/tree.js'

type Service = {
  readonly image?: string
  readonly profiles?: ReadonlyArray<string>
  readonly read_only?: boolean
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: { readonly test?: ReadonlyArray<string> }
  readonly stop_grace_period?: string
}
type Compose = { readonly services: Readonly<Record<string, Service>>; readonly volumes: object }

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const TEXT = read('compose.yaml')
const compose = parseYaml(TEXT) as Compose
const services = Object.entries(compose.services)
const service = (name: string): Service => compose.services[name] ?? {}
const SECRET = /PASSWORD|SECRET|TOKEN/

describe('compose.yaml', () => {
  it('has a gateway, a database that keeps its data, and a simulator that starts only on request', () => {
    assert.sameMembers(services.map(([name]) => name), ['gateway', 'database', 'simulator'])
    assert.deepEqual(service('database').volumes, ['database:/var/lib/mysql'])
    assert.property(compose.volumes, 'database')
    assert.deepEqual(services.filter(([, { profiles }]) => profiles !== undefined).map(([name]) => name), ['simulator'])
  })

  it('starts the gateway once the database is healthy', () => {
    assert.equal(service('gateway').depends_on?.['database']?.condition, 'service_healthy')
    assert.equal(service('database').healthcheck?.test?.[0], 'CMD')
  })

  it('has no secret with a default: one that is not set or empty stops the start with its name', () => {
    const secrets = services.flatMap(([, { environment = {} }]) => Object.entries(environment).filter(([name]) => SECRET.test(name)))
    assert.isAtLeast(secrets.length, 6)
    assert.deepEqual(secrets.filter(([name, value]) => value !== `\${${name}:?Set ${name} in .env}`), [])
    const inUrls = Array.from(TEXT.matchAll(/:\/\/\w+:([^@\n]+)@/g), ([, password]) => password)
    assert.deepEqual(inUrls, ['${MARIADB_PASSWORD:?Set MARIADB_PASSWORD in .env}'])
  })

  it('has a model of .env with every variable that has to be set, each without a value', () => {
    const needed = new Set(Array.from(TEXT.matchAll(/\$\{(\w+):\?/g), ([, name = '']) => name))
    const model = new Map(Array.from(read('deploy/env.example').matchAll(/^(\w+)=(.*)$/gm), ([, name = '', value = '']) => [name, value]))
    assert.sameMembers(Array.from(model.keys()), Array.from(needed))
    assert.deepEqual(Array.from(model.values()).filter((value) => value !== ''), [])
  })

  it('gives the gateway only variables that it reads', () => {
    const config = read('apps/server/config.ts')
    const names = Object.keys({ ...service('gateway').environment, ...service('simulator').environment })
    assert.deepEqual(names.filter((name) => !config.includes(`  ${name}: optional(`)), [])
  })

  it('publishes ports on this machine only, and neither the metrics nor the database', () => {
    const ports = services.flatMap(([, service]) => service.ports ?? [])
    assert.isNotEmpty(ports)
    assert.deepEqual(ports.filter((port) => !/^127\.0\.0\.1:.*:(3000|4010)$/.test(port)), [])
    assert.isUndefined(service('database').ports)
  })

  it('lets no container of ours write its file system, and stops later than the gateway does', () => {
    assert.isTrue(service('gateway').read_only)
    assert.isTrue(service('simulator').read_only)
    assert.equal(service('gateway').stop_grace_period, '45s')
  })
})
