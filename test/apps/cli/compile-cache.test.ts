import { chmod, mkdir, stat, symlink } from 'node:fs/promises'
import { assert } from 'chai'
import { ownFolder } from '../../../apps/cli/compile-cache.js'
import { makeScratch, type Scratch } from '../../support/scratch.js'

/** Other users may create files in such a folder, as in /tmp, but not replace those of this user. */
const SHARED = 0o1777

describe('The folder for compiled code', () => {
  const user = process.getuid?.() ?? 0
  let scratch: Scratch
  let parent: string

  beforeEach(async () => {
    scratch = await makeScratch()
    parent = scratch.path('tmp')
    await mkdir(parent)
    await chmod(parent, SHARED)
  })
  afterEach(() => scratch.remove())

  it('is created for this user only, and used again', async () => {
    const folder = ownFolder(parent, user)
    assert.equal(folder, `${parent}/postern-compiled-${user}`)
    assert.equal((await stat(folder ?? '')).mode & 0o777, 0o700)
    assert.equal(ownFolder(parent, user), folder)
  })

  it('is not used if other users can write to it', async () => {
    const folder = `${parent}/postern-compiled-${user}`
    await mkdir(folder)
    for (const mode of [0o770, 0o702, 0o755]) {
      await chmod(folder, mode)
      assert.isUndefined(ownFolder(parent, user), mode.toString(8))
    }
  })

  it('is not used if it belongs to another user, or is a link to another folder', async () => {
    assert.isUndefined(ownFolder(parent, user + 1))
    await mkdir(scratch.path('elsewhere'), { mode: 0o700 })
    await symlink(scratch.path('elsewhere'), `${parent}/postern-compiled-${user}`)
    assert.isUndefined(ownFolder(parent, user))
  })

  it('is not used if another user can replace it', async () => {
    await chmod(parent, 0o777)
    assert.isUndefined(ownFolder(parent, user))
  })

  it('is not used if it cannot be created', () => {
    assert.isUndefined(ownFolder(scratch.path('missing'), user))
  })
})
