import { codeOf, FailedCall } from './failed-call.js'

const SENTENCES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host was not found',
  ENODATA: 'The host was not found',
  EAI_AGAIN: 'The name server of the host did not answer',
  ETIMEOUT: 'The name server of the host did not answer',
  ESERVFAIL: 'The name server of the host failed',
  ECONNREFUSED: 'The host refused the connection',
  EHOSTUNREACH: 'The host cannot be reached',
  ENETUNREACH: 'The host cannot be reached',
  ETIMEDOUT: 'The host did not accept a connection in time',
  ECONNRESET: 'The connection was lost before an answer came',
  EPIPE: 'The connection was lost before an answer came',
  CERT_HAS_EXPIRED: 'The certificate of the host has expired',
  CERT_NOT_YET_VALID: 'The certificate of the host is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of the host is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate of the host is from an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'The certificate of the host is from an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate of the host is from an authority that is not trusted, or the host does not send the certificates between',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate of the host is from an authority that is not trusted, or the host does not send the certificates between',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the host is for another name',
  HPE_HEADER_OVERFLOW: 'The header of the answer is too long',
}

/** What is wrong, in a sentence for the endpoint's owner. The messages of Node.js are not shown, because they name addresses. */
export const failureSentence = (error: unknown): string => {
  if (error instanceof FailedCall) return error.message
  // Where a host has several addresses, the error has one for each.
  const inner: unknown = error instanceof AggregateError ? error.errors.at(-1) : error
  const code = codeOf(inner)
  return typeof code === 'string' ? SENTENCES[code] ?? ofKind(code) : 'The connection failed'
}

const ofKind = (code: string): string => {
  if (code.startsWith('HPE_')) return 'The answer is not HTTP'
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return 'The host does not speak TLS as this gateway does'
  if (code.includes('CERT')) return 'The certificate of the host is not valid'
  return 'The connection failed'
}
