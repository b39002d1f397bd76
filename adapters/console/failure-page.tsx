import type { VNode } from 'preact'
import type { Forbidden, LinkUnusable, PortFailure, TooManyAttempts } from '../../core/errors.js'
import { SECOND_MS } from '../../core/time.js'
import type { Authenticated } from '../../core/use-cases/member-commands.js'
import type { HtmlAnswer } from './answer.js'
import { Moment } from './parts.js'

/** What a page of its own tells of. */
export type PageFailure = Forbidden | LinkUnusable | TooManyAttempts | PortFailure | { readonly _tag: 'NotFound' | 'ForeignForm' | 'TooLarge' | 'Malformed' | 'MethodNotAllowed' | 'Defect' }

/** The page of a failure: a sentence and what to do next, and nothing of its cause. */
export const failurePage = (failure: PageFailure, signedIn?: Authenticated): HtmlAnswer => {
  const shared = signedIn !== undefined && { signedIn }
  switch (failure._tag) {
    case 'NotFound': return { ...page(404, 'Not found', <p>There is no such page. <Back /></p>), ...shared }
    case 'Forbidden': return { ...page(403, 'Not allowed', <p>Your role does not allow this ({failure.act}). An owner of the workspace or an operator can change your role. <Back /></p>), ...shared }
    case 'LinkUnusable': return page(404, 'This link does not work', <p>It was used, has expired, or is not complete. Ask for another one, or <a href="/console/sign-in">sign in</a>.</p>)
    case 'ForeignForm': return page(403, 'Not sent from here', <p>The form was not sent by a page of this console, so nothing was done. Open <a href="/console">the console</a> and try again.</p>)
    case 'TooLarge': return page(413, 'Too large', <p>The form is too large. <Back /></p>)
    case 'Malformed': return page(400, 'Not understood', <p>The form is not complete. <Back /></p>)
    case 'MethodNotAllowed': return page(405, 'Not possible here', <p>This page takes no such request. <Back /></p>)
    case 'TooManyAttempts': return tooMany(failure)
    case 'PortFailure': return { ...page(503, 'Not available', <p>Postern cannot do this at the moment. Try again in a minute. <Back /></p>), ...shared, failure }
    case 'Defect': return page(500, 'Something went wrong', <p>The operator can see in the log what happened. <Back /></p>)
  }
}

const page = (status: number, title: string, content: VNode): HtmlAnswer => ({ _tag: 'Html', status, title, content })

const tooMany = ({ retryAt }: TooManyAttempts): HtmlAnswer => ({
  ...page(429, 'Too many attempts', <p>There were too many attempts to sign in. Try again after <Moment at={retryAt} />.</p>),
  retryAfterSeconds: Math.max(1, Math.ceil((retryAt - Date.now()) / SECOND_MS)),
})

const Back = (): VNode => <a href="/console">Go to the console.</a>
