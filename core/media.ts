/** The platform's id of an attachment. */
export type MediaId = string & { readonly MediaId: unique symbol }

/** The bytes that are wanted of an attachment: from a first one, counted from 0, to a last one or to the end; or the last so many. */
export type ByteRange = { readonly first: number; readonly last?: number } | { readonly lastBytes: number }

const MEDIA_ID = /^[0-9]{1,64}$/

/** The platform's id of an attachment, where a text can be one. */
export const parseMediaId = (text: string): MediaId | undefined => (MEDIA_ID.test(text) ? (text as MediaId) : undefined)

/** The type of bytes of which nothing is known. */
export const UNKNOWN_MEDIA_TYPE = 'application/octet-stream'

/**
 * The content types that the platform documents, none of which a browser runs as a program:
 * <https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media#supported-media-types>.
 *
 * A customer may attach a document of any other type.
 */
export const MEDIA_TYPES: ReadonlyArray<string> = [
  'audio/aac', 'audio/amr', 'audio/mp4', 'audio/mpeg', 'audio/ogg', 'image/jpeg', 'image/png', 'image/webp', 'video/3gpp', 'video/mp4', 'text/plain',
  'application/msword', 'application/pdf', 'application/vnd.ms-excel', 'application/vnd.ms-powerpoint',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
]
