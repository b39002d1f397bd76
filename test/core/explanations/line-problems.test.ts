import { assert } from 'chai'
import { explainLine } from '../../../core/explanations/line-problems.js'

describe('The code of a line', () => {
  it('is explained, whether it is of files, of the API or of the platform', () => {
    const found = ['duplicate_recipient', 'customer_opted_out', 'queue_expired', 'template_parameters', 131_026].map(explainLine)
    for (const one of found) assert.match(`${one?.means} ${one?.fix}`, /^[A-Z].*\..*\.$/s)
    assert.isUndefined(explainLine('nothing'))
  })

  it('is no name of an object', () => {
    assert.isUndefined(explainLine('constructor'))
  })
})
