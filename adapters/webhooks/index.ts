/**
 * Events over HTTP, by Standard Webhooks 1.0, to addresses that were checked.
 *
 * @packageDocumentation
 */
export { type AddressRange, parseAddressRange, type Resolve } from './address.js'
export { makeWebhookSender, type WebhookOptions, type WebhookSender } from './webhook-sender.js'
