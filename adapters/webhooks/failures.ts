/** Why an endpoint was not reached; the message is a sentence for the endpoint's owner and does not contain resolved addresses. */
export class FailedCall extends Error {}

/** The address does not belong to a public server. */
export const forbiddenAddress = (): FailedCall =>
  new FailedCall('The host is, or resolves to, an address that is not public, and the operator of this gateway does not allow it')

/** Without TLS only the operator's networks are called. */
export const httpsRequired = (): FailedCall => new FailedCall('Events are delivered over https, except to addresses that the operator of this gateway allows')

/** The code of an error of Node.js, such as `ECONNREFUSED`. */
export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

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
  UND_ERR_SOCKET: 'The connection was lost before an answer came',
  CERT_HAS_EXPIRED: 'The certificate of the host has expired',
  CERT_NOT_YET_VALID: 'The certificate of the host is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of the host is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate of the host is from an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'The certificate of the host is from an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate of the host is from an authority that is not trusted, or the host does not send the certificates between',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate of the host is from an authority that is not trusted, or the host does not send the certificates between',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the host is for another name',
  HPE_HEADER_OVERFLOW: 'The header of the answer is too long',
  UND_ERR_HEADERS_OVERFLOW: 'The header of the answer is too long',
}

/** Describes the problem in a sentence for the endpoint's owner. The messages of Node.js are not shown, because they contain addresses. */
export const failureSentence = (error: unknown): string => {
  if (error instanceof FailedCall) return error.message
  // If a host has several addresses, the error contains an error for each.
  const inner: unknown = error instanceof AggregateError ? error.errors.at(-1) : error
  // If the first bytes are not HTTP, undici reports the problem only by the error's class.
  const code = inner instanceof Error && inner.name === 'HTTPParserError' ? codeOf(inner) ?? 'HPE_INVALID' : codeOf(inner)
  return typeof code === 'string' ? SENTENCES[code] ?? ofKind(code) : 'The connection failed'
}

const ofKind = (code: string): string => {
  if (code.startsWith('HPE_')) return 'The answer is not HTTP'
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return 'The host does not speak TLS as this gateway does'
  if (code.includes('CERT')) return 'The certificate of the host is not valid'
  return 'The connection failed'
}
