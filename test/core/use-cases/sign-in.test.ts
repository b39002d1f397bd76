import { assert } from 'chai'
import { FRESH_LINK_MS, INVITATION_MS, SESSION_IDLE_MS, SESSION_MS, SYSTEM, type Email } from '../../../core/index.js'
import { ADDRESS_ATTEMPTS, ATTEMPTS_WITHIN_MS, EMAIL_ATTEMPTS } from '../../../core/use-cases/sign-in-attempts.js'
import { ADDRESS, leftOf, memberWorld, PASSWORD, rightOf, role } from './member-world.js'

const ANN = 'ann@example.com'

describe('signing in', () => {
  it('takes an email in any letter case, and the right password alone', async () => {
    const { use, join } = await memberWorld()
    await join(ANN)
    const { token, principal } = await rightOf(use.signIn({ email: ' Ann@Example.COM ', password: PASSWORD }))
    assert.equal(principal.email, ANN)
    assert.equal((await rightOf(use.authenticate({ token }))).principal.email, ANN)
    for (const [email, password] of [[ANN, 'three blind Otters'], [ANN, ''], ['bob@example.com', PASSWORD], ['no email', PASSWORD]] as const) {
      assert.deepEqual(await leftOf(use.signIn({ email, password })), { _tag: 'SignInRefused' })
    }
  })

  it('verifies a password as often for an email that no member has as for one that a member has', async () => {
    const { use, join, verified } = await memberWorld()
    await join(ANN)
    for (const email of [ANN, 'bob@example.com', 'no email']) await leftOf(use.signIn({ email, password: 'wrong' }))
    await leftOf(use.signIn({ email: ANN, password: 'x'.repeat(201) }))
    assert.deepEqual(verified, [`digest of ${PASSWORD}`, undefined, undefined, undefined])
  })

  it('takes a password however its characters were composed', async () => {
    const { use, join } = await memberWorld()
    const signedIn = await join(ANN)
    await rightOf(use.setPassword({ signedIn, password: 'cafe\u0301 at midnight' }))
    await rightOf(use.signIn({ email: ANN, password: 'caf\u00e9 at midnight' }))
  })

  it('is limited for each email, whether or not it is a member\'s, and again possible after a while', async () => {
    const { use, join, clock, verified } = await memberWorld()
    await join(ANN)
    for (const email of [ANN, 'bob@example.com']) {
      const began = clock.at
      for (let attempt = 0; attempt < EMAIL_ATTEMPTS; attempt += 1) await leftOf(use.signIn({ email, password: 'wrong' }))
      const before = verified.length
      assert.deepEqual(await leftOf(use.signIn({ email, password: PASSWORD })), { _tag: 'TooManyAttempts', retryAt: began + ATTEMPTS_WITHIN_MS })
      assert.equal(verified.length, before)
    }
    clock.at += ATTEMPTS_WITHIN_MS
    await rightOf(use.signIn({ email: ANN, password: PASSWORD }))
  })

  it('is limited for each address, and for each /64 of IPv6, even where an attacker signs in with an account of her own', async () => {
    const { use, join } = await memberWorld()
    await join(ANN)
    const guesses = async (addressOf: (attempt: number) => string) => {
      for (let attempt = 0; attempt < ADDRESS_ATTEMPTS; attempt += 1) {
        const address = addressOf(attempt)
        if (attempt === 10) await rightOf(use.signIn({ email: ANN, password: PASSWORD, address }))
        else assert.equal((await leftOf(use.signIn({ email: `x${attempt}@example.com`, password: PASSWORD, address })))._tag, 'SignInRefused')
      }
      return (await leftOf(use.signIn({ email: 'last@example.com', password: PASSWORD, address: addressOf(ADDRESS_ATTEMPTS) })))._tag
    }
    assert.equal(await guesses((attempt) => (attempt % 2 === 0 ? '203.0.113.9' : '::ffff:203.0.113.9')), 'TooManyAttempts')
    assert.equal(await guesses((attempt) => (attempt % 2 === 0 ? `2001:db8:0:1::${attempt}` : `2001:DB8::1:0:0:0:${attempt}`)), 'TooManyAttempts')
    assert.equal(await guesses((attempt) => `2001:db8:0:${(attempt + 2).toString(16)}::1`), 'SignInRefused')
  })

  it('forgets the attempts with an email after a success', async () => {
    const { use, join } = await memberWorld()
    await join(ANN)
    for (let round = 0; round < 3; round += 1) {
      for (let attempt = 1; attempt < EMAIL_ATTEMPTS; attempt += 1) await leftOf(use.signIn({ email: ANN, password: 'wrong' }))
      await rightOf(use.signIn({ email: ANN, password: PASSWORD }))
    }
  })

  it('begins a session with a new token each time, which ends when idle and at the latest after its time', async () => {
    const { use, join, clock } = await memberWorld()
    await join(ANN)
    const first = await rightOf(use.signIn({ email: ANN, password: PASSWORD }))
    const second = await rightOf(use.signIn({ email: ANN, password: PASSWORD }))
    assert.notEqual(first.token, second.token)
    const begun = clock.at
    clock.at += SESSION_IDLE_MS - 1
    await rightOf(use.authenticate({ token: first.token }))
    clock.at += 1
    assert.deepEqual(await leftOf(use.authenticate({ token: second.token })), { _tag: 'NotSignedIn' })
    while (clock.at + SESSION_IDLE_MS < begun + SESSION_MS) {
      clock.at += SESSION_IDLE_MS - 2
      await rightOf(use.authenticate({ token: first.token }))
    }
    clock.at = begun + SESSION_MS
    assert.deepEqual(await leftOf(use.authenticate({ token: first.token })), { _tag: 'NotSignedIn' })
  })

  it('is noted with who, from where and what came of it, without a token, a password, or an email that is none', async () => {
    const { use, join, entries } = await memberWorld()
    const joined = await join(ANN)
    const { token } = await rightOf(use.signIn({ email: ANN, password: PASSWORD, address: ADDRESS }))
    await leftOf(use.signIn({ email: ANN, password: 'a wrong password', address: ADDRESS }))
    await leftOf(use.signIn({ email: 'hunter2 hunter2', password: ANN, address: ADDRESS }))
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
    const invite = () => rightOf(use.inviteMember({ by: SYSTEM, email: ANN, access: { _tag: 'Operator' } }))
    const { token } = await invite()
    assert.deepEqual(await rightOf(use.peekLink({ token })), { _tag: 'Member', email: ANN as Email })
    await rightOf(use.takeLink({ token }))
    for (const answer of [use.peekLink({ token }), use.takeLink({ token })]) assert.deepEqual(await leftOf(answer), { _tag: 'LinkUnusable' })
    const late = await invite()
    clock.at += INVITATION_MS
    assert.deepEqual(await leftOf(use.takeLink({ token: late.token })), { _tag: 'LinkUnusable' })
  })

  it('is replaced by a later one for the same email, which is one member', async () => {
    const { use, storage, workspace } = await memberWorld()
    const first = await rightOf(use.inviteMember({ by: SYSTEM, email: ANN, access: role(workspace, 'viewer') }))
    const later = await rightOf(use.inviteMember({ by: SYSTEM, email: 'ANN@example.com', access: role(workspace, 'owner') }))
    assert.equal(later.member, first.member)
    assert.deepEqual(await leftOf(use.takeLink({ token: first.token })), { _tag: 'LinkUnusable' })
    assert.deepEqual([...(await rightOf(use.takeLink({ token: later.token }))).principal.roles], [[workspace, 'owner']])
    assert.lengthOf(await rightOf(storage.members.list()), 1)
  })
})

