import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import fc from 'fast-check'
import { checkFreeForm } from '../../../apps/simulator/graph/free-form.js'
import { checkContent } from '../../../core/messages/content.js'
import { SAMPLES } from '../../core/content-samples.js'
import { generated } from '../../core/generated-content.js'

const MESSAGES = 10_000

/** Of so many messages, one may be judged in different ways. */
const ONE_IN = 200

describe('the limits of content, of Postern and of the simulator', () => {
  it(`agree on ${MESSAGES} messages near them, and the simulator refuses none that Postern takes`, () => {
    let [taken, stricter] = [0, 0]
    const refused: Array<unknown> = []
    for (const generate of fc.sample(fc.gen(), { numRuns: MESSAGES, seed: 37 })) {
      const { type, content } = generated(generate)
      const [own, platforms] = [checkContent(type, content), checkFreeForm(type, { [type]: content })]
      if (own.length === 0) taken += 1
      if (own.length === 0 && E.isLeft(platforms)) refused.push({ type, content, error: platforms.left })
      if (own.length > 0 && E.isRight(platforms)) stricter += 1
    }
    assert.deepEqual(refused.slice(0, 3), [])
    assert.isAtMost(stricter, MESSAGES / ONE_IN)
    assert.isAbove(taken, MESSAGES / 10, 'many of them are good')
    assert.isBelow(taken, MESSAGES * 9 / 10, 'many of them are not')
  })

  for (const [name, { type, content }] of Object.entries(SAMPLES)) {
    it(`are kept by the sample ${name}`, () => assert.isTrue(E.isRight(checkFreeForm(type, { [type]: content }))))
  }
})
