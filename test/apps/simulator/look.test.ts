import { assert } from 'chai'
import { PALETTE as OF_ADAPTERS } from '../../../adapters/shared/palette.js'
import { PALETTE } from '../../../apps/simulator/look.js'

describe('the colours of the simulator', () => {
  it('are those of the console, which it does not import', () => {
    const colours = PALETTE.split(';')
    assert.includeMembers(OF_ADAPTERS.split(';'), colours)
    assert.isAbove(colours.length, 15)
  })
})
