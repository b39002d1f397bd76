import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseYaml } from '@redocly/openapi-core'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { ConfigMap, Service, ServiceAccount } from 'kubernetes-models/v1'
import { Deployment } from 'kubernetes-models/apps/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import ts from 'typescript'
import { readConfig } from '../../apps/server/config.js'
import { SHUTDOWN_MARGIN_MS } from '../../apps/server/process.js'
import { ROOT } from '../architecture/tree.js'

const TEXT = readFileSync(join(ROOT, 'deploy/kubernetes.yaml'), 'utf8')
const objects = TEXT.split(/^---$/m).map((text) => parseYaml(text) as { readonly apiVersion: string; readonly kind: string })
const findObject = (kind: string): object => objects.find((one) => one.kind === kind) ?? assert.fail(`there is no ${kind}`)

/** Where the type of each kind is, whose schema Kubernetes generates from its own sources. */
const MODULES: Readonly<Record<string, string>> = {
  ConfigMap: 'kubernetes-models/v1', Service: 'kubernetes-models/v1', ServiceAccount: 'kubernetes-models/v1',
  Deployment: 'kubernetes-models/apps/v1', PodDisruptionBudget: 'kubernetes-models/policy/v1',
}

/** What the compiler says of objects that have to be of the types of their kinds; the schemas alone let a misspelt field pass. */
const typeFaults = (all: ReadonlyArray<{ readonly kind: string }>): ReadonlyArray<string> => {
  const file = join(ROOT, 'test/deploy/manifest-under-test.ts')
  const program = all.map((one, index) => `import type { I${one.kind} as Type${index} } from '${MODULES[one.kind] ?? ''}'\nexport const one${index}: Type${index} = ${JSON.stringify(one)}`).join('\n')
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, strict: true, noEmit: true, skipLibCheck: true,
    types: [],
  }
  const host = ts.createCompilerHost(options)
  const compiled = ts.createProgram([file], options, {
    ...host,
    fileExists: (name) => name === file || host.fileExists(name),
    getSourceFile: (name, ...rest) =>
      name === file ? ts.createSourceFile(name, program, ts.ScriptTarget.ESNext) : host.getSourceFile(name, ...rest),
  })
  return ts.getPreEmitDiagnostics(compiled, compiled.getSourceFile(file)).map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, ' '))
}

type Probe = { readonly httpGet: { readonly path: string; readonly port: string } }
type Container = {
  readonly image: string
  readonly command?: ReadonlyArray<string>
  readonly envFrom: ReadonlyArray<{ readonly configMapRef?: { readonly name: string }; readonly secretRef?: { readonly name: string } }>
  readonly ports?: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>
  readonly startupProbe: Probe
  readonly livenessProbe: Probe
  readonly readinessProbe: Probe & { readonly timeoutSeconds: number }
  readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: ReadonlyArray<string> } } }
  readonly resources: { readonly requests: object; readonly limits: object }
  readonly securityContext: object
}
type Pod = {
  readonly terminationGracePeriodSeconds: number
  readonly securityContext: object
  readonly initContainers: ReadonlyArray<Container>
  readonly containers: ReadonlyArray<Container>
}

const pod = (findObject('Deployment') as { readonly spec: { readonly template: { readonly spec: Pod } } }).spec.template.spec
const gateway = pod.containers[0] ?? assert.fail('there is no container')
const variables = (findObject('ConfigMap') as { readonly data: Readonly<Record<string, string>> }).data

describe('The manifest for Kubernetes', () => {
  it("fits Kubernetes' own schema", () => {
    new ServiceAccount(findObject('ServiceAccount') as ServiceAccount).validate()
    new ConfigMap(findObject('ConfigMap') as ConfigMap).validate()
    new Deployment(findObject('Deployment') as Deployment).validate()
    new Service(findObject('Service') as Service).validate()
    new PodDisruptionBudget(findObject('PodDisruptionBudget') as PodDisruptionBudget).validate()
    assert.sameMembers(objects.map(({ kind }) => kind), Object.keys(MODULES))
  })

  it('has no field that Kubernetes does not know, and a misspelt one would be found', () => {
    assert.deepEqual(typeFaults(objects), [])
    const misspelt = JSON.parse(JSON.stringify(objects).replace('"livenessProbe"', '"livenesProbe"')) as typeof objects
    assert.match(typeFaults(misspelt).join(), /livenesProbe/)
  }).timeout(60_000)

  it('asks the addresses for health that the gateway has, of the port on which it listens', async () => {
    const routes = readFileSync(join(ROOT, 'adapters/koa/operations/documents.ts'), 'utf8')
    assert.deepEqual(
      [gateway.startupProbe, gateway.livenessProbe, gateway.readinessProbe].map(({ httpGet }) => httpGet.path),
      ['/health/live', '/health/live', '/health/ready'],
    )
    for (const { httpGet } of [gateway.livenessProbe, gateway.readinessProbe]) assert.include(routes, `'${httpGet.path}'`)
    const ports = Object.fromEntries((gateway.ports ?? []).map(({ name, containerPort }) => [name, String(containerPort)]))
    assert.deepEqual(ports, { http: variables['PORT'] ?? '', metrics: variables['METRICS_PORT'] ?? '' })
  })

  it('gives the gateway only variables that it reads, none of them a secret, and all secrets by reference', () => {
    const config = readConfig({ ...variables, POSTERN_SECRET: 'x'.repeat(32) })
    assert.isTrue(E.isRight(config), JSON.stringify(config))
    const codec = readFileSync(join(ROOT, 'apps/server/config.ts'), 'utf8')
    assert.deepEqual(Object.keys(variables).filter((name) => !codec.includes(`  ${name}: optional(`)), [])
    assert.deepEqual(Object.keys(variables).filter((name) => /SECRET|TOKEN|PASSWORD|DATABASE_URL/.test(name)), [])
    for (const container of [...pod.initContainers, ...pod.containers]) {
      assert.deepEqual(container.envFrom, [{ configMapRef: { name: 'postern' } }, { secretRef: { name: 'postern' } }])
    }
  })

  it('migrates before a new pod serves, and gateways do not migrate themselves', () => {
    assert.deepEqual(pod.initContainers.map(({ command }) => command), [['node', 'dist/apps/cli/main.js', 'migrate']])
    assert.equal(variables['MIGRATE'], 'off')
  })

  it('waits longer for the end of a pod than its pause and the gateway take together', () => {
    const config = readConfig(variables)
    if (E.isLeft(config)) throw new Error(config.left.join())
    const pauseMs = Number(gateway.lifecycle.preStop.exec.command[1]) * 1_000
    assert.isAtLeast(pod.terminationGracePeriodSeconds * 1_000, pauseMs + config.right.http.shutdownTimeoutMs + SHUTDOWN_MARGIN_MS)
  })

  it('runs as no root, on a file system that cannot be written, with limits', () => {
    assert.deepInclude(pod.securityContext, { runAsNonRoot: true, runAsUser: 1000 })
    for (const { securityContext, resources } of [...pod.initContainers, ...pod.containers]) {
      assert.deepEqual(securityContext, { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
      assert.hasAllKeys(resources, ['requests', 'limits'])
    }
  })

  it('names the image of this version', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }
    assert.deepEqual([...pod.initContainers, ...pod.containers].map(({ image }) => image), [`postern:${version}`, `postern:${version}`])
  })
})
