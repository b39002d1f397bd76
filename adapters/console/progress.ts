import { PassThrough } from 'node:stream'
import type { VNode } from 'preact'
import { render } from 'preact-render-to-string'
import type { PortFailure } from '../../core/kernel/failure.js'
import type { HtmlAnswer, ProgressAnswer } from './answer.js'
import { failurePage } from './failure-page.js'
import { renderHalves } from './layout.js'

/** Called for events that the last part does not show. */
export type ProgressHooks = { readonly onFailure: (failure: PortFailure) => void; readonly onDefect: (cause: unknown) => void }

/** The text of a page that is sent during its operation. */
export const progressBody = ({ page, run }: ProgressAnswer, patterns: ReadonlySet<string>, isStopped: () => boolean, hooks: ProgressHooks): PassThrough => {
  const [begin, end] = renderHalves(page, patterns)
  const body = new PassThrough()
  body.write(begin)
  const finish = ({ content, failure }: HtmlAnswer): void => {
    if (failure !== undefined) hooks.onFailure(failure)
    if (!body.destroyed) body.end(render(content) + end)
  }
  const show = (part: VNode): void => {
    if (!body.destroyed) body.write(render(part))
  }
  run(show, isStopped).then(finish, (cause: unknown) => {
    hooks.onDefect(cause)
    finish(failurePage({ _tag: 'Defect' }))
  })
  return body
}
