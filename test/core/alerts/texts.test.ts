import { assert } from 'chai'
import { ALERT_TEXTS, type TroubleFact } from '../../../core/alerts/texts.js'
import { LANGUAGES } from '../../../core/kernel/language.js'

/** A fact of each kind. */
const FACTS: ReadonlyArray<TroubleFact> = [
  { _tag: 'WalletEmpty' }, { _tag: 'WalletLow' }, { _tag: 'MessagesFailing', failed: 12, ended: 34 },
  { _tag: 'TokenRefused', sender: '1555' }, { _tag: 'TokenUnreadable', sender: '1555' },
  { _tag: 'NumberRed', number: '+1 555' }, { _tag: 'TemplateStopped', name: 'hello', language: 'en_US', status: 'paused' },
  { _tag: 'TemplateStopped', name: 'hello', language: 'en_US', status: 'disabled' },
  { _tag: 'TemplateRed', name: 'hello', language: 'en_US' },
  { _tag: 'EndpointFailing', endpoint: 'ep_1' }, { _tag: 'EndpointDisabled', endpoint: 'ep_1' },
]

describe('The texts of alerts', () => {
  for (const fact of FACTS) {
    it(`say in every language the values of ${JSON.stringify(fact)}, in a sentence of its own`, () => {
      const sentences = LANGUAGES.map((language) => ALERT_TEXTS[language].sentence(fact))
      assert.lengthOf(new Set(sentences), LANGUAGES.length)
      const { _tag: _, status: __, ...values } = { status: undefined, ...fact }
      for (const sentence of sentences) {
        assert.match(sentence, /^\p{Lu}.*\.$|^\d.*\.$/u)
        for (const value of Object.values(values)) assert.include(sentence, String(value))
      }
    })
  }

  it('differ for each fact, and count further troubles', () => {
    for (const language of LANGUAGES) {
      const { sentence, more } = ALERT_TEXTS[language]
      assert.lengthOf(new Set(FACTS.map(sentence)), FACTS.length)
      assert.match(more(7), /^ \(.*7.*\)$/)
    }
  })
})
