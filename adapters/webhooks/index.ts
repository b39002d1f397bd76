/**
 * Events over HTTP, by Standard Webhooks 1.0, to addresses that were checked.
 *
 * @packageDocumentation
 */
export { parseAddressRange, type AddressRange } from './address-range.js'
export type { Resolve } from './resolve.js'
export { makeWebhookSender, type WebhookOptions, type WebhookSender } from './webhook-sender.js'
