import { lstatSync, mkdirSync, type Stats, statSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const OF_OWNER = 0o700
const OF_OTHERS = 0o077
const WRITABLE_BY_OTHERS = 0o022
/** In a folder with this bit, only the owner of a file may rename or remove it. */
const STICKY = 0o1000
const ROOT = 0

/**
 * Lets Node.js keep the compiled code of the modules, so that the next process does not compile them again.
 *
 * The folder contains code that will run, so only this user may write to it. Without such a folder nothing is kept. `NODE_COMPILE_CACHE` names another folder, which Node.js
 * has opened already, and `NODE_DISABLE_COMPILE_CACHE` turns it off.
 */
export const keepCompiledCode = (parent = tmpdir()): void => {
  if (nodeModule.getCompileCacheDir() !== undefined) return
  const folder = ownFolder(parent, process.getuid?.())
  if (folder !== undefined) nodeModule.enableCompileCache(folder)
}

/** The user's folder for compiled code in a folder that other users may share; `undefined` if it cannot be created, or if another user could write to it. */
export const ownFolder = (parent: string, user: number | undefined): string | undefined => {
  // Windows has no user ids; there, each user has a separate folder for temporary files.
  if (user === undefined) return join(parent, 'postern-compiled')
  const folder = join(parent, `postern-compiled-${user}`)
  try {
    if (!isSafeParent(statSync(parent), user)) return undefined
    mkdirSync(folder, { recursive: true, mode: OF_OWNER })
    return isOwn(lstatSync(folder), user) ? folder : undefined
  } catch {
    return undefined
  }
}

/** Whether no other user can replace the folders of this user in it. */
const isSafeParent = ({ uid, mode }: Stats, user: number): boolean =>
  (uid === user || uid === ROOT) && ((mode & WRITABLE_BY_OTHERS) === 0 || (mode & STICKY) !== 0)

/** A symbolic link is not a folder here, because it may lead to a folder of another user. */
const isOwn = (folder: Stats, user: number): boolean => folder.isDirectory() && folder.uid === user && (folder.mode & OF_OTHERS) === 0
