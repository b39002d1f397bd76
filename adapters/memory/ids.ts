import { v7 as uuidv7 } from 'uuid'

/** A new id that sorts by time: the 32 hexadecimal digits of a UUIDv7. */
export const newId = (): string => uuidv7().replaceAll('-', '')
