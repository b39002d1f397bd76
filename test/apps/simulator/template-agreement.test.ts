import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { makeMessageRequest } from '../../../adapters/cloud-api/cloud-api.js'
import { graphErrorOf } from '../../../adapters/koa/graph/errors.js'
import type { HttpFailure } from '../../../adapters/koa/reply.js'
import type { TemplateDefinition } from '../../../apps/simulator/templates/template.js'
import { makeTemplates, type Templates } from '../../../apps/simulator/templates/templates.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import type { Currency } from '../../../core/kernel/money.js'
import { MINUTE_MS, SECOND_MS } from '../../../core/kernel/time.js'
import { messageIdOf } from '../../../core/messages/message.js'
import { priceBy, type RateCard } from '../../../core/money/rate-card.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { type GeneratedSend, generateSend, rightSend } from '../../support/generated-sends.js'
import { elementOf, generateTemplates, oneOf } from '../../support/generated-templates.js'
import { rightOf } from '../../support/right-of.js'
import { answerTo, simulatorTransport } from '../../support/simulator-transport.js'
import { templateWorld } from '../../support/template-world.js'
import { makeSeededRandom, type SeededRandom } from '../../torture/seeded-random.js'

type Fields = Readonly<Record<string, unknown>>

const SENDS = 10_000
const NAMES = 200

/** With these the platform refuses what the gateway knows before it holds money. */
const CODES = [132000, 132001, 132012, 132015, 132018]

/** Mistakes after which the components are those of another template, so that several faults are there: the gateway may know another one than the platform names. */
const SEVERAL_FAULTS = ['name', 'language']

/** What the list shows instead of a template's own fields, so that the gateway cannot know what fills it, or whether it is sent. */
const ODD_LISTINGS: readonly [Fields, ...Fields[]] = [
  { components: 'no list' }, { components: null }, { components: [{ type: 'HOLOGRAM', text: '{{1}}' }] },
  { parameter_format: null }, { parameter_format: 'SPOKEN' }, { status: 'A_NEW_WORD' }, { status: null }, { category: null },
]

const TO = '4915123456789' as PhoneNumber
const ENDPOINT = { baseUrl: 'https://platform.test', version: 'v25.0', timeoutMs: SECOND_MS }
const CARD: RateCard = {
  currency: 'USD' as Currency, effective: '2026-01-01', markets: new Map(), templateCategory: 'marketing',
  default: { service: 1n, marketing: 2n, utility: 3n, authentication: 4n },
}

const request = makeMessageRequest(ENDPOINT)
const answerOf = ({ name, language, components }: GeneratedSend, templates: Templates) => answerTo(request({
  id: messageIdOf('0'.repeat(32)), sender: { phoneNumberId: senderIdOf('1'), accessToken: 'token', businessAccountId: undefined },
  message: { _tag: 'Template', to: TO, name, language, ...(components && { components }) },
}).body ?? '', templates)

/** The code by which the Graph-compatible API tells a client of the platform why a send was refused. */
const doorCode = (sent: E.Either<HttpFailure, unknown>): unknown =>
  (E.isLeft(sent) ? graphErrorOf(sent.left, { id: '', method: 'post', path: '', now: 0 }).error['code'] : undefined)

const keyOf = ({ name, language }: Pick<TemplateDefinition, 'name' | 'language'>): string => `${name} ${language}`

describe('The check of a template before a send', () => {
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)

  it(`refuses what the simulator refuses, and never what it accepts (SEED=${seed})`, async () => {
    const random = makeSeededRandom(seed)
    const definitions = [...generateTemplates(random, NAMES)]
    const templates = makeTemplates(definitions)
    const odd = new Set(definitions.filter(() => random.chance(0.03)).map((definition) => {
      templates.change(definition.name, definition.language, { listed: oneOf(random, ODD_LISTINGS) })
      return keyOf(definition)
    }))
    let now = Date.UTC(2026, 10, 22)
    const { transport, answers } = simulatorTransport(templates)
    const world = templateWorld({ transport, endpoint: ENDPOINT, accountId: '200', priceOf: priceBy(CARD), now: () => now })
    const workspace = await world.addWorkspace('100')
    await world.readTemplates()

    const seen = { accepted: 0, known: 0, refusedBefore: 0 }
    const wronglyRefused: GeneratedSend[] = []
    const missed = new Map<string, number>()
    const otherCodes = new Map<string, number>()
    for (let count = 0; count < SENDS; count += 1) {
      now += SECOND_MS
      const isEdited = random.chance(0.02)
      if (isEdited) now += MINUTE_MS
      const send = isEdited ? rightSend(random, edited(random, definitions, templates)) : generateSend(random, definitions)
      const answer = answerOf(send, templates)
      const before = answers.length
      const sent = await world.sendTemplate({
        workspace, to: TO, name: send.name, language: send.language, ...(send.components && { components: send.components }),
      })
      const isRefusedBefore = answers.length === before
      assert.equal(E.isLeft(sent), answer !== 'accepted' || isRefusedBefore)
      if (answer === 'accepted') {
        seen.accepted += 1
        if (isRefusedBefore) wronglyRefused.push(send)
      } else if (CODES.includes(answer.code) && !odd.has(keyOf(send))) {
        seen.known += 1
        if (isRefusedBefore) {
          seen.refusedBefore += 1
          const code = doorCode(sent)
          if (code !== answer.code && !SEVERAL_FAULTS.includes(send.mistake)) {
            const label = `${send.mistake}: ${String(code)} for ${answer.code}`
            otherCodes.set(label, (otherCodes.get(label) ?? 0) + 1)
          }
        } else missed.set(send.mistake, (missed.get(send.mistake) ?? 0) + 1)
      }
    }
    const run = `SEED=${seed}: ${JSON.stringify({ ...seen, missed: [...missed], otherCodes: [...otherCodes] })}`
    assert.deepEqual(wronglyRefused.slice(0, 3), [], run)
    assert.isAtLeast(seen.refusedBefore / seen.known, 0.99, run)
    assert.deepEqual([...otherCodes], [], `the Graph-compatible API has the codes of the platform; ${run}`)
    assert.isAbove(Math.min(seen.accepted, seen.known), SENDS / 5, run)

    const { items } = rightOf(await world.storage.messageLog.list(workspace, { limit: SENDS }))
    assert.lengthOf(items, answers.length, 'a send that is refused before leaves no message')
    const balance = O.toUndefined(rightOf(await world.storage.ledger.balance(workspace)))
    assert.equal(balance?.held, 0n)
  })
})

/** Approves a template, or changes its text, of which the platform tells the gateway nothing. */
const edited = (random: SeededRandom, definitions: TemplateDefinition[], templates: Templates): TemplateDefinition => {
  const before = elementOf(random, definitions)
  const text = random.chance(0.5) ? 'No variables.' : 'Two variables: {{1}} and {{2}}.'
  const after: TemplateDefinition = before.status === 'APPROVED'
    ? { ...before, components: [{ type: 'BODY', text }], parameter_format: 'POSITIONAL', category: 'UTILITY' }
    : { ...before, status: 'APPROVED' }
  definitions[definitions.indexOf(before)] = after
  templates.add(after)
  return after
}
