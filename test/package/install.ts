import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../architecture/tree.js'
import { compiled } from '../support/compiled.js'
import { writeDeclarations } from './declarations.js'

/** The result of a program. */
export type Outcome = { readonly status: number; readonly stdout: string; readonly stderr: string }

/** The report of `npm pack`; sizes in bytes. */
export type Packed = {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: ReadonlyArray<{ readonly path: string }>
}

/** The package, packed, and installed into an otherwise empty folder. */
export type Installed = {
  readonly tarball: string
  readonly packed: Packed
  /** The folder of the app that has it installed. */
  readonly app: string
  /** Links packages of this repository into the app, in place of `npm install`. */
  readonly add: (...packages: ReadonlyArray<string>) => Promise<void>
  readonly remove: (...packages: ReadonlyArray<string>) => Promise<void>
  /** Runs a program with plain Node in the app's folder. */
  readonly node: (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) => Promise<Outcome>
  /** Removes the folder and all that is in it. */
  readonly dispose: () => Promise<void>
}

/** The entries of the package, as an app imports them. */
export const ENTRIES: ReadonlyArray<string> =
  Object.keys((JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly exports: object }).exports)
    .map((path) => path.replace('.', 'postern'))

const run = promisify(execFile)

const environment = (env: Readonly<Record<string, string>> = {}): Record<string, string> =>
  ({ PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env })

/**
 * Packs the package and installs it without a registry: tests talk to loopback only.
 *
 * The tarball is unpacked, and the packages that the lock file puts beside it are copied, not linked. Through a link
 * Node would find this repository's development packages, and a missing dependency would not be noticed.
 */
export const install = async (): Promise<Installed> => {
  const scratch = await realpath(await mkdtemp(join(folderWithoutPackages(), 'postern-package-')))
  const packed = await pack(scratch)
  const tarball = join(scratch, packed.filename)
  const app = join(scratch, 'app')
  const modules = join(app, 'node_modules')
  await mkdir(join(modules, 'postern'), { recursive: true })
  await writeFile(join(app, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }))
  await run('tar', ['-xzf', tarball, '-C', join(modules, 'postern'), '--strip-components=1'])
  await mkdir(join(modules, '.bin'))
  await symlink('../postern/dist/apps/cli/main.js', join(modules, '.bin/postern'))
  await Promise.all((await dependencyFolders()).map((path) => cp(join(ROOT, path), join(app, path), { recursive: true })))
  return {
    tarball, packed, app,
    add: async (...packages) => {
      for (const name of packages) {
        const target = join(modules, name)
        await rm(target, { recursive: true, force: true })
        await mkdir(dirname(target), { recursive: true })
        await symlink(join(ROOT, 'node_modules', name), target, 'dir')
      }
    },
    remove: async (...packages) => {
      for (const name of packages) await rm(join(modules, name), { recursive: true, force: true })
    },
    node: async (args, env) => {
      const outcome = await run(process.execPath, [...args], { cwd: app, env: environment(env), maxBuffer: 2 ** 26 })
        .catch((error: unknown) => error)
      const { code = 0, stdout = '', stderr = '' } = outcome as {
        readonly code?: number
        readonly stdout?: string
        readonly stderr?: string
      }
      return { status: code, stdout, stderr }
    },
    dispose: () => rm(scratch, { recursive: true, force: true }),
  }
}

/** Packs the compiled package into a folder. */
export const pack = async (folder: string): Promise<Packed> => {
  compiled('core/index.js')
  await writeDeclarations()
  const { stdout } = await run(
    'npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], { cwd: ROOT, env: environment() },
  )
  const [packed] = JSON.parse(stdout) as readonly [Packed]
  return packed
}

/** A folder for temporary files with no packages in the folders above it, because Node would find those too. */
const folderWithoutPackages = (): string => {
  const sees = (folder: string): boolean =>
    existsSync(join(folder, 'node_modules')) || (dirname(folder) !== folder && sees(dirname(folder)))
  const folder = [tmpdir(), '/var/tmp', homedir()].find((path) => existsSync(path) && !sees(path))
  if (folder === undefined) throw new Error(`there are packages in or above ${tmpdir()}; set TMPDIR to a folder where there are none`)
  return folder
}

type Locked = { readonly dev?: boolean; readonly devOptional?: boolean }

/** The folders of the package's dependencies, without development packages and optional peers. */
export const dependencyFolders = async (): Promise<ReadonlyArray<string>> => {
  const lock = JSON.parse(
    await readFile(join(ROOT, 'package-lock.json'), 'utf8'),
  ) as { readonly packages: Readonly<Record<string, Locked>> }
  return Object.entries(lock.packages)
    .filter(([path, { dev, devOptional }]) =>
      path !== '' && dev !== true && devOptional !== true && path.lastIndexOf('node_modules/') === 0)
    .map(([path]) => path)
}
