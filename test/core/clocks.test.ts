import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { GUESS_LIMITS } from '../../core/access/sign-in.js'
import { CLOCK_SKEW_MS, FRESH_LINK_MS, INVITATION_MS, SESSION_IDLE_MS, SESSION_MS } from '../../core/access/members.js'
import { SYSTEM } from '../../core/kernel/actor.js'
import { done, failed } from '../support/right-of.js'
import { memberWorld, PASSWORD } from './use-cases/member-world.js'

const ANN = 'ann@example.com'
const OPERATOR = { _tag: 'Operator' } as const

/** Two gateways on one storage; the clock of the second one is a minute ahead. */
const open = async () => {
  const world = await memberWorld()
  /** What the gateway does whose clock is ahead. */
  const ahead = async <A>(act: () => Promise<A>): Promise<A> => {
    world.clock.at += CLOCK_SKEW_MS
    try {
      return await act()
    } finally {
      world.clock.at -= CLOCK_SKEW_MS
    }
  }
  return { ...world, ahead }
}

describe('gateways whose clocks differ by a minute', () => {
  it('take each other\'s links, which end by the clock of the one that is asked', async () => {
    const { use, clock, ahead } = await open()
    const made = await ahead(() => done(use.inviteMember({ by: SYSTEM, email: ANN, access: OPERATOR })))
    assert.isTrue(E.isRight(await use.peekLink({ token: made.token })))
    assert.isTrue(E.isRight(await use.takeLink({ token: made.token })))

    const late = await done(use.inviteMember({ by: SYSTEM, email: ANN, access: OPERATOR }))
    clock.at += INVITATION_MS - CLOCK_SKEW_MS
    assert.deepEqual(await ahead(() => failed(use.takeLink({ token: late.token }))), { _tag: 'LinkUnusable' })
    assert.isTrue(E.isRight(await use.takeLink({ token: late.token })))
  })

  it('take each other\'s sessions, for everything that a member does with one', async () => {
    const { use, ahead, join } = await open()
    await join(ANN)
    const signedIn = await ahead(() => done(use.signIn({ email: ANN, password: PASSWORD })))
    const found = await done(use.authenticate({ token: signedIn.token }))
    assert.equal(found.session.id, signedIn.session.id)
    assert.include((await done(use.listSessions({ signedIn: found }))).map(({ id }) => id), signedIn.session.id)
    await done(use.setPassword({ signedIn: found, password: 'another otter entirely', current: PASSWORD }))
    await done(use.endSessions({ signedIn: found, which: { id: signedIn.session.id } }))
    for (const ask of [
      () => failed(use.authenticate({ token: signedIn.token })), () => ahead(() => failed(use.authenticate({ token: signedIn.token }))),
    ]) {
      assert.deepEqual(await ask(), { _tag: 'NotSignedIn' })
    }
  })

  it('let a link stand for the password for a quarter of an hour and no more than a minute longer', async () => {
    const { use, clock, ahead, join } = await open()
    await join(ANN)
    const { token } = await done(use.inviteMember({ by: SYSTEM, email: ANN, access: OPERATOR }))
    const signedIn = await ahead(() => done(use.takeLink({ token })))
    clock.at += FRESH_LINK_MS
    assert.isTrue(E.isRight(await use.setPassword({ signedIn, password: 'another otter entirely' })))
    clock.at += CLOCK_SKEW_MS
    assert.deepEqual(await failed(use.setPassword({ signedIn, password: 'yet another otter' })), { _tag: 'SignInRefused' })
  })

  it('end a session by whichever clock is asked, idle or at its end', async () => {
    for (const lifeMs of [SESSION_IDLE_MS, SESSION_MS]) {
      const { use, clock, ahead, join } = await open()
      const { token } = await join(ANN)
      const step = SESSION_IDLE_MS / 2
      for (let passed = 0; lifeMs === SESSION_MS && passed + step < lifeMs; passed += step) {
        clock.at += step
        await done(use.authenticate({ token }))
      }
      clock.at += (lifeMs === SESSION_MS ? step : lifeMs) - CLOCK_SKEW_MS
      assert.deepEqual(await ahead(() => failed(use.authenticate({ token }))), { _tag: 'NotSignedIn' })
      await done(use.authenticate({ token }))
      clock.at += lifeMs === SESSION_MS ? CLOCK_SKEW_MS : SESSION_IDLE_MS
      assert.deepEqual(await failed(use.authenticate({ token })), { _tag: 'NotSignedIn' })
    }
  })

  it('count attempts to sign in together', async () => {
    const { use, ahead, join } = await open()
    await join(ANN)
    for (let attempt = 0; attempt < GUESS_LIMITS.free; attempt += 1) {
      const guess = () => failed(use.signIn({ email: ANN, password: 'a wrong password' }))
      assert.deepEqual(await (attempt < 2 ? guess() : ahead(guess)), { _tag: 'SignInRefused' })
    }
    for (const right of [
      () => failed(use.signIn({ email: ANN, password: PASSWORD })),
      () => ahead(() => failed(use.signIn({ email: ANN, password: PASSWORD }))),
    ]) {
      assert.equal((await right())._tag, 'TooManyAttempts')
    }
  })

  it('bring no delay to each other if no password was wrong, or one was', async () => {
    const { use, ahead, join } = await open()
    await join(ANN)
    await ahead(() => done(use.signIn({ email: ANN, password: PASSWORD })))
    await done(use.signIn({ email: ANN, password: PASSWORD }))
    await ahead(() => failed(use.signIn({ email: ANN, password: 'a wrong password' })))
    await done(use.signIn({ email: ANN, password: PASSWORD }))
  })
})
