/**
 * The platform's id of a person, scoped to the business portfolio that sends: the ISO 3166 code of a country, a dot, and up to 128 letters and
 * digits. A parent id has `ENT.` after the dot. Letter case counts.
 *
 * Source: <https://developers.facebook.com/docs/whatsapp/business-scoped-user-ids>.
 */
export type UserId = string & { readonly UserId: unique symbol }

/** The form of a user id. */
export const USER_ID_FORM = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/

/** Reads a user id; `undefined` where a value is none. */
export const parseUserId = (value: unknown): UserId | undefined =>
  typeof value === 'string' && USER_ID_FORM.test(value) ? (value as UserId) : undefined

/** The country of a user id, as two letters of ISO 3166. */
export const countryOf = (id: UserId): string => id.slice(0, 2)
