const SENTENCES: Readonly<Record<string, string>> = {
  AUTHORIZATION_VIOLATION: 'The broker refuses the credentials',
  AUTHENTICATION_EXPIRED: 'The broker refuses the credentials',
  PERMISSIONS_VIOLATION: 'The broker does not let this user publish events',
  MAX_PAYLOAD_EXCEEDED: 'The event is larger than the broker takes',
  TIMEOUT: 'The broker did not confirm the event in time',
  503: 'The broker has no stream that takes events; JetStream must be switched on',
}

const ABOUT_EVENT = 'MAX_PAYLOAD_EXCEEDED'

/** What is wrong, in a sentence. The library's messages are not shown, because they may name addresses. */
export const failureSentence = (error: unknown): string => SENTENCES[codeOf(error)] ?? 'The broker cannot be reached, or did not take the event'

/** Whether an error concerns one event, and not the connection. */
export const isAboutEvent = (error: unknown): boolean => codeOf(error) === ABOUT_EVENT

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '')
