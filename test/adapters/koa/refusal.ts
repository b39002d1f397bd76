import { CODES, type ErrorCode } from '../../../core/explanations/codes.js'

/** The whole body of a refusal by a gateway that does not know its address; `seconds` is where it ends by itself. */
export const refusal = (code: ErrorCode, message: string, more: object = {}, seconds?: number): object => ({
  status: 'error', message, code, ...more, doc_url: `/errors/${code}`,
  retry: { when: CODES[code].retry, ...(seconds !== undefined && { after_s: seconds }) },
})
