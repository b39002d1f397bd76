import type { Json, JsonObject } from '../../core/kernel/json.js'

/**
 * Why a message was refused or failed, in one line: the platform's code and the most exact of its texts.
 *
 * The platform names a text differently in an answer (`message`) and in a status (`title`), and puts details in `error_data`.
 */
export const reasonOf = (error: JsonObject | undefined): string => {
  if (error === undefined) return ''
  const { code, title, message, error_data: data } = error
  const details = typeof data === 'object' && data !== null && !Array.isArray(data) ? (data as JsonObject)['details'] : undefined
  const text = [details, message, title].find(isText)
  return [typeof code === 'number' ? [String(code)] : [], text === undefined ? [] : [text.replaceAll(/\s+/g, ' ')]].flat().join(': ')
}

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value.trim() !== ''
