import { userInfo } from 'node:os'
import type { Actor } from '../../core/kernel/actor.js'

/** The command line as the actor of what it does, with the account of the operating system where that is known. */
export const commandLine = (): Actor => {
  const user = userName()
  return { principal: { _tag: 'CommandLine', ...(user !== undefined && { user }) } }
}

/** A process in a container may run under a number that has no account. */
const userName = (): string | undefined => {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}
