import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { DEVICE_MS, EMAIL, GUESS_LIMITS, NETWORK } from '../../../core/access/sign-in.js'
import { FRESH_LINK_MS, INVITATION_MS, SESSION_IDLE_MS, SESSION_MS } from '../../../core/access/members.js'
import { type Email, SYSTEM } from '../../../core/kernel/actor.js'
import { done, failed } from '../../support/right-of.js'
import { ADDRESS, memberWorld, PASSWORD, role } from '../use-cases/member-world.js'

const ANN = 'ann@example.com'

describe('signing in', () => {
  it('takes an email in any letter case, and the right password alone', async () => {
    const { use, join } = await memberWorld()
    await join(ANN)
    const { token, principal } = await done(use.signIn({ email: ' Ann@Example.COM ', password: PASSWORD }))
    assert.equal(principal.email, ANN)
    assert.equal((await done(use.authenticate({ token }))).principal.email, ANN)
    for (const [email, password] of [
      [ANN, 'three blind Otters'], [ANN, ''], ['bob@example.com', PASSWORD], ['no email', PASSWORD],
    ] as const) {
      assert.deepEqual(await failed(use.signIn({ email, password })), { _tag: 'SignInRefused' })
    }
  })

  it('stores the language of the page for a member without one, and never replaces it', async () => {
    const { use, join, storage } = await memberWorld()
    const { principal } = await join(ANN)
    const language = async () => O.toUndefined(await done(storage.members.find(principal.member)))?.language
    await done(use.signIn({ email: ANN, password: PASSWORD }))
    assert.isUndefined(await language())
    for (const given of ['de', 'es'] as const) {
      const signedIn = await done(use.signIn({ email: ANN, password: PASSWORD, language: given }))
      assert.equal(await language(), 'de')
      if (given === 'de') continue
      await done(use.chooseLanguage({ signedIn, language: given }))
      assert.equal(await language(), 'es')
    }
  })

  it('verifies a password as often for an email that no member has as for one that a member has', async () => {
    const { use, join, verified } = await memberWorld()
    await join(ANN)
    for (const email of [ANN, 'bob@example.com', 'no email']) await failed(use.signIn({ email, password: 'wrong' }))
    await failed(use.signIn({ email: ANN, password: 'x'.repeat(201) }))
    assert.deepEqual(verified, [`digest of ${PASSWORD}`, undefined, undefined, undefined])
  })

  it('takes a password however its characters were composed', async () => {
    const { use, join } = await memberWorld()
    const signedIn = await join(ANN)
    await done(use.setPassword({ signedIn, password: 'cafe\u0301 at midnight' }))
    await done(use.signIn({ email: ANN, password: 'caf\u00e9 at midnight' }))
  })

  it('makes one who guesses wait longer after each wrong password, up to 15 minutes, whether or not the email is a member\'s', async () => {
    const { use, join, clock, verified } = await memberWorld()
    await join(ANN)
    for (const email of [ANN, 'bob@example.com']) {
      const guess = { email, password: 'wrong', address: ADDRESS }
      for (let attempt = 1; attempt < GUESS_LIMITS.free; attempt += 1) await failed(use.signIn(guess))
      for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
        assert.equal((await failed(use.signIn(guess)))._tag, 'SignInRefused')
        const before = verified.length
        assert.deepEqual(await failed(use.signIn({ ...guess, password: PASSWORD })), {
          _tag: 'TooManyAttempts', retryAt: clock.at + seconds * 1_000,
        })
        assert.equal(verified.length, before)
        clock.at += seconds * 1_000
      }
    }
    clock.at += 24 * 3_600_000
    for (let attempt = 1; attempt < GUESS_LIMITS.free; attempt += 1) {
      await failed(use.signIn({ email: ANN, password: 'wrong', address: ADDRESS }))
    }
    await done(use.signIn({ email: ANN, password: PASSWORD, address: ADDRESS }))
  })

  it('is not locked for the owner of an email by anonymous callers at other addresses, who are slowed down together', async () => {
    const { use, join, clock } = await memberWorld()
    await join(ANN)
    let [looked, slowed] = [0, 0]
    for (let attempt = 0; attempt < 400; attempt += 1) {
      const answer = await failed(use.signIn({ email: ANN, password: 'wrong', address: `198.51.100.${attempt % 100}` }))
      if (answer._tag === 'SignInRefused') looked += 1
      else slowed += 1
      clock.at += 20
    }
    assert.isAtMost(looked, EMAIL.free + 8 + 8_000 / EMAIL.longestDelayMs)
    assert.equal(slowed, 400 - looked)
    clock.at += EMAIL.longestDelayMs
    await done(use.signIn({ email: ANN, password: PASSWORD, address: ADDRESS }))
  })

  it('never waits after right passwords, however many come from one address', async () => {
    const { use, join } = await memberWorld()
    const emails = Array.from({ length: 20 }, (_, index) => `member-${index}@example.com`)
    for (const email of emails) await join(email)
    const sessions = new Set<string>()
    for (let round = 0; round < 10; round += 1) {
      for (const email of emails) sessions.add((await done(use.signIn({ email, password: PASSWORD, address: ADDRESS }))).session.id)
    }
    assert.equal(sessions.size, 2 * NETWORK.free)
  })

  it('is slowed down for each address, and for each /64 of IPv6, even if an attacker signs in with an own account', async () => {
    const { use, join, clock } = await memberWorld()
    await join(ANN)
    const guesses = async (addressOf: (attempt: number) => string) => {
      for (let attempt = 0; attempt < NETWORK.free; attempt += 1) {
        const address = addressOf(attempt)
        if (attempt % 10 === 0) await done(use.signIn({ email: ANN, password: PASSWORD, address }))
        assert.equal((await failed(use.signIn({ email: `x${attempt}@example.com`, password: PASSWORD, address })))._tag, 'SignInRefused')
      }
      return failed(use.signIn({ email: 'last@example.com', password: PASSWORD, address: addressOf(NETWORK.free) }))
    }
    const slowed = { _tag: 'TooManyAttempts', retryAt: clock.at + NETWORK.firstDelayMs } as const
    assert.deepEqual(await guesses((attempt) => (attempt % 2 === 0 ? '203.0.113.9' : '::ffff:203.0.113.9')), slowed)
    assert.deepEqual(await guesses((attempt) => (attempt % 2 === 0 ? `2001:db8:0:1::${attempt}` : `2001:DB8::1:0:0:0:${attempt}`)), slowed)
    assert.equal((await guesses((attempt) => `2001:db8:0:${(attempt + 2).toString(16)}::1`))._tag, 'SignInRefused')
    clock.at += NETWORK.firstDelayMs
    await done(use.signIn({ email: ANN, password: PASSWORD, address: '203.0.113.9' }))
  })

  it('forgets the wrong passwords with an email from the same address after a success', async () => {
    const { use, join } = await memberWorld()
    await join(ANN)
    for (let round = 0; round < 3; round += 1) {
      for (let attempt = 1; attempt < GUESS_LIMITS.free; attempt += 1) await failed(use.signIn({ email: ANN, password: 'wrong' }))
      await done(use.signIn({ email: ANN, password: PASSWORD }))
    }
  })

  it('is not delayed for a device that is known, whatever anonymous callers do, and bounded for it alone', async () => {
    const { use, join, clock } = await memberWorld()
    await join(ANN)
    const { device } = await done(use.signIn({ email: ANN, password: PASSWORD, address: ADDRESS }))
    const anonymous = { email: ANN, password: 'wrong', address: ADDRESS }
    for (let attempt = 0; attempt < GUESS_LIMITS.free; attempt += 1) await failed(use.signIn(anonymous))
    assert.equal((await failed(use.signIn({ ...anonymous, password: PASSWORD })))._tag, 'TooManyAttempts')
    const own = { email: ANN, address: ADDRESS, device }
    for (let attempt = 1; attempt < GUESS_LIMITS.free; attempt += 1) {
      assert.equal((await failed(use.signIn({ ...own, password: 'a slip' })))._tag, 'SignInRefused')
    }
    assert.equal((await done(use.signIn({ ...own, password: PASSWORD }))).device, device)
    for (let attempt = 0; attempt < GUESS_LIMITS.free; attempt += 1) await failed(use.signIn({ ...own, password: 'stolen' }))
    assert.deepEqual(await failed(use.signIn({ ...own, password: PASSWORD })), {
      _tag: 'TooManyAttempts', retryAt: clock.at + GUESS_LIMITS.firstDelayMs,
    })
  })

  it('knows a device only for its own member, until the password changes or the device expires', async () => {
    const { use, join, clock } = await memberWorld()
    await join(ANN)
    await join('bob@example.com')
    const signedIn = await done(use.signIn({ email: ANN, password: PASSWORD }))
    const { device = assert.fail('no device') } = signedIn
    const isKnown = async (email: string, given: string, password = PASSWORD): Promise<boolean> => {
      for (let attempt = 0; attempt < GUESS_LIMITS.free; attempt += 1) {
        await failed(use.signIn({ email, password: 'wrong', address: ADDRESS }))
      }
      const answer = await use.signIn({ email, password, address: ADDRESS, device: given })
      clock.at += 60_000_000
      return answer._tag === 'Right'
    }
    assert.isTrue(await isKnown(ANN, device))
    assert.isFalse(await isKnown('bob@example.com', device))
    const [name = '', since = '', signature = ''] = device.split('.')
    for (const forged of [
      '', 'x', `${name}.${since}`, `${name}x.${since}.${signature}`, `${name}.${Number(since) + 1}.${signature}`,
      `${name}.${since}.${'A'.repeat(43)}`,
    ]) {
      assert.isFalse(await isKnown(ANN, forged), forged)
    }
    const again = await done(use.signIn({ email: ANN, password: PASSWORD, device }))
    clock.at += DEVICE_MS
    assert.isFalse(await isKnown(ANN, again.device ?? ''))
    const later = await done(use.signIn({ email: ANN, password: PASSWORD }))
    const { token } = later
    const session = await done(use.authenticate({ token }))
    await done(use.setPassword({ signedIn: session, current: PASSWORD, password: PASSWORD }))
    assert.isFalse(await isKnown(ANN, later.device ?? ''))
  })

  it('begins a session with a new token each time, which ends when idle and at the latest after its time', async () => {
    const { use, join, clock } = await memberWorld()
    await join(ANN)
    const first = await done(use.signIn({ email: ANN, password: PASSWORD }))
    const second = await done(use.signIn({ email: ANN, password: PASSWORD }))
    assert.notEqual(first.token, second.token)
    const begun = clock.at
    clock.at += SESSION_IDLE_MS - 1
    await done(use.authenticate({ token: first.token }))
    clock.at += 1
    assert.deepEqual(await failed(use.authenticate({ token: second.token })), { _tag: 'NotSignedIn' })
    while (clock.at + SESSION_IDLE_MS < begun + SESSION_MS) {
      clock.at += SESSION_IDLE_MS - 2
      await done(use.authenticate({ token: first.token }))
    }
    clock.at = begun + SESSION_MS
    assert.deepEqual(await failed(use.authenticate({ token: first.token })), { _tag: 'NotSignedIn' })
  })

  it('is recorded with person, address and result, without a token, a password, or an invalid email', async () => {
    const { use, join, entries } = await memberWorld()
    const joined = await join(ANN)
    const { token } = await done(use.signIn({ email: ANN, password: PASSWORD, address: ADDRESS }))
    await failed(use.signIn({ email: ANN, password: 'a wrong password', address: ADDRESS }))
    await failed(use.signIn({ email: 'hunter2 hunter2', password: ANN, address: ADDRESS }))
    const noted = await entries()
    assert.deepEqual(noted.map(({ act, outcome, by }) => [act, outcome, by.type, 'email' in by ? by.email : undefined]), [
      ['member.invite', 'done', 'system', undefined],
      ['member.accept_invitation', 'done', 'member', ANN],
      ['member.sign_in', 'done', 'member', ANN],
      ['member.set_password', 'done', 'member', ANN],
      ['member.sign_in', 'done', 'member', ANN],
      ['member.sign_in', 'refused', 'unknown', ANN],
      ['member.sign_in', 'refused', 'unknown', undefined],
    ])
    assert.deepEqual(noted.slice(4).map(({ address }) => address), [ADDRESS, ADDRESS, ADDRESS])
    for (const secret of [token, joined.token, PASSWORD, 'a wrong password', 'hunter2']) assert.notInclude(JSON.stringify(noted), secret)
  })
})

