// Slow: reads every file of the repository and follows its ten thousand imports.
import { assert } from 'chai'
import { assertHasPathsOfRules, cruised, dependencyRule, violations } from './cruised.js'
import { ROOT } from './tree.js'

describe('the dependency rule', () => {
  it('is kept by this repository, whose paths are those the rules speak of', async () => {
    const result = await cruised(await dependencyRule(), ROOT)
    assert.deepEqual(violations(result), [])
    assertHasPathsOfRules(result)
  })
})
