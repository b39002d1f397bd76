import { assert } from 'chai'
import { FIRST_LINK_MS } from '../../../core/access/members.js'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { done, failed } from '../../support/right-of.js'
import { by, keyOf, memberWorld, PASSWORD, role } from '../use-cases/member-world.js'

const ANN = 'ann@example.com'
const BOB = 'bob@example.com'

describe('the first operator', () => {
  it('contains the email and every access; the link and all others like it are used up', async () => {
    const { use } = await memberWorld()
    const links = [await done(use.firstLink()), await done(use.firstLink())]
    const [token = '', other = ''] = links.map((link) => link?.token ?? '')
    assert.deepEqual(await done(use.peekLink({ token })), { _tag: 'FirstOperator' })
    assert.deepEqual(await failed(use.takeLink({ token, email: 'no email' })), { _tag: 'InvalidEmail' })
    const taken = await Promise.all([
      use.takeLink({ token, email: ANN }), use.takeLink({ token: other, email: BOB }), use.takeLink({ token, email: ANN }),
    ])
    assert.deepEqual(taken.map(({ _tag }) => _tag).sort(), ['Left', 'Left', 'Right'])
    assert.isUndefined(await done(use.firstLink()))
    for (const one of [token, other]) assert.deepEqual(await failed(use.takeLink({ token: one, email: BOB })), { _tag: 'LinkUnusable' })
  })

  it('has a quarter of an hour', async () => {
    const { use, clock } = await memberWorld()
    const link = await done(use.firstLink())
    clock.at += FIRST_LINK_MS
    assert.deepEqual(await failed(use.takeLink({ token: link?.token ?? '', email: ANN })), { _tag: 'LinkUnusable' })
  })
})

describe('inviting', () => {
  it('is for operators, and for owners in their workspace', async () => {
    const { use, join, workspace, newWorkspace } = await memberWorld()
    const elsewhere = await newWorkspace()
    const operator = by((await join('op@example.com')).principal)
    const [owner, developer] = [await join(ANN, role(workspace, 'owner')), await join(BOB, role(workspace, 'developer'))]
      .map(({ principal }) => by(principal))
    const invite = async (actor: typeof owner, access: Parameters<typeof use.inviteMember>[0]['access']) =>
      (actor === undefined ? 'none' : await use.inviteMember({ by: actor, email: `new${Math.random()}@example.com`, access }))
    const outcomes: Array<string> = []
    for (const actor of [operator, owner, developer, keyOf(workspace)]) {
      for (const access of [role(workspace, 'owner'), role(elsewhere, 'viewer'), { _tag: 'Operator' } as const]) {
        const outcome = await invite(actor, access)
        outcomes.push(typeof outcome === 'string' ? outcome : outcome._tag)
      }
    }
    assert.deepEqual(outcomes, ['Right', 'Right', 'Right', 'Right', 'Left', 'Left', 'Left', 'Left', 'Left', 'Left', 'Left', 'Left'])
  })

  it('gives an owner no link that works for a person who has access elsewhere, and the same answer as for others', async () => {
    const { use, join, workspace, newWorkspace, entries } = await memberWorld()
    const owner = by((await join(ANN, role(workspace, 'owner'))).principal)
    const operator = by((await join('op@example.com')).principal)
    const elsewhere = await newWorkspace()
    await join(BOB, role(elsewhere, 'viewer'))
    for (const email of ['op@example.com', BOB]) {
      const invited = await done(use.inviteMember({ by: owner, email, access: role(workspace, 'viewer') }))
      assert.sameMembers(Object.keys(invited), ['member', 'email', 'token', 'expiresAt'])
      assert.deepInclude((await entries()).at(-1), { act: 'member.invite', outcome: 'done', subject: email, workspace })
      assert.deepEqual(await failed(use.takeLink({ token: invited.token })), { _tag: 'LinkUnusable' })
    }
    assert.deepEqual(
      (await done(use.listInvitations({ by: owner, workspace }))).map(({ needsOperator }) => needsOperator), [false, false],
    )
    assert.deepEqual((await done(use.listInvitations({ by: operator }))).map(({ needsOperator }) => needsOperator), [true, true])
    assert.equal((await failed(use.listInvitations({ by: owner })))._tag, 'Forbidden')
    const { token, known } = await done(use.inviteMember({ by: operator, email: BOB, access: role(workspace, 'viewer') }))
    assert.deepEqual([known?.email, known?.invitedBy, [...(known?.roles ?? [])]], [BOB, 'the gateway', [[elsewhere, 'viewer']]])
    assert.lengthOf([...(await done(use.takeLink({ token }))).principal.roles], 2)
  })

  it('gives nothing to who opened an earlier link when the person is invited to more', async () => {
    const { use, join, workspace } = await memberWorld()
    const owner = by((await join(ANN, role(workspace, 'owner'))).principal)
    const trap = await done(use.inviteMember({ by: owner, email: BOB, access: role(workspace, 'viewer') }))
    const thief = await done(use.takeLink({ token: trap.token }))
    await done(use.setPassword({ signedIn: thief, password: PASSWORD }))
    const invited = await done(use.inviteMember({ by: SYSTEM, email: BOB, access: { _tag: 'Operator' } }))
    assert.equal(invited.known?.invitedBy, ANN)
    assert.isFalse((await done(use.authenticate({ token: thief.token }))).principal.isOperator)
    const signedIn = await done(use.takeLink({ token: invited.token }))
    assert.isTrue(signedIn.principal.isOperator)
    assert.isFalse(signedIn.hasPassword)
    assert.deepEqual(await failed(use.authenticate({ token: thief.token })), { _tag: 'NotSignedIn' })
    assert.deepEqual(await failed(use.signIn({ email: BOB, password: PASSWORD })), { _tag: 'SignInRefused' })
  })

  it('refuses odd emails and workspaces that do not exist', async () => {
    const { use, workspace } = await memberWorld()
    for (const email of [
      '', 'ann', 'ann@', '@example.com', 'ann@localhost', 'a b@example.com', 'änn@example.com', `${'x'.repeat(250)}@example.com`,
      'ann@example.com\n<x>',
    ]) {
      assert.deepEqual(await failed(use.inviteMember({ by: SYSTEM, email, access: { _tag: 'Operator' } })), { _tag: 'InvalidEmail' }, email)
    }
    const unknown = role(`${workspace}0` as typeof workspace, 'owner')
    assert.deepEqual(await failed(use.inviteMember({ by: SYSTEM, email: ANN, access: unknown })), { _tag: 'UnknownWorkspace' })
  })
})