describe('setting a password', () => {
  it('ends all other sessions', async () => {
    const { use, join } = await memberWorld()
    const kept = await join(ANN)
    const other = await rightOf(use.signIn({ email: ANN, password: PASSWORD }))
    await rightOf(use.setPassword({ signedIn: kept, password: 'quite another one' }))
    await rightOf(use.authenticate({ token: kept.token }))
    assert.deepEqual(await leftOf(use.authenticate({ token: other.token })), { _tag: 'NotSignedIn' })
    assert.deepEqual(await leftOf(use.signIn({ email: ANN, password: PASSWORD })), { _tag: 'SignInRefused' })
  })

  it('needs the current password, but for a while after signing in by a link', async () => {
    const { use, join, clock } = await memberWorld()
    const byLink = await join(ANN)
    const byPassword = await rightOf(use.signIn({ email: ANN, password: PASSWORD }))
    for (const current of [undefined, '', 'wrong']) {
      assert.deepEqual(await leftOf(use.setPassword({ signedIn: byPassword, current, password: 'quite another one' })), { _tag: 'SignInRefused' })
    }
    await rightOf(use.setPassword({ signedIn: byPassword, current: PASSWORD, password: 'quite another one' }))
    clock.at += FRESH_LINK_MS
    assert.deepEqual(await leftOf(use.setPassword({ signedIn: byLink, password: PASSWORD })), { _tag: 'SignInRefused' })
  })

  it('refuses to guess the current password for ever', async () => {
    const { use, join } = await memberWorld()
    await join(ANN)
    const signedIn = await rightOf(use.signIn({ email: ANN, password: PASSWORD }))
    const guess = async () => (await leftOf(use.setPassword({ signedIn, current: 'wrong', password: 'quite another one' })))._tag
    for (let attempt = 0; attempt < EMAIL_ATTEMPTS; attempt += 1) assert.equal(await guess(), 'SignInRefused')
    assert.equal(await guess(), 'TooManyAttempts')
  })

  it('refuses one that is too short, too long, the email or well known, and says why', async () => {
    const { use, join } = await memberWorld()
    const signedIn = await join('someone@example.com')
    for (const password of ['eleven char', '🦦'.repeat(11), 'ab cd'.repeat(41), 'Someone@Example.com', 'Password1234', 'abcabcabcabc', ' '.repeat(20)]) {
      const failure = await leftOf(use.setPassword({ signedIn, password }))
      assert.isTrue(failure._tag === 'InvalidPassword' && failure.reason.length > 10 && !failure.reason.includes(password), password)
    }
    await rightOf(use.setPassword({ signedIn, password: 'twelve chars' }))
  })
})
