/** How many random bytes the id of an API key is made of. */
export const KEY_ID_BYTES = 8
/** How many random bytes the secret of an API key is made of: 192 bits. */
export const KEY_SECRET_BYTES = 24

const KEY = /^pst_([0-9a-f]{16})_[0-9a-f]{48}$/
const KEY_ID = /^[0-9a-f]{16}$/

/** The API key of an id and a secret, both in lower-case hexadecimal digits: `pst_<id>_<secret>`. */
export const apiKeyOf = (id: string, secret: string): string => `pst_${id}_${secret}`

/** The id within a text that has the form of an API key; `undefined` for any other text. */
export const apiKeyIdIn = (presented: string): string | undefined => KEY.exec(presented)?.[1]

/** Whether a text has the form of an API key's id. */
export const isApiKeyId = (text: string): boolean => KEY_ID.test(text)
