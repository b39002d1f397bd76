import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseYaml } from '@redocly/openapi-core'
import { ROOT } from '../architecture/tree.js'
import { freePort } from '../support/free-port.js'
import { execForm, isIgnored, parseCopy, parseDockerfile, parseEnv, type Stage } from './dockerfile.js'

// Runs the steps of the Dockerfile without a container engine, and then the image's command as the image says. It needs root on Debian, debootstrap, and
// the folder of a Node.js with its headers and npm, which takes the place of the base image's:
//
//   node --import=tsx test/deploy/try-image.ts /usr/local
//
// With MARIADB_PASSWORD it also starts the gateway of compose.yaml; a server on port 3306 must then have its user and database `postern`.
// TRY_IMAGE_BASE is a folder that debootstrap has made before.

/** A stage whose steps were run: the folder that is its root, and what the last steps of it said. */
type Image = {
  readonly root: string
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  readonly user: string
  readonly healthcheck: ReadonlyArray<string>
  readonly command: ReadonlyArray<string>
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const DATA = '/var/lib/postern'
/** Variables of this machine by which the package managers reach their registries, where it has any. */
const PASSED_ON = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'NODE_EXTRA_CA_CERTS', 'npm_config_registry']

const [nodeFolder = '/usr/local'] = process.argv.slice(2)
const scratch = mkdtempSync(join(process.env['TRY_IMAGE_FOLDER'] ?? tmpdir(), 'postern-image-'))
const mounts: string[] = []

const say = (line: string): void => { process.stdout.write(`${line}\n`) }
const run = (program: string, ...words: ReadonlyArray<string>): void => { execFileSync(program, words, { stdio: ['ignore', 'inherit', 'inherit'] }) }
const mount = (target: string, ...words: ReadonlyArray<string>): void => {
  run('mount', ...words, target)
  mounts.unshift(target)
}

/** Debian's smallest system with Node.js and the user `node`, in place of the image `node:…-bookworm-slim`. */
const makeBase = (): string => {
  const base = join(scratch, 'base')
  const kept = process.env['TRY_IMAGE_BASE']
  if (kept === undefined) run('debootstrap', '--variant=minbase', 'bookworm', base)
  else run('cp', '-a', '--reflink=auto', kept, base)
  mkdirSync(join(base, 'usr/local/lib/node_modules'), { recursive: true })
  for (const part of ['bin/node', 'include/node']) run('cp', '-aL', join(nodeFolder, part), join(base, 'usr/local', dirname(part)))
  const npm = [join(nodeFolder, 'lib/node_modules/npm'), '/usr/lib/node_modules/npm', '/usr/share/nodejs/npm'].find((folder) => existsSync(folder))
  if (npm === undefined) throw new Error(`there is no npm in ${nodeFolder}`)
  run('cp', '-a', npm, join(base, 'usr/local/lib/node_modules/npm'))
  run('ln', '-sf', '../lib/node_modules/npm/bin/npm-cli.js', join(base, 'usr/local/bin/npm'))
  run('cp', '-L', '/etc/resolv.conf', join(base, 'etc/resolv.conf'))
  const certificates = process.env['NODE_EXTRA_CA_CERTS']
  if (certificates !== undefined) {
    mkdirSync(dirname(join(base, certificates)), { recursive: true })
    run('cp', '-L', certificates, join(base, certificates))
  }
  run('chroot', base, '/usr/sbin/useradd', '--create-home', '--uid', '1000', 'node')
  return base
}

const environment = (env: Readonly<Record<string, string>>): ReadonlyArray<string> => Object.entries({ PATH, HOME: '/root', ...env }).map(([name, value]) => `${name}=${value}`)

const inRoot = (image: Pick<Image, 'root' | 'env' | 'folder'>, script: string): void => {
  const passedOn = Object.fromEntries(PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] ?? '']])))
  run('chroot', image.root, '/usr/bin/env', '-i', ...environment({ ...passedOn, ...image.env }), '/bin/sh', '-c', `cd '${image.folder}' && ${script}`)
}

