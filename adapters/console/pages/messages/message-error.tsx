import type { VNode } from 'preact'
import type { JsonObject } from '../../../../core/kernel/json.js'
import { errorCodeOf } from '../../../../core/messages/own-errors.js'
import { English } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { meaningOf } from '../../words.js'

const { message: texts } = TEXTS

/** The platform's error for a message: its meaning, how to fix it, and the raw error. */
export const MessageError = ({ error }: { readonly error: JsonObject | undefined }): VNode | null => {
  if (error === undefined) return null
  const code = errorCodeOf(error)
  const meaning = meaningOf(code)
  const said = saidBy(error)
  return (
    <section class="note bad" aria-labelledby="error-title">
      <h2 id="error-title">{texts.error}{code !== undefined && ` ${code}`}</h2>
      {meaning === undefined
        ? <p>{texts.unknownError} <English>{said}</English></p>
        : <><p><strong>{texts.means}:</strong> {meaning.means}</p><p><strong>{texts.todo}:</strong> {meaning.fix}</p></>}
      <details><summary>{texts.asItCame}</summary><pre>{JSON.stringify(error, undefined, 2)}</pre></details>
    </section>
  )
}

const saidBy = ({ title, message }: JsonObject): string => [title, message].find((text): text is string => typeof text === 'string') ?? ''