describe('removing a member', () => {
  it('ends the sessions and links of the person immediately', async () => {
    const { use, join } = await memberWorld()
    await join('op@example.com')
    const { token } = await join(ANN)
    const link = await done(use.inviteMember({ by: SYSTEM, email: ANN, access: { _tag: 'Operator' } }))
    await done(use.removeMember({ by: SYSTEM, email: ANN, from: 'everywhere' }))
    assert.deepEqual(await failed(use.authenticate({ token })), { _tag: 'NotSignedIn' })
    assert.deepEqual(await failed(use.takeLink({ token: link.token })), { _tag: 'LinkUnusable' })
    assert.deepEqual(await failed(use.signIn({ email: ANN, password: PASSWORD })), { _tag: 'SignInRefused' })
    assert.deepEqual(
      await failed(use.removeMember({ by: SYSTEM, email: ANN, from: 'everywhere' })), { _tag: 'MemberNotFound', member: ANN },
    )
  })

  it('leaves one operator, whichever person asks', async () => {
    const { use, join, storage } = await memberWorld()
    const members = [await join(ANN), await join(BOB)]
    const removals = await Promise.all(
      members.map(({ principal }) => use.removeMember({ by: by(principal), email: principal.email, from: 'everywhere' })),
    )
    assert.deepEqual(removals.map((removal) => (removal._tag === 'Left' ? removal.left._tag : 'done')), ['done', 'LastOperator'])
    assert.isTrue(await done(storage.members.hasOperator()))
  })

  it('is for owners in their workspace, and leaves the access elsewhere', async () => {
    const { use, join, workspace, newWorkspace } = await memberWorld()
    const elsewhere = await newWorkspace()
    const owner = by((await join(ANN, role(workspace, 'owner'))).principal)
    await join(BOB, role(elsewhere, 'developer'))
    const bob = await join(BOB, role(workspace, 'viewer'))
    assert.equal((await failed(use.removeMember({ by: owner, email: BOB, from: elsewhere })))._tag, 'Forbidden')
    assert.equal((await failed(use.removeMember({ by: owner, email: BOB, from: 'everywhere' })))._tag, 'Forbidden')
    await done(use.removeMember({ by: owner, email: BOB, from: workspace }))
    assert.deepEqual([...(await done(use.authenticate({ token: bob.token }))).principal.roles], [[elsewhere, 'developer']])
  })
})

