import { assert } from 'chai'
import { comparedWord, MAX_OPT_OUT_WORD_LENGTH, optOutWordIn, SHIPPED_WORDS } from '../../../core/consent/words.js'

describe('A word that stops messages', () => {
  for (const [said, word] of [
    ['stop', 'STOP'],
    [' Stop!! 🙏🏽', 'STOP'],
    ['“STOP”.', 'STOP'],
    ['opt-out', 'OPT OUT'],
    ['un\u0301subscribe', 'UNSUBSCRIBE'],
    ['arret', 'ARRÊT'],
    ['¡Baja!', 'BAJA'],
    ['cancelar   suscripcion', 'CANCELAR SUSCRIPCIÓN'],
    ['nao quero mais mensagens', 'NÃO QUERO MAIS MENSAGENS'],
    ['abonelikten cik', 'ABONELİKTEN ÇIK'],
    ['ايقاف', 'إيقاف'],
    ['बंद करें।', 'बंद करें'],
    ['ＳＴＯＰ', 'STOP'],
  ] as const) {
    it(`is understood: ${said}`, () => { assert.equal(optOutWordIn(said, SHIPPED_WORDS), word) })
  }

  for (const said of [
    'we have to STOP this bill', 'stop it', 'STOPPING', 'st op', 'please cancel my order', 'end', 'बद कर', '🛑', '...', '', 'non',
    'stop '.repeat(1_000),
  ]) {
    it(`is the whole message, and not in: ${said.slice(0, 40)}`, () => { assert.isUndefined(optOutWordIn(said, SHIPPED_WORDS)) })
  }

  it('of a workspace replaces the shipped ones', () => {
    assert.equal(optOutWordIn('Halt.', { de: ['halt'] }), 'halt')
    assert.isUndefined(optOutWordIn('STOP', { de: ['halt'] }))
    assert.isUndefined(optOutWordIn('', { de: ['…'] }))
  })

  it('is shipped in eleven languages, short enough and once in a language', () => {
    assert.sameMembers(Object.keys(SHIPPED_WORDS), ['en', 'de', 'es', 'pt-BR', 'fr', 'it', 'nl', 'tr', 'ar', 'hi', 'id'])
    for (const words of Object.values(SHIPPED_WORDS)) {
      for (const word of words) assert.isAtMost(word.length, MAX_OPT_OUT_WORD_LENGTH)
      assert.notInclude(words.map(comparedWord), '')
      assert.lengthOf(words, new Set(words.map((word) => word.toLowerCase())).size)
    }
  })
})
