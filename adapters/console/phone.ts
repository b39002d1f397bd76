import { callingCodeIn, type CustomerId, isUserId } from '../../core/customers/customer.js'

/**
 * A phone number as people read it: `+49 151 234 567 89`. After the calling code come groups of three; remaining digits make the last group one of four, or one of two.
 * The only national grouping is that of North America, which every reader there expects: `+1 212 555 0123`. A user id is returned unchanged.
 */
export const writeCustomerId = (id: CustomerId): string => {
  if (isUserId(id)) return id
  const code = callingCodeIn(id)
  return code === undefined ? `+${id}` : `+${code} ${grouped(id.slice(code.length))}`
}

const grouped = (digits: string): string =>
  digits.length === 10 ? digits.replace(/(\d{3})(\d{3})(\d{4})/, '$1 $2 $3') : digits.replace(/\d{3}(?=\d{2})/g, '$& ')
