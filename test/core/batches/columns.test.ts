import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { matchColumns, matchedLines, missingColumns } from '../../../core/batches/columns.js'
import { batchLines } from '../../../core/batches/lines.js'
import { rightOf } from '../../support/right-of.js'
import { body, templateOf } from '../template-samples.js'

const NUMBERED = templateOf([body('Hello {{1}}, see you on {{2}}.')], { parameterFormat: 'positional' })
const NAMED = templateOf([body('Hello {{first_name}}, see you on {{day}}.')], { parameterFormat: 'named' })

const matched = (...[names, template, chosen]: Parameters<typeof matchColumns>) => Object.fromEntries(matchColumns(names, template, chosen))

describe('The columns of a file of recipients', () => {
  it('are found by the names of a batch, whatever their case', () => {
    assert.deepEqual(matched(['Body.2', 'TO', 'body.1'], NUMBERED), { to: 'TO', 'body.1': 'body.1', 'body.2': 'Body.2' })
  })

  it('are found by the words of people for phone numbers and time zones, and by the names of placeholders', () => {
    assert.deepEqual(
      matched(['Vorname', 'Day', 'First name', 'Handy-Nr', 'Teléfono móvil', 'Zeitzone'], NAMED),
      { to: 'Teléfono móvil', 'body.first_name': 'First name', 'body.day': 'Day', timezone: 'Zeitzone' },
    )
  })

  it('are taken in their order if as many are left as placeholders, and otherwise not guessed', () => {
    assert.deepEqual(matched(['Telefon', 'Vorname', 'Termin'], NUMBERED), { to: 'Telefon', 'body.1': 'Vorname', 'body.2': 'Termin' })
    assert.deepEqual(matched(['Telefon', 'Vorname', 'Termin', 'Ort'], NUMBERED), { to: 'Telefon' })
    assert.deepEqual(matched(['to', 'body.1', 'body.7'], NUMBERED), { to: 'to', 'body.1': 'body.1' })
    assert.deepEqual(missingColumns(NUMBERED, matchColumns(['Telefon', 'Vorname', 'Termin', 'Ort'], NUMBERED)), ['body.1', 'body.2'])
  })

  it('are those that a person chose, even if another one has the name, and a name that the file lacks is no choice', () => {
    const names = ['Phone', 'Mobile', 'A', 'B']
    const chosen = { to: 'Mobile', 'body.1': 'B', 'body.2': 'A', timezone: 'gone' }
    assert.deepEqual(matched(names, NUMBERED, chosen), { to: 'Mobile', 'body.1': 'B', 'body.2': 'A' })
    assert.notProperty(matched(['Phone', 'tz', 'A', 'B'], NUMBERED, { timezone: '-' }), 'timezone')
  })

  it('are read in the order of the batch, with notes, and without what fills nothing; a problem names the column of the file', () => {
    const chosen = { 'body.1': 'Vorname', 'body.2': 'Termin' }
    const form = matchedLines(batchLines(NUMBERED), (names) => E.right(matchColumns(names, NUMBERED, chosen)))
    const ofRow = rightOf(form.ofHead(['Termin', 'Telefon', 'Kommentar', 'Vorname', 'metadata.order']))
    assert.deepInclude(rightOf(ofRow(['3 May', '+49 151 23456789', 'x', 'Ada', 'A-17'])), {
      components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }, { type: 'text', text: '3 May' }] }],
      metadata: { order: 'A-17' },
    })
    const problem = ofRow(['3 May', '0151', 'x', 'Ada', ''])
    assert.equal(E.isLeft(problem) ? problem.left.column : '', 'Telefon')
  })
})
