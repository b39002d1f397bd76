import { assert } from 'chai'
import { graphErrorOf, toGraphReply } from '../../../../adapters/koa/graph/errors.js'
import { type HttpFailure, toReply } from '../../../../adapters/koa/reply.js'
import { ASKED, ROWS } from './rows.js'

describe('the errors of the Graph-compatible API', () => {
  for (const [
    failure, status, code, more = {},
  ] of Object.values<readonly [HttpFailure, number, number, Readonly<Record<string, unknown>>?]>(
    ROWS,
  )) {
    it(`say ${failure._tag} by ${code}`, () => {
      const reply = toGraphReply(failure, ASKED)
      const { error } = JSON.parse(reply.body) as { readonly error: Readonly<Record<string, unknown>> }
      assert.equal(reply.status, status)
      assert.deepInclude(error, { code, ...more })
      assert.equal(error['fbtrace_id'], more['fbtrace_id'] ?? ASKED.id)
      assert.notInclude(reply.body, 'a cause')
      const below = toReply(failure, { base: '', now: ASKED.now })
      assert.deepEqual([reply.code, reply.headers], [below.code, below.headers], 'the log, the metrics and the headers are the same as below /v1')
    })
  }

  it('are transient only if the request did nothing, or may be made twice, and say then when to come again', () => {
    const rows = Object.values<readonly [HttpFailure, ...ReadonlyArray<unknown>]>(ROWS).map(([failure]) => failure)
    const repeated = rows.filter((failure) => graphErrorOf(failure, ASKED).error['is_transient'] === true)
    assert.isEmpty(repeated.filter(({ _tag }) => ['OutcomeUnknown', 'Defect', 'PlatformRejected', 'CredentialsRefused'].includes(_tag)))
    for (const failure of repeated.filter(({ _tag }) => _tag !== 'BodyTooSlow')) {
      assert.property(toGraphReply(failure, ASKED).headers, 'Retry-After', failure._tag)
    }
    assert.isBelow(graphErrorOf(ROWS.OutcomeUnknown[0], ASKED).status, 500, 'HTTP libraries repeat what a 5xx answered')
  })

  it('name the state of a template by the number that the platform has for it', () => {
    for (const [state, code] of [['paused', 132015], ['disabled', 132016], ['rejected', 132001]] as const) {
      assert.equal(graphErrorOf({ ...ROWS.TemplateNotApproved[0], status: state }, ASKED).error['code'], code)
    }
  })

  it('name what is wrong with the parameters of a template by the number that the platform has for it', () => {
    const codes = { count: 132000, missing: 131008, name: 100, format: 132012, other: 132018 } as const
    for (const mismatch of ['count', 'missing', 'name', 'format', 'other'] as const) {
      const { status, error } = graphErrorOf({ ...ROWS.TemplateParameters[0], mismatch }, ASKED)
      assert.deepEqual([status, error['code']], [400, codes[mismatch]])
    }
  })

  it('have a number of their own if the platform throttles without one', () => {
    assert.deepInclude(
      graphErrorOf({ _tag: 'PlatformThrottled', error: { message: 'The download address answered 429' } }, ASKED).error,
      { code: 130429, is_transient: true },
    )
  })

  it('name an object that the workspace has not as the platform does', () => {
    assert.deepEqual(graphErrorOf({ _tag: 'NotFound', object: '1' }, ASKED), { status: 400, error: {
      message: "Unsupported post request. Object with ID '1' does not exist, cannot be loaded due to missing permissions, or does not support this operation",
      type: 'GraphMethodException', code: 100, error_subcode: 33, fbtrace_id: 'a-request',
    } })
  })

  it('list the first breaches of content, and how many there are more', () => {
    const breaches = Array.from({ length: 12 }, (_, index) => ({ path: `contacts[${index}]`, rule: 'an object', given: null }))
    const { error } = graphErrorOf({ _tag: 'ContentInvalid', breaches }, ASKED)
    assert.match(JSON.stringify(error), /contacts\[0\] must be an object \(given: nothing\); .*contacts\[9\][^;]*; and 2 more/)
  })
})
