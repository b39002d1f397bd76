import type { Answered, Gateway } from '../gateway.js'

/** A body of the platform's contract for a customer. */
export const platformBody = (to: string, more: object): object => ({
  messaging_product: 'whatsapp', recipient_type: 'individual', to, ...more,
})

/** Asks at the address of messages, as a client of the platform does. */
export const postToGraph = (gw: Gateway, body: unknown, headers: Record<string, string> = {}): Promise<Answered> =>
  gw.post(`/graph/v23.0/${gw.phoneNumberId}/messages`, body, headers)

/** The error of a refusal. */
export const errorOf = ({ json }: Answered) => (json as { readonly error: Readonly<Record<string, unknown>> }).error
