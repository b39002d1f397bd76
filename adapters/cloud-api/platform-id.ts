import type { PlatformId } from '../../core/message.js'

/** Opaque, 48 to 56 characters after its prefix in practice. One beyond this form could be neither kept nor matched. */
const FORM = /^[!-~]{1,255}$/

/** The platform's id of a message, where a value can be one. */
export const platformIdOf = (value: unknown): PlatformId | undefined =>
  typeof value === 'string' && FORM.test(value) ? (value as PlatformId) : undefined
