import type { VNode } from 'preact'
import { Icon } from './icons.js'
import { TEXTS } from './texts.js'

const { parts } = TEXTS

/** A call of the API: its address below that of the gateway, and the lines of the command that follow it. */
export type ApiCall = { readonly method: string; readonly path: string; readonly options?: ReadonlyArray<string> }

/** A call as a command for a shell. The key is a variable of the shell, so that no key is in a page, and so is the address where the gateway does not know its own. */
export const commandOf = ({ method, path, options = [] }: ApiCall, origin: string | undefined): string => {
  const verb = method === 'GET' ? '' : method === 'HEAD' ? '-I ' : `-X ${method} `
  return [`curl ${verb}"${origin ?? '$POSTERN_URL'}${path}"`, '-H "Authorization: Bearer $POSTERN_KEY"', ...options].join(' \\\n  ')
}

/** The options of a call with a body of JSON. */
export const jsonOptions = (body: string): ReadonlyArray<string> => ["-H 'Content-Type: application/json'", `-d ${body}`]

/** A command for a shell, with a button that copies it where scripts run. */
export const Command = ({ call, origin, label }: { readonly call: ApiCall; readonly origin: string | undefined; readonly label: string }): VNode => {
  const command = commandOf(call, origin)
  return (
    <div class="command">
      <pre class="secret" tabindex={0} aria-label={label}>{command}</pre>
      <button type="button" class="copy" data-copy={command} aria-label={parts.copy(label)}><Icon name="copy" /></button>
    </div>
  )
}
