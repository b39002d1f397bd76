import type { IncomingHttpHeaders } from 'node:http'
import type { ByteRange } from '../../core/messages/conversation.js'

const FROM_FIRST = /^bytes=([0-9]{1,15})-([0-9]{0,15})$/
const FROM_END = /^bytes=-([0-9]{1,15})$/

/**
 * The range that a request asks for; `undefined` where it asks for none.
 *
 * As RFC 9110 allows, a range of another form is ignored, and so are several ranges. `If-Range` names a version of the bytes, and replies name none, so
 * no version matches and all bytes are to be sent.
 */
export const rangeIn = ({ range = '', 'if-range': version }: IncomingHttpHeaders): ByteRange | undefined => {
  if (version !== undefined) return undefined
  const lastBytes = FROM_END.exec(range)?.[1]
  if (lastBytes !== undefined) return { lastBytes: Number(lastBytes) }
  const [, first, last = ''] = FROM_FIRST.exec(range) ?? []
  if (first === undefined) return undefined
  if (last === '') return { first: Number(first) }
  return Number(first) <= Number(last) ? { first: Number(first), last: Number(last) } : undefined
}
