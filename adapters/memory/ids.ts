import { uuidv7obj } from 'uuidv7'

/** A new id that sorts by time: the 32 hexadecimal digits of a UUIDv7. */
export const newId = (): string => uuidv7obj().toHex()
