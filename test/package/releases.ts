import { execFile, spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Ended } from '../support/postern.js'

const run = promisify(execFile)

/** The end of a program, also by a signal. */
export type ProgramEnded = Ended & { readonly signal: NodeJS.Signals | null }

/** A release of Node.js, with which programs are run in a folder. */
export type NodeRelease = {
  /** The path of its `node`. */
  readonly node: string
  /** The environment of its programs: its `node` comes first, for npm as well. */
  readonly env: (env?: Readonly<Record<string, string>>) => Record<string, string>
  /** Runs a program to its end. It may end as it likes. */
  readonly run: (
    program: string, args: ReadonlyArray<string>,
    options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>>; readonly input?: string },
  ) => Promise<ProgramEnded>
}

/** Brings a release of Node.js from the registry, such as `22.19.0`, or the newest `24`. Each is a package of npm. */
export const fetchNode = async (release: string, folder: string): Promise<NodeRelease> => {
  const name = `node-${process.platform}-${process.arch}`
  const { stdout } = await run('npm', ['pack', '--silent', `${name}@${release}`, '--pack-destination', folder], { cwd: folder })
  const unpacked = join(folder, `node-${release}`)
  await mkdir(unpacked)
  await run('tar', ['-xzf', join(folder, stdout.trim()), '-C', unpacked, '--strip-components=1'])
  const node = join(unpacked, 'bin/node')
  const env: NodeRelease['env'] = (more = {}) => ({
    ...Object.fromEntries(
      PASSED_ON.flatMap((variable) => (process.env[variable] === undefined ? [] : [[variable, process.env[variable]]])),
    ),
    PATH: [dirname(node), process.env['PATH'] ?? ''].join(delimiter), ...more,
  })
  return {
    node, env,
    run: (program, args, { cwd, env: more, input = '' }) =>
      new Promise((resolve, reject) => {
        const child = spawn(program, args, { cwd, env: env(more), stdio: 'pipe' })
        const output = { stdout: '', stderr: '' }
        child.stdout.on('data', (chunk: Buffer) => { output.stdout += chunk.toString() })
        child.stderr.on('data', (chunk: Buffer) => { output.stderr += chunk.toString() })
        child.once('error', reject)
        // A program that reads no input may end before the input is written.
        child.stdin.on('error', () => undefined)
        child.stdin.end(input)
        child.once('close', (status, signal) => { resolve({ status, signal, ...output }) })
      }),
  }
}

/** Variables of this machine by which npm reaches its registry, where it has any. */
const PASSED_ON = [
  'HOME', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'NODE_EXTRA_CA_CERTS', 'npm_config_registry',
  'npm_config_cache',
]

/** Installs a tarball and packages of the registry into a new folder, with npm under this release, as a user would; gives what npm wrote. */
export const installWith = async (release: NodeRelease, folder: string, packages: ReadonlyArray<string>): Promise<ProgramEnded> => {
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }))
  return release.run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...packages], { cwd: folder })
}

/** The version of a package that is installed in a folder. */
export const versionIn = async (folder: string, name: string): Promise<string> => {
  const { version } = JSON.parse(await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as { readonly version: string }
  return version
}
