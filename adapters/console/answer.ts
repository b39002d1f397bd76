import type { Either } from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import type { Watcher } from '../../core/access/member-use-cases.js'
import type { Token } from '../../core/access/members.js'
import type { Authenticated } from '../../core/access/sign-in.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import type { Workspace } from '../../core/kernel/workspace.js'
import type { Language } from './language.js'
import type { Entry } from './navigation.js'

/** What a page answers with. */
export type Answer = HtmlAnswer | RedirectAnswer | CsvAnswer | LiveAnswer | ProgressAnswer

/** A page. */
export type HtmlAnswer = {
  readonly _tag: 'Html'
  /** 200 by default. */
  readonly status?: number
  readonly title: string
  readonly content: VNode
  /** Who sees it, if she is signed in: the page then has its navigation. */
  readonly signedIn?: Authenticated
  /** The workspace that the page belongs to: the page then has the navigation of the workspace. */
  readonly workspace?: Workspace
  /** Where a page of a workspace leads first, if the person may do that. */
  readonly firstAct?: Entry
  /** The address of the page, which the navigation marks as the one that is shown. */
  readonly path?: string
  /** For the reply to a form: the address that the browser's history has for it, so that going back to it or reloading it sends nothing again. */
  readonly historyAddress?: string
  /** What was searched for, which the field of the search shows. */
  readonly sought?: string
  readonly retryAfterSeconds?: number
  /** The time zone of the page, if it is not that of the person, such as of a statement. */
  readonly zone?: 'UTC'
  /** What failed, for the log. */
  readonly failure?: PortFailure
  /** HTML of our own, sealed since, of what came of a form. */
  readonly said?: string
}

/** Another page to go to, by GET. It is one of the console's own. */
export type RedirectAnswer = {
  readonly _tag: 'Redirect'
  readonly to: ConsolePath
  /** A new session, or the end of the one in the cookie. */
  readonly session?: Token | 'ended'
  /** The language that the person chose, which the browser keeps; `browser` gives the choice back to the browser. */
  readonly language?: Language | 'browser'
  /** The time zone that the person chose, which the browser keeps; `browser` gives the choice back to the browser. */
  readonly zone?: string
  /** What the browser keeps, so that it is known at the next sign-in. */
  readonly device?: string
  /** What came of a form, which the other page says once. */
  readonly said?: VNode
}

/**
 * The live part of a page, sent again whenever it has changed. All browsers that watch the same `key` share one reading, so it must not show anything that
 * depends on who looks. The key has everything that the reading depends on, as the server understood it: were it a part of the address, one who forges an address
 * would decide what all others see.
 */
export type LiveAnswer = {
  readonly _tag: 'Live'
  /** Who watches, and with which rights: the stream ends when they change. */
  readonly watcher: Watcher
  readonly key: string
  readonly read: () => Promise<Either<PortFailure, VNode>>
  /** How long after one reading the next one is made, in milliseconds; a second by default. */
  readonly everyMs?: number
}

/** A page that is sent while something long goes on, part by part, so that it needs no script. */
export type ProgressAnswer = {
  readonly _tag: 'Progress'
  /** The page; what `run` shows stands at its end. */
  readonly page: HtmlAnswer
  /** Resolves with the page whose content is the last part. `isStopped` is true once the browser has gone to another page or was closed. */
  readonly run: (show: (part: VNode) => void, isStopped: () => boolean) => Promise<HtmlAnswer>
}

/** A file to download, whose text comes in parts. */
export type CsvAnswer = { readonly _tag: 'Csv'; readonly name: string; readonly parts: AsyncIterable<string> }

/** An address of the console: never one of another site. */
export type ConsolePath = '/console' | `/console/${string}`

export const redirect = (to: ConsolePath, session?: Token | 'ended'): RedirectAnswer => ({ _tag: 'Redirect', to, ...(session !== undefined && { session }) })

/** Another page to go to, which says once what came of a form. To reload it sends nothing again. */
export const redirectSaying = (to: ConsolePath, said: VNode): RedirectAnswer => ({ _tag: 'Redirect', to, said })
