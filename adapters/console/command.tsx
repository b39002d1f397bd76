import type { VNode } from 'preact'
import { Copied } from './parts.js'

/** A request to the API: its path below the gateway's address, and the further lines of the command. */
export type ApiCall = { readonly method: string; readonly path: string; readonly options?: ReadonlyArray<string> }

/** A request as a shell command. The key is a shell variable, so no key is in a page. The address is a variable too if the gateway does not know its own. */
export const commandOf = ({ method, path, options = [] }: ApiCall, origin: string | undefined): string => {
  const verb = method === 'GET' ? '' : method === 'HEAD' ? '-I ' : `-X ${method} `
  return [`curl ${verb}"${origin ?? '$POSTERN_URL'}${path}"`, '-H "Authorization: Bearer $POSTERN_KEY"', ...options].join(' \\\n  ')
}

/** The options of a request with a JSON body. */
export const jsonOptions = (body: string): ReadonlyArray<string> => ["-H 'Content-Type: application/json'", `-d ${body}`]

/** A shell command, with a button that copies it if scripts run. */
export const Command = ({ call, origin, label }: {
  readonly call: ApiCall
  readonly origin: string | undefined
  readonly label: string
}): VNode => <Copied text={commandOf(call, origin)} label={label} />
