import * as E from 'fp-ts/lib/Either.js'
import type { Email } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { TooManyRequests } from '../kernel/limits.js'

/** A password that is too short, too long or too common; `reason` is a sentence for people and never quotes it. */
export type InvalidPassword = { readonly _tag: 'InvalidPassword'; readonly reason: string }

/** The minimum length of a password, in characters. */
export const MIN_PASSWORD_LENGTH = 12
/** The maximum length of a password, in characters. */
export const MAX_PASSWORD_LENGTH = 200

/** A password in the normalised form that is compared, because keyboards compose characters differently. */
export const comparablePassword = (given: string): string => given.normalize('NFKC')

/** Checks a new password: its length, and that it is not one that an attacker would try first. Right: the password in the form that is compared. */
export const parsePassword = (given: string, email: Email): E.Either<InvalidPassword, string> => {
  const password = comparablePassword(given)
  const { length } = [...password]
  if (length < MIN_PASSWORD_LENGTH) return invalid(`A password must have at least ${MIN_PASSWORD_LENGTH} characters`)
  if (length > MAX_PASSWORD_LENGTH) return invalid(`A password must have at most ${MAX_PASSWORD_LENGTH} characters`)
  const plain = password.toLowerCase()
  if (plain.trim() === email) return invalid('The password must not be the email')
  return isCommon(plain) ? invalid('This password is one of the most common ones; choose another') : E.right(password)
}

const invalid = (reason: string): E.Either<InvalidPassword, never> => E.left({ _tag: 'InvalidPassword', reason })

/** Whether a text is a common password, or a repeated short text, such as `abcabcabcabc`. */
const isCommon = (plain: string): boolean => COMMON.has(plain) || /^(.{1,4})\1+.{0,3}$/su.test(plain)

/** The most common passwords of published leaks that are long enough and not a repetition. */
const COMMON: ReadonlySet<string> = new Set([
  '123456789012', '1234567890123', '12345678901234', '123456789012345', '1234567890123456', '12345678910', '123456789101112',
  '12345678987654321', '098765432109', '0987654321098', '987654321098', '9876543210123', '1q2w3e4r5t6y', '1q2w3e4r5t6y7u',
  '1q2w3e4r5t6y7u8i', '1qaz2wsx3edc', '1qaz2wsx3edc4rfv', 'q1w2e3r4t5y6', 'q1w2e3r4t5y6u7', 'qwertyuiop12', 'qwertyuiop123',
  'qwertyuiop1234', 'qwertyuiop[]', 'qwertyuiopasdf', 'qwertyuiopasdfghjkl', 'qwerty123456', 'qwerty1234567', 'qwerty12345678',
  'qwerty123456789', 'qwertyqwerty', 'qwertyasdfgh', 'qwertyasdfzxcv', 'asdfghjkl123', 'asdfghjkl1234', 'asdfghjklqwertyuiop',
  'zxcvbnm12345', 'zxcvbnm123456', 'zxcvbnmasdfghjkl', 'password1234', 'password12345', 'password123456', 'password1234567',
  'password12345678', 'password123456789', 'password123!', 'password2024', 'password2025', 'password2026', 'passw0rd1234', 'p@ssw0rd1234',
  'p@ssword1234', 'p@ssw0rd123!', 'mypassword12', 'mypassword123', 'yourpassword', 'newpassword1', 'newpassword123', 'secretpassword',
  'adminpassword', 'administrator', 'administrator1', 'admin1234567', 'admin12345678', 'admin123456789', 'adminadmin123', 'rootpassword',
  'iloveyou1234', 'iloveyou12345', 'iloveyouforever', 'iloveyousomuch', 'letmein12345', 'letmein123456', 'letmeinplease', 'welcome12345',
  'welcome123456', 'changeme1234', 'changeme12345', 'changemeplease', 'abcdefghijkl', 'abcdefghijklm', 'abcdefghijklmnop',
  'abcdefghijklmnopqrstuvwxyz', 'abcdef123456', 'abcd12345678', 'abc123456789', 'abcdefgh1234', 'abcdefgh12345678', 'aa1234567890',
  'a12345678910', 'qazwsxedcrfv', 'qazwsxedc123', 'qazwsxedcrfvtgb', '1234qwerasdf', '1234qwerasdfzxcv', '123qweasdzxc', '123456qwerty',
  '123456789abc', '1234567890ab', '1234567890abc', '123456789qwe', '1234567890qwerty', 'superman1234', 'princess1234', 'football1234',
  'baseball1234', 'sunshine1234', 'trustno1trustno1', 'dragon123456', 'monkey123456', 'master123456', 'michael12345', 'jesuschrist1',
  'correcthorsebatterystaple', 'unbelievable', 'international', 'thisismypassword', 'thisisapassword', 'thequickbrownfox',
  'supercalifragilisticexpialidocious', 'postern12345', 'posternpostern',
])

/** Computes digests of passwords slowly, so that a stolen digest is of little use. */
export interface PasswordHasher {
  /** A digest of a password: with its own salt and everything that is needed to verify it, at most 255 printable ASCII characters. */
  readonly hash: (password: string) => Promise<E.Either<PortFailure, string>>
  /**
   * Whether a password matches a digest. Without a digest, or if the text is not a digest, it is `false` after the same work, so that the response time does not
   * reveal whether a digest exists.
   */
  readonly verify: (password: string, digest: string | undefined) => Promise<E.Either<PortFailure, boolean>>
}

/** Limits how many passwords are computed simultaneously, so that a flood of sign-ins neither locks people out nor delays messages. */
export interface PasswordHashQueue {
  /**
   * Waits for a slot. Right: the slot, until it is released. `TooManyRequests`: it waited too long, or too many callers wait.
   *
   * Known and anonymous callers have separate slots, so neither group waits for the other. The waiting caller with the fewest recent attempts gets the next slot. If
   * too many wait, those with the most attempts are either refused or keep waiting, chosen at random, so that no caller is locked out for the whole duration of a flood.
   */
  readonly take: (of: PasswordHashCaller) => Promise<E.Either<TooManyRequests, PasswordHashSlot>>
}

/** The caller: known by a device or a session, by name; or anonymous, by network. */
export type PasswordHashCaller =
  | { readonly _tag: 'Known'; readonly name: string }
  | { readonly _tag: 'Anonymous'; readonly network: string }

/** The right to compute one password. */
export type PasswordHashSlot = {
  /** Releases the slot, so that the next caller gets it; releasing it again changes nothing. `wasRight`: it does not count as an attempt. */
  readonly end: (wasRight: boolean) => void
}
