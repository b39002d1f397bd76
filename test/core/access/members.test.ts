import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { MAX_EMAIL_LENGTH, parseEmail } from '../../../core/access/members.js'
import { isRole } from '../../../core/kernel/actor.js'

const label = 'd'.repeat(63)

/** An email of a length whose parts are all as long as they may be. */
const emailOf = (length: number): string => {
  const rest = `${'l'.repeat(64)}@${label}.${label}.`
  return `${rest}${'t'.repeat(length - rest.length)}`
}

/** What is typed, and the email that it is. */
const EMAILS: ReadonlyArray<readonly [string, string]> = [
  ['ann@example.com', 'ann@example.com'],
  [' Ann.O\'Hara+postern@Mail.Example.COM\n', "ann.o'hara+postern@mail.example.com"],
  ['a@b.co', 'a@b.co'],
  ['_@1.2.3.museum', '_@1.2.3.museum'],
  ['{ann|bob}~=?^$#&*!/%@example.com', '{ann|bob}~=?^$#&*!/%@example.com'],
  ['ann@xn--bcher-kva.example', 'ann@xn--bcher-kva.example'],
  [emailOf(MAX_EMAIL_LENGTH - 4), emailOf(MAX_EMAIL_LENGTH - 4)],
]

const NO_EMAILS: ReadonlyArray<string> = [
  '', ' ', '@', 'ann', 'ann@', '@example.com', 'ann@localhost', 'ann@example..com', 'ann@.example.com', 'ann@example.com.',
  'ann@-example.com', 'ann@example-.com', 'ann@exam_ple.com', 'ann@[192.0.2.1]', 'ann@@example.com', 'ann@b@example.com',
  'ann example@example.com', '"ann b"@example.com', 'ann(bob)@example.com', 'Ann <ann@example.com>', '<ann@example.com>',
  'ann@example.com, bob@example.com', 'ann@example.com;bob@example.com', 'mailto:ann@example.com', 'ann@example.com\nbcc:bob@example.com',
  'ann\u0000@example.com', 'ann@example.com\u0000', 'ann\t@example.com', 'ann\\@example.com', `${'l'.repeat(65)}@example.com`,
  `ann@${'d'.repeat(64)}.com`, emailOf(MAX_EMAIL_LENGTH + 1), 'a'.repeat(100_000), `${'a@'.repeat(50_000)}b.co`,
  `ann@${'d.'.repeat(50_000)}`,
  // Letters that look like others, or become them where letter case is dropped.
  'änn@example.com', 'аnn@example.com', 'ann@exаmple.com', '\u212Aate@example.com', 'ann@\u212Aiosk.example', 'ｋate@example.com',
  'ann\u200B@example.com', 'ann@example\u3002com', '\u202Eann@example.com',
]

describe('An email', () => {
  for (const [typed, email] of EMAILS) {
    it(`may be ${JSON.stringify(typed).slice(0, 60)}`, () => assert.deepEqual(parseEmail(typed), E.right(email)))
  }

  it('is refused in every odd form', () => {
    for (const odd of NO_EMAILS) assert.deepEqual(parseEmail(odd), E.left({ _tag: 'InvalidEmail' }), odd.slice(0, 80))
  })
})

describe('A role', () => {
  it('is one of three words', () => {
    assert.deepEqual(
      ['owner', 'developer', 'viewer', 'Owner', 'king', '', 'operator', '__proto__', 'constructor', ' owner'].filter(isRole),
      ['owner', 'developer', 'viewer'],
    )
  })
})
