import * as E from 'fp-ts/lib/Either.js'
import type { FirstLink } from '../../core/access/links.js'
import { FIRST_LINK_MS, type Token } from '../../core/access/members.js'
import { MINUTE_MS } from '../../core/kernel/time.js'

/** What printing the link for the first operator needs. */
export type PrintFirstLinkDeps = {
  readonly firstLink: FirstLink
  /** The address at which people reach the gateway, such as `https://postern.example.com`. */
  readonly publicUrl: string
  /** Writes a line to the terminal. It must not be the log, which others may read: a person who has the link becomes an operator. */
  readonly print: (line: string) => void
}

/** The address of a link. Opening it uses nothing up; the button on its page does. */
export const linkUrl = (publicUrl: string, token: Token): string => `${publicUrl.replace(/\/+$/, '')}/console/link/${token}`

/** Prints a link that makes the first operator, if there is none yet. Rejects with the cause if the storage fails. */
export const printFirstLink = async ({ firstLink, publicUrl, print }: PrintFirstLinkDeps): Promise<void> => {
  const link = await firstLink()()
  if (E.isLeft(link)) throw link.left.cause
  if (link.right === undefined) return
  print(`There is no operator yet. This link makes one, within ${FIRST_LINK_MS / MINUTE_MS} minutes and once:`)
  print(linkUrl(publicUrl, link.right.token))
}
