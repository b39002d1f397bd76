const SANE = /^[A-Za-z0-9._-]{1,128}$/

/** The name a request goes by in logs: the caller's own, if it sent a sane one, else a new one. */
export const requestIdOf = (sent: string | undefined, newRequestId: () => string): string =>
  sent !== undefined && SANE.test(sent) ? sent : newRequestId()
