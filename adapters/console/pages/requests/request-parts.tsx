import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import type { Forbidden } from '../../../../core/access/access.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import { type LoggedRequest, REFUSED } from '../../../../core/requests/request-log.js'
import type { ConsolePath } from '../../answer.js'
import { written } from '../../chart.js'
import type { InWorkspace } from '../../page.js'
import { English, Id, State, Table, Time, type Tone } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import type { RequestsSection } from './requests-section.js'

const { requests: texts, sections } = TEXTS

export const requestsPath = (workspace: WorkspaceId): ConsolePath => `/console/workspaces/${workspace}/requests`

/** The page of a request. */
export const requestPath = ({ workspace, id }: Pick<LoggedRequest, 'id' | 'workspace'>): ConsolePath => `${requestsPath(workspace)}/${id}`

/** The names of the keys of a workspace, by their ids, including ended keys. */
export const keyNames = async (
  { listKeys }: Pick<RequestsSection, 'listKeys'>, { by, workspace: { id } }: InWorkspace,
): Promise<E.Either<Forbidden | PortFailure, ReadonlyMap<string, string>>> => {
  const keys = await listKeys({ by, workspace: id })
  return E.isLeft(keys) ? keys : E.right(new Map(keys.right.map((key) => [key.id, key.name])))
}

const toneOf = (status: number): Tone => {
  if (status < REFUSED) return 'good'
  return status < 500 ? 'attention' : 'bad'
}

/** The status of the response to a request. */
export const Status = ({ of }: { readonly of: number }): VNode => <State text={String(of)} tone={toneOf(of)} />

/** A code in words, such as "window closed". */
export const shortCode = (code: string): string => code.replaceAll('_', ' ')

/** The key of a request, by its name if it is known. */
export const KeyName = ({ of, names }: { readonly of: string; readonly names: ReadonlyMap<string, string> }): VNode =>
  names.has(of) ? <span title={of}>{names.get(of)}</span> : <Id of={of} />

/** The duration of a request, in milliseconds. */
export const writtenDuration = (ms: number): string => texts.milliseconds(written(Math.round(ms)))

/** API requests, newest first. */
export const RequestTable = ({ requests, names, showsLeftOut }: {
  readonly requests: ReadonlyArray<LoggedRequest>; readonly names: ReadonlyMap<string, string>
  /** Whether the table says how many requests are missing before a row: only if no filter omits any. */
  readonly showsLeftOut: boolean
}): VNode => (
  <Table
    label={sections.requests} isCompact
    columns={[texts.call, texts.status, texts.key, { fit: texts.id }, { number: texts.duration }, { number: texts.at }]}
  >
    {requests.map((request) => (
      <tr key={request.id}>
        <td class="first">
          <a href={requestPath(request)}>
            <code class="cut" title={`${request.method} ${request.route}`}>{request.method} {request.route}</code>
            {showsLeftOut && request.leftOut !== undefined && <span class="soft cut">{texts.leftOut(request.leftOut)}</span>}
          </a>
        </td>
        <td class="mark">
          <Status of={request.status} />
          {request.code !== undefined && (
            <>{' '}<span class="soft why" title={request.code}><English>{shortCode(request.code)}</English></span></>
          )}
        </td>
        <td class="what"><KeyName of={request.key} names={names} /></td>
        <td class="fit"><Id of={request.requestId} /></td>
        <td class="number">{writtenDuration(request.durationMs)}</td>
        <td class="number sent"><Time at={request.at} as="ago" /></td>
      </tr>
    ))}
  </Table>
)
