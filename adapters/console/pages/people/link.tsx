import * as E from 'fp-ts/lib/Either.js'
import type { LinkPurpose } from '../../../../core/access/members.js'
import { type HtmlAnswer, redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { type Page, type PageDeps, publicRoute } from '../../page.js'
import { Field, Problem } from '../../parts.js'
import { TEXTS } from '../../texts.js'

const { link: texts } = TEXTS

/** The page of a link that signs in once. Only its button consumes the link, because mail programs open links to preview them. */
export const linkPages = ({ members }: PageDeps): ReadonlyArray<Page> => [{
  path: '/console/link/:token',
  get: publicRoute(async ({ params: { token = '' }, path }) => {
    const purpose = await members.peekLink({ token })
    return E.isRight(purpose) ? linkPage(purpose.right, path) : failurePage(purpose.left)
  }),
  post: publicRoute(async ({ params: { token = '' }, form: { email }, place, path }) => {
    const signedIn = await members.takeLink({ token, email, ...place })
    if (E.isRight(signedIn)) return redirect(signedIn.right.hasPassword ? '/console' : '/console/password', signedIn.right.token)
    return signedIn.left._tag === 'InvalidEmail'
      ? linkPage({ _tag: 'FirstOperator' }, path, texts.badEmail, email)
      : failurePage(signedIn.left)
  }),
}]

const linkPage = (purpose: LinkPurpose, path: string, problem?: string, email?: string): HtmlAnswer => ({
  _tag: 'Html',
  status: problem === undefined ? 200 : 422,
  title: purpose._tag === 'FirstOperator' ? texts.titleOfFirst : texts.title,
  content: (
    <>
      <Problem sentence={problem} />
      {purpose._tag === 'FirstOperator'
        ? <p>{texts.first}</p>
        : <p>{texts.signsInAs} <strong>{purpose.email}</strong>.</p>}
      <form method="post" action={path}>
        {purpose._tag === 'FirstOperator' && <Field id="email" label={texts.email} type="email" autocomplete="email" value={email} />}
        <button>{texts.doSignIn}</button>
      </form>
    </>
  ),
})
