import { randomBytes } from 'node:crypto'

/** A new id of a message from the business to this wa_id, in the observed format of the platform's ids. */
export const outboundWamid = (waId: string): string => wamid(waId, FROM_BUSINESS, randomBytes(9).toString('hex').toUpperCase())

/** A new id of a message from this wa_id to the business; its key starts with `3A`, as in ids made by phones. */
export const inboundWamid = (waId: string): string =>
  wamid(waId, FROM_CUSTOMER, `3A${randomBytes(9).toString('hex').toUpperCase()}`)

const FROM_BUSINESS = 0x11
const FROM_CUSTOMER = 0x12

/** A Thrift compact struct: the customer's number, the number 1, whether the business wrote, and the message's key. */
const wamid = (waId: string, direction: number, key: string): string =>
  `wamid.${Buffer.concat([
    Buffer.from([0x1c, 0x18, waId.length]), Buffer.from(waId, 'ascii'),
    Buffer.from([0x15, 0x02, 0x00, direction, 0x18, key.length]), Buffer.from(key, 'ascii'),
    Buffer.from([0x00]),
  ]).toString('base64')}`