describe('an invitation', () => {
  it('signs in once, until it expires', async () => {
    const { use, clock } = await memberWorld()
    const invite = () => done(use.inviteMember({ by: SYSTEM, email: ANN, access: { _tag: 'Operator' } }))
    const { token } = await invite()
    assert.deepEqual(await done(use.peekLink({ token })), { _tag: 'Member', email: ANN as Email })
    await done(use.takeLink({ token }))
    for (const ask of [use.peekLink, use.takeLink]) assert.deepEqual(await failed(ask({ token })), { _tag: 'LinkUnusable' })
    const late = await invite()
    clock.at += INVITATION_MS
    assert.deepEqual(await failed(use.takeLink({ token: late.token })), { _tag: 'LinkUnusable' })
  })

  it('is replaced by a later one for the same email, which is one member', async () => {
    const { use, storage, workspace } = await memberWorld()
    const first = await done(use.inviteMember({ by: SYSTEM, email: ANN, access: role(workspace, 'viewer') }))
    const later = await done(use.inviteMember({ by: SYSTEM, email: 'ANN@example.com', access: role(workspace, 'owner') }))
    assert.equal(later.member, first.member)
    assert.deepEqual(await failed(use.takeLink({ token: first.token })), { _tag: 'LinkUnusable' })
    assert.deepEqual([...(await done(use.takeLink({ token: later.token }))).principal.roles], [[workspace, 'owner']])
    assert.lengthOf(await done(storage.members.list()), 1)
  })
})