/** Copies what `.dockerignore` does not leave out. */
const copyContext = (source: string, target: string): void => {
  const rules = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
  const copied = (path: string): boolean => !isIgnored(rules, path)
  if (!copied(source)) throw new Error(`.dockerignore leaves ${source} out`)
  cpSync(join(ROOT, source), target, { recursive: true, filter: (path) => copied(path.slice(ROOT.length).replace(/^\//, '')) })
}

/** Runs the steps of a stage on a copy of the base. */
const build = ({ instructions }: Stage, name: string, base: string, stages: ReadonlyMap<string, Image>): Image => {
  const root = join(scratch, name)
  run('cp', '-a', '--reflink=auto', base, root)
  mount(join(root, 'proc'), '--bind', '/proc')
  mount(join(root, 'dev'), '--bind', '/dev')
  let image: Image = { root, env: {}, folder: '/', user: 'root', healthcheck: [], command: [] }
  for (const { name: instruction, rest } of instructions) {
    say(`${name}: ${instruction} ${rest}`)
    if (instruction === 'ENV') image = { ...image, env: { ...image.env, ...parseEnv(rest) } }
    if (instruction === 'USER') image = { ...image, user: rest }
    if (instruction === 'CMD') image = { ...image, command: execForm(rest) ?? [] }
    if (instruction === 'HEALTHCHECK') image = { ...image, healthcheck: execForm(rest) ?? [] }
    if (instruction === 'RUN') inRoot(image, rest)
    if (instruction === 'WORKDIR') {
      image = { ...image, folder: rest }
      mkdirSync(join(root, rest), { recursive: true })
    }
    if (instruction === 'COPY') copy(image, rest, stages)
  }
  return image
}

const copy = (image: Image, rest: string, stages: ReadonlyMap<string, Image>): void => {
  const { stage, sources, target } = parseCopy(rest)
  const from = stage === undefined ? undefined : stages.get(stage)
  if (stage !== undefined && from === undefined) throw new Error(`there is no stage ${stage}`)
  const folder = join(image.root, resolve(image.folder, target))
  for (const source of sources) {
    // Into a folder that ends with a slash a file is copied with its name; the contents of a folder take the place of the target.
    const path = target.endsWith('/') ? join(folder, source.split('/').at(-1) ?? '') : folder
    mkdirSync(dirname(path), { recursive: true })
    if (from === undefined) copyContext(source, path)
    else cpSync(join(from.root, source), path, { recursive: true, verbatimSymlinks: true })
  }
}

/** The id of the only child of a process. */
const childOf = async (pid: number): Promise<number> => {
  for (let tries = 0; tries < 100; tries += 1) {
    const child = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])
    if (child > 0) return child
    await delay(50)
  }
  throw new Error('the command did not start')
}

/** What is started in the image, with which variables, and where its health check finds it. */
type Trial = { readonly name: string; readonly image: Image; readonly command: ReadonlyArray<string>; readonly env: Readonly<Record<string, string>>; readonly isChecked: boolean }

const words = ({ image, env }: Trial, command: ReadonlyArray<string>): ReadonlyArray<string> =>
  [`--userspec=${image.user}`, image.root, '/usr/bin/env', '-C', image.folder, '-i', ...environment({ ...image.env, ...env }), ...command]

const runsIn = (trial: Trial, ...command: ReadonlyArray<string>): boolean => {
  try {
    execFileSync('chroot', words(trial, command), { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** From now on only /tmp and the volume of an image can be written. */
const close = (image: Image): void => {
  for (const folder of ['proc', 'dev']) run('umount', join(image.root, folder))
  mount(image.root, '--bind', image.root)
  mount(join(image.root, 'dev'), '--bind', '/dev')
  mount(join(image.root, 'tmp'), '-t', 'tmpfs', '-o', 'mode=1777', 'tmpfs')
  mount(join(image.root, DATA), '-t', 'tmpfs', '-o', 'uid=1000,gid=1000,mode=750', 'tmpfs')
  run('mount', '-o', 'remount,ro,bind', image.root)
}

/** Starts a command as the first process of its own tree, as the image's user, and ends it with SIGTERM. */
const tryCommand = async (trial: Trial): Promise<void> => {
  const { name, image, command, isChecked } = trial
  const parent = spawn('unshare', ['--pid', '--fork', '--mount', `--mount-proc=${join(image.root, 'proc')}`, 'chroot', ...words(trial, command)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let log = ''
  parent.stdout.on('data', (chunk: Buffer) => { log += chunk.toString() })
  const ended = new Promise<number | null>((done) => { parent.on('exit', (code) => { done(code) }) })
  const pid = await childOf(parent.pid ?? 0)
  const isUp = (): boolean => (isChecked ? runsIn(trial, ...image.healthcheck) : log.includes('http://'))
  for (let tries = 0; !isUp(); tries += 1) {
    if (tries > 120 || parent.exitCode !== null) throw new Error(`${name} does not start: ${log}`)
    await delay(500)
  }
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  say(`${name} is up; ${/^NSpid:.*$/m.exec(status)?.[0] ?? ''}, ${/^Uid:.*$/m.exec(status)?.[0] ?? ''}`)
  if (runsIn(trial, 'touch', `${image.folder}/written`)) throw new Error('the file system can be written')
  if (isChecked && !runsIn(trial, 'postern', 'workspace', 'create', 'trial')) throw new Error('postern cannot be run beside it')
  process.kill(pid, 'SIGTERM')
  const code = await ended
  say(`${name} after SIGTERM: status ${code ?? 'none'}; the last line of its log: ${log.trim().split('\n').at(-1) ?? ''}`)
  if (code !== 0) throw new Error(log)
  if (isChecked && runsIn(trial, ...image.healthcheck)) throw new Error('the health check succeeds without a gateway')
}

type Service = { readonly environment?: Readonly<Record<string, string>>; readonly command?: ReadonlyArray<string> }

/** A text of compose.yaml with the variables of this process in place of those of .env; one that is not set is the text `trial-` and its name. */
const filled = (text: string): string => text.replaceAll(/\$\{(\w+):([?-])([^}]*)\}/g, (_, variable: string, kind: string, value: string) =>
  process.env[variable] ?? (kind === '-' ? value : variable.endsWith('_URL') ? 'https://postern.test' : `trial-${variable}-that-is-long-enough`))

/** A service of compose.yaml. As compose does, it is parsed before variables are put in. */
const serviceOf = (name: string): Service => {
  const { services } = parseYaml(readFileSync(join(ROOT, 'compose.yaml'), 'utf8')) as { readonly services: Readonly<Record<string, Service>> }
  const { environment = {}, ...rest } = services[name] ?? {}
  return { ...rest, environment: Object.fromEntries(Object.entries(environment).map(([variable, value]) => [variable, filled(value)])) }
}

/** The command of the image with SQLite, the simulator of compose, and with a password of MariaDB the gateway of compose. */
const trialsOf = async (image: Image): Promise<ReadonlyArray<Trial>> => {
  const [simulator, gateway] = [serviceOf('simulator'), serviceOf('gateway')]
  const port = async (): Promise<string> => String(await freePort())
  return [
    { name: 'the image', image, command: image.command, env: { PORT: await port(), POSTERN_SECRET: 'a-secret-of-a-trial-that-is-long-enough' }, isChecked: true },
    { name: 'the simulator', image, command: [...simulator.command ?? [], '--port', await port()], env: simulator.environment ?? {}, isChecked: false },
    ...(process.env['MARIADB_PASSWORD'] === undefined ? [] : [
      { name: 'the gateway of compose', image, command: image.command, env: { ...gateway.environment, PORT: await port(), METRICS_PORT: await port() }, isChecked: true },
    ]),
  ]
}

try {
  const base = makeBase()
  const stages = new Map<string, Image>()
  for (const [index, stage] of parseDockerfile(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')).entries()) {
    stages.set(stage.name ?? String(index), build(stage, stage.name ?? String(index), base, stages))
  }
  const image = Array.from(stages.values()).at(-1)
  if (image === undefined) throw new Error('the Dockerfile has no stage')
  const modules = readdirSync(join(image.root, image.folder, 'node_modules'))
  say(`packages in the image: ${modules.length}; of development: ${modules.filter((name) => ['typescript', 'mocha', 'eslint'].includes(name)).join() || 'none'}`)
  run('du', '-sh', join(image.root, image.folder))
  // As the network of compose does, but on this machine.
  appendFileSync(join(image.root, 'etc/hosts'), '127.0.0.1 database gateway simulator\n')
  close(image)
  const trials = await trialsOf(image)
  for (const trial of trials) await tryCommand(trial)
  say(`${trials.length} commands tried`)
} finally {
  for (const target of mounts) try { execFileSync('umount', ['-R', target], { stdio: 'ignore' }) } catch { /* It was unmounted before. */ }
  rmSync(scratch, { recursive: true, force: true })
}