describe('the list of members', () => {
  it('shows an owner the members of the own workspace, without their roles elsewhere', async () => {
    const { use, join, workspace, newWorkspace } = await memberWorld()
    const elsewhere = await newWorkspace()
    const owner = by((await join(ANN, role(workspace, 'owner'))).principal)
    await join(BOB, role(elsewhere, 'developer'))
    await join(BOB, role(workspace, 'viewer'))
    await join('op@example.com')
    const listed = await done(use.listMembers({ by: owner, workspace }))
    assert.deepEqual(listed.map(({ email, roles }) => [email, [...roles]]), [[ANN, [[workspace, 'owner']]], [BOB, [[workspace, 'viewer']]]])
    assert.equal((await failed(use.listMembers({ by: owner })))._tag, 'Forbidden')
    assert.lengthOf(await done(use.listMembers({ by: SYSTEM })), 3)
  })
})

describe('what a session keeps of a browser', () => {
  it('is its name, cut between two characters, and nothing if the name has a key or a token in it', async () => {
    const { use, join } = await memberWorld()
    await join(ANN)
    const userAgentOf = async (userAgent: string) =>
      (await done(use.signIn({ email: ANN, password: PASSWORD, userAgent }))).session.userAgent
    assert.equal(await userAgentOf('Mozilla/5.0'), 'Mozilla/5.0')
    assert.equal(await userAgentOf(`${'x'.repeat(254)}🦊`), 'x'.repeat(254))
    assert.isUndefined(await userAgentOf(`curl pst_${'0af3'.repeat(4)}_${'9c'.repeat(24)}`))
  })
})

describe('ending sessions', () => {
  it('ends one, the others or all of one\'s own, and no others', async () => {
    const { use, join, entries } = await memberWorld()
    const [ann, bob] = [await join(ANN), await join(BOB)]
    const again = async () => done(use.signIn({ email: ANN, password: PASSWORD }))
    const [second] = [await again(), await again()]
    assert.equal(await done(use.endSessions({ signedIn: ann, which: { id: bob.session.id } })), 0)
    assert.equal(await done(use.endSessions({ signedIn: ann, which: { id: second.session.id } })), 1)
    assert.equal(await done(use.endSessions({ signedIn: ann, which: 'others' })), 1)
    assert.deepEqual((await done(use.listSessions({ signedIn: ann }))).map(({ id }) => id), [ann.session.id])
    assert.equal(await done(use.endSessions({ signedIn: ann, which: { id: ann.session.id } })), 1)
    assert.deepEqual(await failed(use.authenticate({ token: ann.token })), { _tag: 'NotSignedIn' })
    await done(use.authenticate({ token: bob.token }))
    assert.equal(await done(use.endSessions({ signedIn: bob, which: 'all' })), 1)
    const acts = (await entries()).map(({ act }) => act).filter((act) => act === 'member.end_sessions' || act === 'member.sign_out')
    assert.deepEqual(acts, ['member.end_sessions', 'member.end_sessions', 'member.sign_out', 'member.end_sessions'])
  })
})

describe('signing in with an identity provider', () => {
  const identity = { issuer: 'https://id.example.com', subject: 'u-1' }

  it('joins a member by a verified email once, and knows the person by the subject from then on', async () => {
    const { use, join } = await memberWorld()
    await join(ANN)
    await done(use.signInWithIdentity({ identity, email: 'Ann@example.com', isEmailVerified: true }))
    const again = await done(use.signInWithIdentity({ identity, email: 'renamed@example.com', isEmailVerified: false }))
    assert.equal(again.principal.email, ANN)
  })

  it('refuses an email that is unverified, missing, unknown or got a new owner, says what to do, and notes it', async () => {
    const { use, join, entries } = await memberWorld()
    await join(ANN)
    const refusal = async (subject: string, email: string | undefined, isEmailVerified = true) => {
      const failure = await failed(use.signInWithIdentity({ identity: { ...identity, subject }, email, isEmailVerified }))
      assert.deepInclude((await entries()).at(-1), { act: 'member.sign_in', outcome: 'refused' })
      return failure._tag === 'IdentityRefused' ? failure.reason : ''
    }
    assert.match(await refusal('u-2', ANN, false), /not verified your email/)
    assert.match(await refusal('u-2', undefined), /did not share your email/)
    assert.match(await refusal('u-2', BOB), /invitation/)
    await done(use.signInWithIdentity({ identity, email: ANN, isEmailVerified: true }))
    assert.match(await refusal('u-2', ANN), /another account/)
  })
})