describe('setting a password', () => {
  it('ends all other sessions', async () => {
    const { use, join } = await memberWorld()
    const kept = await join(ANN)
    const other = await done(use.signIn({ email: ANN, password: PASSWORD }))
    await done(use.setPassword({ signedIn: kept, password: 'quite another one' }))
    await done(use.authenticate({ token: kept.token }))
    assert.deepEqual(await failed(use.authenticate({ token: other.token })), { _tag: 'NotSignedIn' })
    assert.deepEqual(await failed(use.signIn({ email: ANN, password: PASSWORD })), { _tag: 'SignInRefused' })
  })

  it('needs the current password, but for a while after signing in by a link', async () => {
    const { use, join, clock } = await memberWorld()
    const byLink = await join(ANN)
    const byPassword = await done(use.signIn({ email: ANN, password: PASSWORD }))
    for (const current of [undefined, '', 'wrong']) {
      assert.deepEqual(
        await failed(use.setPassword({ signedIn: byPassword, current, password: 'quite another one' })), { _tag: 'SignInRefused' },
      )
    }
    await done(use.setPassword({ signedIn: byPassword, current: PASSWORD, password: 'quite another one' }))
    clock.at += FRESH_LINK_MS
    assert.deepEqual(await failed(use.setPassword({ signedIn: byLink, password: PASSWORD })), { _tag: 'SignInRefused' })
  })

  it('limits guesses of the current password', async () => {
    const { use, join } = await memberWorld()
    await join(ANN)
    const signedIn = await done(use.signIn({ email: ANN, password: PASSWORD }))
    const guess = async () => (await failed(use.setPassword({ signedIn, current: 'wrong', password: 'quite another one' })))._tag
    for (let attempt = 0; attempt < GUESS_LIMITS.free; attempt += 1) assert.equal(await guess(), 'SignInRefused')
    assert.equal(await guess(), 'TooManyAttempts')
  })

  it('refuses one that is too short, too long, the email or well known, and says why', async () => {
    const { use, join } = await memberWorld()
    const signedIn = await join('someone@example.com')
    for (const password of [
      'eleven char', '🦦'.repeat(11), 'ab cd'.repeat(41), 'Someone@Example.com', 'Password1234', 'abcabcabcabc', ' '.repeat(20),
    ]) {
      const failure = await failed(use.setPassword({ signedIn, password }))
      assert.isTrue(failure._tag === 'InvalidPassword' && failure.reason.length > 10 && !failure.reason.includes(password), password)
    }
    await done(use.setPassword({ signedIn, password: 'twelve chars' }))
  })
})
