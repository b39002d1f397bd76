import { closeSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Only the gateway's user may read and write the file, because it contains phone numbers. SQLite gives its log files the same mode. */
const MODE = 0o600

/** The database file, or its folder, does not exist. */
export class FileMissing extends Error {}

/** The path that names a database in memory instead of a file. */
export const IN_MEMORY = ':memory:'

/** The path in a URL `sqlite:PATH`; `sqlite:///PATH` names the same file. */
export const sqlitePath = (url: string): string => url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '')

/** Checks that a database file exists, and creates an empty one only if `create` is set. SQLite itself would always create it. */
export const prepareFile = (path: string, create: boolean): void => {
  if (path === IN_MEMORY || exists(path)) return
  const folder = dirname(path)
  if (!exists(folder)) throw new FileMissing(`the folder ${folder} of the database file does not exist`)
  if (!create) throw new FileMissing(`there is no database file ${path}`)
  closeSync(openSync(path, 'a', MODE))
}

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined
