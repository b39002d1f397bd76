import type { Sender } from './ports/senders.js'

/**
 * The business account whose templates and notices the workspace of a sender may see; `undefined` where the sender names none, and where its token may not
 * read the one that it names. What is kept of an account was read with the tokens of all workspaces that send through it.
 */
export const readableAccount = (sender: Sender | undefined): string | undefined =>
  sender?.accountRefusedSince === undefined ? sender?.businessAccountId : undefined
