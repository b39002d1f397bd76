/** Why an endpoint was not reached; the message is a sentence for the endpoint's owner and names no address that was resolved. */
export class FailedCall extends Error {}

/** The address is not one of a public server. */
export const forbiddenAddress = (): FailedCall =>
  new FailedCall('The host is, or resolves to, an address that is not public, and the operator of this gateway does not allow it')

/** Without TLS only networks of the operator are called. */
export const httpsRequired = (): FailedCall => new FailedCall('Events are delivered over https, except to addresses that the operator of this gateway allows')

/** The code of an error of Node.js, such as `ECONNREFUSED`. */
export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
