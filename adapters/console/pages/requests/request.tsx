import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { VNode } from 'preact'
import { explainCode } from '../../../../core/explanations/explain.js'
import type { LoggedRequest } from '../../../../core/requests/request-log.js'
import type { Answer } from '../../answer.js'
import { type ApiCall, Command, jsonOptions } from '../../command.js'
import { failurePage } from '../../failure-page.js'
import { type InWorkspace, workspacePage } from '../../page.js'
import { English, Facts, Id, Panel, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { messagesPath } from '../messages/message-table.js'
import { KeyName, keyNames, requestsPath, shortCode, Status, writtenDuration } from './request-parts.js'
import type { RequestsSection } from './requests-section.js'

const { requests: texts } = TEXTS

/** The page of one request: its response, the meaning of the refusal and how to fix it, and the request as a command. */
export const requestPage = async (section: RequestsSection, page: InWorkspace): Promise<Answer> => {
  const { request: { params: { request: id = '' }, origin }, signedIn, workspace } = page
  const [found, names] = await Promise.all([section.findRequest(workspace.id, id), keyNames(section, page)])
  if (E.isLeft(found)) return failurePage(found.left, signedIn)
  if (E.isLeft(names)) return failurePage(names.left, signedIn)
  if (O.isNone(found.right)) return failurePage({ _tag: 'NotFound' }, signedIn)
  const path = requestsPath(workspace.id)
  return workspacePage(page, {
    title: texts.one, path, content: <Request of={found.right.value} names={names.right} list={path} origin={origin} />,
  })
}

const Request = ({ of, names, list, origin }: {
  readonly of: LoggedRequest; readonly names: ReadonlyMap<string, string>; readonly list: string; readonly origin: string | undefined
}): VNode => (
  <>
    <p><a href={list}>{texts.list}</a></p>
    <Facts facts={[
      [texts.call, <code>{of.method} {of.route}</code>],
      [texts.status, <><Status of={of.status} />{of.code !== undefined && <> <English>{shortCode(of.code)}</English></>}</>],
      [texts.at, <Time at={of.at} as="second" />], [texts.duration, writtenDuration(of.durationMs)],
      [texts.key, <KeyName of={of.key} names={names} />], [texts.id, <Id of={of.requestId} isWhole />],
      ...(of.message === undefined ? [] : [[texts.message, <Id of={of.message} href={`${messagesPath(of.workspace)}/${of.message}`} />] as const]),
    ]} />
    {of.code === undefined ? <p>{texts.answered}</p> : <Meaning code={of.code} />}
    <h2>{texts.again}</h2>
    <p class="hint">{texts.againHint}{hasBody(of) && ` ${texts.bodyHint}`}{of.route.includes('{') && ` ${texts.nameHint}`}</p>
    {origin === undefined && <p class="hint">{TEXTS.send.noAddress}</p>}
    <Command call={callOf(of)} origin={origin} label={texts.command} />
  </>
)

/** The meaning of a refusal, its causes and how to fix it: the same as its page in the API, to which this links. */
const Meaning = ({ code }: { readonly code: string }): VNode | null => {
  const explained = O.toUndefined(explainCode(code))
  return explained === undefined ? null : (
    <Panel id="meaning" title={<English>{explained.title}</English>}>
      <dl class="said">
        {explained.sections.map(({ heading, text }) => (
          <div key={heading}><dt><English>{heading}</English></dt><dd><English><Inline text={text} /></English></dd></div>
        ))}
      </dl>
      <p><a href={`/errors/${code}`}>{texts.whole}</a></p>
    </Panel>
  )
}

/** A sentence with code in backticks. */
const Inline = ({ text }: { readonly text: string }): VNode => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
)

const hasBody = ({ method }: Pick<LoggedRequest, 'method'>): boolean => method === 'POST' || method === 'PATCH' || method === 'PUT'

/** An id or number in the address is replaced by a shell variable, because its value is not kept. */
const callOf = (request: LoggedRequest): ApiCall => ({
  method: request.method, path: request.route.replace(/\{(\w+)\}/g, (_found, name: string) => `\${${name.toUpperCase()}}`),
  ...(hasBody(request) && { options: jsonOptions('@body.json') }),
})
