import { randomBytes, scryptSync } from 'node:crypto'
import { assert } from 'chai'
import { makeScryptHasher } from '../../../adapters/scrypt/scrypt-hasher.js'
import { makeSlots } from '../../../adapters/scrypt/scrypt-hasher.js'
import { rightOf } from '../../support/right-of.js'

const cheap = { logN: 4 }

describe('the digests of passwords', () => {
  it('are verified with the password alone, and have salts of their own', async () => {
    const { hash, verify } = makeScryptHasher(cheap)
    const [first, second] = [rightOf(await hash('three blind otters')), rightOf(await hash('three blind otters'))]
    assert.notEqual(first, second)
    for (const digest of [first, second]) {
      assert.isTrue(rightOf(await verify('three blind otters', digest)))
      for (const other of ['three blind Otters', 'three blind otters ', '']) assert.isFalse(rightOf(await verify(other, digest)))
    }
  })

  it('cost what OWASP asks by default, and say so', async () => {
    const { hash, verify } = makeScryptHasher()
    const digest = rightOf(await hash('three blind otters'))
    assert.match(digest, /^\$scrypt\$ln=17,r=8,p=1\$[\w-]{22}\$[\w-]{43}$/)
    assert.isTrue(rightOf(await verify('three blind otters', digest)))
  })

  it('are those of scrypt', async () => {
    const salt = randomBytes(16)
    const key = scryptSync('three blind otters', salt, 32, { N: 16, r: 8, p: 1 })
    const digest = `$scrypt$ln=4,r=8,p=1$${salt.toString('base64url')}$${key.toString('base64url')}`
    assert.isTrue(rightOf(await makeScryptHasher({ logN: 5 }).verify('three blind otters', digest)))
  })

  it('are verified with the cost that they were made with', async () => {
    const digest = rightOf(await makeScryptHasher({ logN: 3 }).hash('three blind otters'))
    assert.isTrue(rightOf(await makeScryptHasher(cheap).verify('three blind otters', digest)))
  })

  it('are false if there is no digest, or an invalid one', async () => {
    const { verify } = makeScryptHasher(cheap)
    const texts = [undefined, '', 'three blind otters', '$scrypt$ln=40,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA']
    for (const digest of texts) assert.isFalse(rightOf(await verify('', digest)))
  })

  it('are refused if too many wait, and computed again later', async () => {
    const { hash } = makeScryptHasher({ ...cheap, atOnce: 1, waiting: 2 })
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => hash('three blind otters')))
    assert.deepEqual(outcomes.map(({ _tag }) => _tag), ['Right', 'Right', 'Right', 'Left', 'Left'])
    assert.equal((await hash('three blind otters'))._tag, 'Right')
  })
})

describe('the places of works', () => {
  it('are never more than allowed, and are free again after a work that failed', async () => {
    const slots = makeSlots({ atOnce: 2, waiting: 10 })
    let [running, most] = [0, 0]
    const work = async (fails: boolean): Promise<void> => {
      running += 1
      most = Math.max(most, running)
      await new Promise<void>((resolve) => { setImmediate(resolve) })
      running -= 1
      if (fails) throw new Error('failed')
    }
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, (_, index) => slots(() => work(index % 2 === 0))))
    assert.deepEqual(outcomes.map(({ status }) => status), [
      'rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled',
    ])
    assert.equal(most, 2)
    assert.equal(running, 0)
  })
})
