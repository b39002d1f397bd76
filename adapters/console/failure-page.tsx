import type { VNode } from 'preact'
import type { Forbidden } from '../../core/access/access.js'
import type { LinkUnusable, TooManyAttempts } from '../../core/access/members.js'
import type { Authenticated } from '../../core/access/sign-in.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import type { TooManyRequests } from '../../core/kernel/limits.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import type { UnknownSender } from '../../core/senders/sender.js'
import type { HtmlAnswer } from './answer.js'
import { Time } from './parts.js'
import { TEXTS } from './texts.js'

const { failure: texts } = TEXTS

/** The cursor in a parameter of an address is not a position in its list. */
export type UnknownCursor = { readonly _tag: 'UnknownCursor'; readonly parameter: string }

/** A filter of an address has a value that does not exist. */
export type UnknownChoice = { readonly _tag: 'UnknownChoice'; readonly parameter: string; readonly given: string; readonly known: string }

/** The failures that have their own page. */
export type PageFailure =
  | Forbidden
  | LinkUnusable
  | TooManyAttempts
  | TooManyRequests
  | PortFailure
  | UnknownChoice
  | UnknownCursor
  | UnknownSender
  | {
      readonly _tag:
        | 'NotFound' | 'UnknownAddress' | 'ForeignForm' | 'TooLarge' | 'TooSlow' | 'Malformed' | 'Overloaded' | 'MethodNotAllowed'
        | 'Defect'
    }

/** The page of a failure: a sentence and the next step, without the cause. */
export const failurePage = (failure: PageFailure, signedIn?: Authenticated): HtmlAnswer => {
  const shared = signedIn !== undefined && { signedIn }
  switch (failure._tag) {
    case 'NotFound': case 'UnknownSender': return { ...page(404, texts.notFound, <p>{texts.notFoundText} <Back /></p>), ...shared }
    case 'Forbidden': return {
      ...page(403, texts.forbidden, <p>{failure.isArchived === true ? texts.archivedText : texts.forbiddenText(failure.act)} <Back /></p>),
      ...shared,
    }
    case 'LinkUnusable':
      return page(404, texts.linkUnusable, <p>{texts.linkUnusableText} <a href="/console/sign-in">{texts.goToSignIn}</a></p>)
    case 'UnknownAddress': return page(409, texts.unknownAddress, <p>{texts.unknownAddressText} <Back /></p>)
    case 'ForeignForm': return page(403, texts.foreignForm, <p>{texts.foreignFormText} <Back /></p>)
    case 'TooLarge': return page(413, texts.tooLarge, <p>{texts.tooLargeText} <Back /></p>)
    case 'TooSlow': return page(408, texts.tooSlow, <p>{texts.tooSlowText} <Back /></p>)
    case 'Overloaded': return {
      ...page(503, texts.overloaded, <p>{texts.overloadedText} <Back /></p>), retryAfterSeconds: OVERLOAD_RETRY_SECONDS,
    }
    case 'Malformed': return page(400, texts.malformed, <p>{texts.malformedText} <Back /></p>)
    case 'UnknownCursor': return page(400, texts.malformed, <p>{texts.unknownCursorText(failure.parameter)} <Back /></p>)
    case 'UnknownChoice':
      return page(400, texts.malformed, <p>{texts.unknownChoiceText(failure.parameter, failure.given, failure.known)} <Back /></p>)
    case 'MethodNotAllowed': return page(405, texts.methodNotAllowed, <p>{texts.methodNotAllowedText} <Back /></p>)
    case 'TooManyAttempts': return tooMany(failure)
    case 'TooManyRequests': return crowded(failure)
    case 'PortFailure': return { ...page(503, texts.unavailable, <p>{texts.unavailableText} <Back /></p>), ...shared, failure }
    case 'Defect': return page(500, texts.defect, <p>{texts.defectText} <Back /></p>)
  }
}

const OVERLOAD_RETRY_SECONDS = 1

const page = (status: number, title: string, content: VNode): HtmlAnswer => ({ _tag: 'Html', status, title, content })

const tooMany = ({ retryAt }: TooManyAttempts): HtmlAnswer => ({
  ...page(429, texts.tooMany, <p>{texts.tooManyText} <Time at={retryAt} />.</p>),
  retryAfterSeconds: Math.max(1, Math.ceil((retryAt - Date.now()) / SECOND_MS)),
})

/** If the person did not cause the limit, the page says that the gateway is busy. */
const crowded = ({ limit, retryAfterSeconds }: TooManyRequests): HtmlAnswer => ({
  ...(limit === 'all'
    ? page(503, texts.overloaded, <p>{texts.crowdedText} <Back /></p>)
    : page(429, texts.tooManyRequests, <p>{texts.tooManyRequestsText} <Back /></p>)),
  retryAfterSeconds,
})

/** The page for a form that was submitted after the session ended. It shows the text that the person wrote, because the browser does not keep it. */
export const signedOutPage = (signIn: string, written: string | undefined): HtmlAnswer => page(401, texts.signedOut, (
  <>
    <p>{texts.signedOutText}</p>
    {written !== undefined && <><p>{texts.written}</p><pre class="secret">{written}</pre></>}
    <p><a class="button" href={signIn}>{TEXTS.signIn.title}</a></p>
  </>
))

const Back = (): VNode => <a href="/console">{texts.back}</a>
