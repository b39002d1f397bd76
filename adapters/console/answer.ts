import type { Either } from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import type { Watcher } from '../../core/access/member-use-cases.js'
import type { Token } from '../../core/access/members.js'
import type { Authenticated } from '../../core/access/sign-in.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import type { UnknownSender } from '../../core/senders/sender.js'
import type { Workspace } from '../../core/kernel/workspace.js'
import type { Language } from '../../core/kernel/language.js'
import type { Entry } from './navigation.js'

/** The answer of a page. */
export type Answer = HtmlAnswer | RedirectAnswer | CsvAnswer | LiveAnswer | ProgressAnswer | PartAnswer

/** A page. */
export type HtmlAnswer = {
  readonly _tag: 'Html'
  /** 200 by default. */
  readonly status?: number
  readonly title: string
  readonly content: VNode
  /** The signed-in person who sees the page; if present, the page has their navigation. */
  readonly signedIn?: Authenticated
  /** The workspace that the page belongs to; if present, the page has the navigation of the workspace. */
  readonly workspace?: Workspace
  /** The main action of a page of a workspace, shown if the person may do it. */
  readonly firstAct?: Entry
  /** The rare actions of the page, in a menu next to the main one. */
  readonly rareActs?: { readonly content: VNode; readonly isOpen?: boolean }
  /** The address of the page, which the navigation marks as the current one. */
  readonly path?: string
  /** For the reply to a form: the address for the browser's history, so that going back to it or reloading it submits nothing again. */
  readonly historyAddress?: string
  /** The search text, which the search field shows. */
  readonly sought?: string
  readonly retryAfterSeconds?: number
  /** The time zone of the page, if it differs from the person's, for example for a statement. */
  readonly zone?: 'UTC'
  /** The failure, for the log. */
  readonly failure?: PortFailure
  /** The result of a form, as HTML of our own; it was encrypted and authenticated in between. */
  readonly flash?: string
}

/** A redirect to another page of the console, by GET. */
export type RedirectAnswer = {
  readonly _tag: 'Redirect'
  readonly to: ConsolePath
  /** A new session, or the end of the current one. */
  readonly session?: Token | 'ended'
  /** The language that the person chose, which the browser keeps; `browser` removes the choice, so the browser's language applies. */
  readonly language?: Language | 'browser'
  /** The time zone that the person chose, which the browser keeps; `browser` removes the choice, so the browser's zone applies. */
  readonly zone?: string
  /** A token that the browser keeps, so that the gateway recognises it at the next sign-in. */
  readonly device?: string
  /** The result of a form, which the other page shows once. */
  readonly flash?: VNode
}

/**
 * The live part of a page, sent again whenever it has changed. All browsers that watch the same `key` share one reading, so it must not show anything that
 * depends on the person who looks. The key contains everything that the reading depends on, as the server parsed it. If the key contained a part of the address,
 * a forged address would decide what all others see.
 */
export type LiveAnswer = {
  readonly _tag: 'Live'
  /** The person who watches and their rights: the stream ends when the rights change. */
  readonly watcher: Watcher
  readonly key: string
  readonly read: () => Promise<Either<UnknownSender | PortFailure, VNode>>
  /** The pause between two readings, in milliseconds; a second by default. */
  readonly everyMs?: number
}

/** A page that is sent part by part during a long operation, so that it needs no script. */
export type ProgressAnswer = {
  readonly _tag: 'Progress'
  /** The page; the parts that `run` shows are at its end. */
  readonly page: HtmlAnswer
  /** Resolves with the page whose content is the last part. `isStopped` returns true once the browser has left the page or was closed. */
  readonly run: (show: (part: VNode) => void, isStopped: () => boolean) => Promise<HtmlAnswer>
}

/** A part of a page that the script asks for. `content` gets the addresses of all existing pages. */
export type PartAnswer = { readonly _tag: 'Part'; readonly content: (patterns: ReadonlySet<string>) => VNode }

/** A file to download, whose text is sent in parts. */
export type CsvAnswer = { readonly _tag: 'Csv'; readonly name: string; readonly parts: AsyncIterable<string> }

/** An address of the console: never one of another site. */
export type ConsolePath = '/console' | `/console/${string}`

export const redirect = (to: ConsolePath, session?: Token | 'ended'): RedirectAnswer =>
  ({ _tag: 'Redirect', to, ...(session !== undefined && { session }) })

/** Redirects to another page, which shows the result of a form once. Reloading that page submits nothing again. */
export const redirectWithFlash = (to: ConsolePath, flash: VNode): RedirectAnswer => ({ _tag: 'Redirect', to, flash })
