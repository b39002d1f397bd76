import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makePasswordHashQueue } from '../../../adapters/scrypt/password-hash-queue.js'
import { GUESS_LIMITS, guesserAttempts } from '../../../core/access/sign-in.js'
import type { Email, PasswordHasher } from '../../../core/index.js'
import { eventually } from '../../support/eventually.js'
import { done, failed } from '../../support/right-of.js'
import { ADDRESS, memberWorld, PASSWORD } from '../use-cases/member-world.js'
import { plainHasher } from '../../support/plain-hasher.js'

const ANN = 'ann@example.com'
const WRONG = 'a wrong password'

describe('signing in during a flood', () => {
  /** Computes with wrong passwords only as it is let go on. */
  const heldHasher = () => {
    const { hash, verify } = plainHasher()
    const held: Array<() => void> = []
    let isOpen = true
    const passwords: PasswordHasher = {
      hash,
      verify: async (password, digest) => {
        if (!isOpen && password !== PASSWORD) await new Promise<void>((resolve) => { held.push(resolve) })
        return verify(password, digest)
      },
    }
    return {
      passwords,
      held: () => held.length,
      hold: () => { isOpen = false },
      letGo: (count: number) => { for (const go of held.splice(0, count)) go() },
    }
  }

  const open = async () => {
    const hasher = heldHasher()
    const world = await memberWorld({
      passwords: hasher.passwords, passwordHashQueue: makePasswordHashQueue({ waiting: 10, waitMs: 60_000, loudEveryMs: 0 }),
    })
    await world.join(ANN)
    let made = 0
    /** Wrong passwords from so many networks, one after the other. */
    const flood = (count: number, networks: number): Array<Promise<E.Either<{ readonly _tag: string }, unknown>>> =>
      Array.from({ length: count }, () => {
        made += 1
        return world.use.signIn({ email: `guess${made}@example.com`, password: WRONG, address: `192.0.2.${made % networks}` })
      })
    return { ...world, ...hasher, flood }
  }

  it('gets the next slot, however many callers guess from however many networks', async () => {
    const { use, hold, held, letGo, flood } = await open()
    hold()
    const guesses = flood(400, 200)
    await eventually('the first guess', () => (held() === 1 ? true : undefined))
    const right = use.signIn({ email: ANN, password: PASSWORD, address: ADDRESS })
    let hasSignedIn = false
    void right.then(() => { hasSignedIn = true })
    await new Promise((resolve) => { setImmediate(resolve) })
    assert.isFalse(hasSignedIn)
    letGo(1)
    assert.equal((await right)._tag, 'Right')
    await eventually('the next guess', () => (held() === 1 ? true : undefined))
    for (let turn = 0; turn < 20; turn += 1) {
      letGo(1)
      await new Promise((resolve) => { setImmediate(resolve) })
    }
    const tags = (await Promise.all(guesses)).map((guess) => (E.isLeft(guess) ? guess.left._tag : 'Right'))
    assert.sameMembers([...new Set(tags)], ['SignInRefused', 'TooManyRequests'])
    assert.isAtLeast(tags.filter((tag) => tag === 'TooManyRequests').length, 379, 'ten wait in the order of the quiet, and ten more by lot')
  })

  it('does not wait for anonymous callers on a known device, not even for one from the same address', async () => {
    const { use, hold, held, letGo, flood } = await open()
    const { device } = await done(use.signIn({ email: ANN, password: PASSWORD, address: ADDRESS }))
    hold()
    const guesses = flood(50, 1)
    await eventually('the first guess', () => (held() === 1 ? true : undefined))
    assert.equal((await done(use.signIn({ email: ANN, password: PASSWORD, address: '192.0.2.0', device }))).device, device)
    assert.equal(held(), 1)
    for (let turn = 0; turn < 20; turn += 1) {
      letGo(1)
      await new Promise((resolve) => { setImmediate(resolve) })
    }
    await Promise.all(guesses)
  })

  it('counts no attempt without a slot, and gives no slot to an attempt that must wait for the end of a delay', async () => {
    const { use, hold, held, letGo, storage, clock } = await open()
    const guess = (email: string) => use.signIn({ email, password: WRONG, address: ADDRESS })
    for (let wrong = 0; wrong < GUESS_LIMITS.free; wrong += 1) await guess(ANN)
    hold()
    const under = guess('bob@example.com')
    await eventually('the guess', () => (held() === 1 ? true : undefined))
    assert.equal((await failed(use.signIn({ email: ANN, password: PASSWORD, address: ADDRESS })))._tag, 'TooManyAttempts')
    const others = Array.from({ length: 30 }, () => guess('cyd@example.com'))
    const refused: string[] = []
    for (const other of others) void other.then((answer) => { if (E.isLeft(answer)) refused.push(answer.left._tag) })
    await eventually('refusals', () => (refused.length === 20 ? true : undefined))
    assert.deepEqual([...new Set(refused)], ['TooManyRequests'])
    await done(storage.sessions.mayAttempt([guesserAttempts('cyd@example.com' as Email, ADDRESS)], clock.at))
    for (let turn = 0; turn < 20; turn += 1) {
      letGo(1)
      await new Promise((resolve) => { setImmediate(resolve) })
    }
    await Promise.all([under, ...others])
  })

  it('releases its slot even if the password cannot be verified', async () => {
    const down = E.left({ _tag: 'PortFailure' as const, port: 'PasswordHasher', cause: 'down' })
    const { use } = await memberWorld({
      passwords: { hash: plainHasher().hash, verify: async () => down }, passwordHashQueue: makePasswordHashQueue({ waiting: 0 }),
    })
    for (let attempt = 0; attempt < 3; attempt += 1) {
      assert.deepEqual(await use.signIn({ email: ANN, password: PASSWORD, address: ADDRESS }), down)
    }
  })

  it('gives a member who sets a password a separate slot', async () => {
    const { use, hold, held, letGo, flood } = await open()
    const signedIn = await done(use.signIn({ email: ANN, password: PASSWORD, address: ADDRESS }))
    const session = await done(use.authenticate({ token: signedIn.token }))
    hold()
    const guesses = flood(50, 5)
    await eventually('the first guess', () => (held() === 1 ? true : undefined))
    await done(use.setPassword({ signedIn: session, current: PASSWORD, password: 'four blind otters' }))
    for (let turn = 0; turn < 20; turn += 1) {
      letGo(1)
      await new Promise((resolve) => { setImmediate(resolve) })
    }
    await Promise.all(guesses)
  })
})
