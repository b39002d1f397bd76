import * as E from 'fp-ts/lib/Either.js'
import { makeGotTransport } from '../../adapters/cloud-api/got-transport.js'
import type { Transport } from '../../adapters/cloud-api/transport.js'
import type { TemplateSource, TemplateSourceError } from '../../core/templates/catalogue.js'
import type { Template } from '../../core/templates/template.js'
import { openTemplateSourceFixture } from '../adapters/cloud-api/template-source-fixture.js'
import { type TemplateSourceFixture, templateSourceLaws } from '../laws/template-source.js'
import { describeMutations } from './mutation.js'

const overTransport = (spoil: (send: Transport) => Transport) => (): Promise<TemplateSourceFixture> =>
  openTemplateSourceFixture(makeGotTransport(), { spoil, timeoutMs: 300 })

const broken = (defect: (list: TemplateSource['list']) => TemplateSource['list']) => async (): Promise<TemplateSourceFixture> => {
  const fixture = await openTemplateSourceFixture(makeGotTransport(), { timeoutMs: 300 })
  return { ...fixture, source: { list: defect(fixture.source.list) } }
}

const listing = (change: (templates: ReadonlyArray<Template>) => ReadonlyArray<Template>) =>
  broken((list) => (account, name) => list(account, name).then(E.map(change)))

const failing = (change: (error: TemplateSourceError) => TemplateSourceError) =>
  broken((list) => (account, name) => list(account, name).then(E.mapLeft(change)))

const WHOLE = 'the whole list has every template once, of every status and in every language'
const NAMED = 'a name lists its templates in every language, and those of no other name'
const NAMELESS = 'a name that no template has lists nothing'
const UNKNOWN = 'an account that the platform does not know is answered so'
const REFUSED = 'a refused access token is answered so'
const THROTTLED = 'a throttled question is answered so, with the wait that the platform states'
const BROKEN_OFF = 'a list that breaks off is no list'
const HUNG = 'an answer comes within a deadline though the platform never gives one'
const DOWN = 'a platform that is down is unreachable'
const AGAIN = 'a failure is no reason to refuse the next question'
const SECRET = 'no failure carries the access token'

describeMutations('the source of templates', templateSourceLaws, [
  { defect: 'reads the first page alone', breaks: [WHOLE, BROKEN_OFF], open: overTransport((send) => async (request) => {
    const result = await send(request)
    return result._tag === 'Answered' ? { ...result, body: result.body.replace(/"next":/, '"no_next":') } : result
  }) },
  {
    defect: 'lists approved templates alone',
    breaks: [WHOLE, NAMED],
    open: listing((all) => all.filter(({ status }) => status === 'approved')),
  },
  { defect: 'lists each name in one language', breaks: [WHOLE, NAMED], open: listing((all) =>
    all.filter(({ name }, n) => all.findIndex((one) => one.name === name) === n)) },
  { defect: 'lists a template twice', breaks: [WHOLE, NAMED], open: listing((all) => [...all, ...all.slice(0, 1)]) },
  { defect: 'lists the names that begin with a name', breaks: [NAMED, NAMELESS], open: broken((list) => (account, name = '') =>
    list(account).then(E.map((all: ReadonlyArray<Template>) => all.filter((template) => template.name.startsWith(name))))) },
  {
    defect: 'lists names in any letter case',
    breaks: [NAMELESS],
    open: broken((list) => (account, name) => list(account, name?.toLowerCase())),
  },
  { defect: 'takes a percent sign for the end of a name', breaks: [NAMELESS], open: broken((list) => (account, name) =>
    list(account, name?.split('%', 1)[0])) },
  { defect: 'gives what it could read of a list that breaks off', breaks: [BROKEN_OFF], open: broken((list) => async (account, name) => {
    const answer = await list(account, name)
    return E.isLeft(answer) && answer.left._tag === 'PlatformUnreachable' ? E.right([]) : answer
  }) },
  { defect: 'takes every refusal for wrong credentials', breaks: [UNKNOWN], open: failing((error) =>
    (error._tag === 'PlatformRejected' ? { ...error, _tag: 'CredentialsRefused' } : error)) },
  { defect: 'takes wrong credentials for an unknown account', breaks: [REFUSED], open: failing((error) =>
    (error._tag === 'CredentialsRefused' ? { ...error, _tag: 'PlatformRejected' } : error)) },
  { defect: 'does not say how long to wait', breaks: [THROTTLED], open: failing((error) =>
    (error._tag === 'PlatformThrottled' ? { _tag: 'PlatformThrottled', error: error.error } : error)) },
  { defect: 'takes every failure for a refusal', breaks: [BROKEN_OFF, HUNG, DOWN], open: failing((error) =>
    (error._tag === 'PlatformUnreachable' ? { _tag: 'PlatformRejected', error: {} } : error)) },
  { defect: 'asks nothing more after a failure', breaks: [AGAIN], open: broken((list) => {
    let failed = false
    return async (account, name) => {
      if (failed) return E.left({ _tag: 'PlatformUnreachable', cause: 'The circuit is open' })
      const answer = await list(account, name)
      failed = E.isLeft(answer)
      return answer
    }
  }) },
  { defect: 'has causes that carry the request', breaks: [SECRET], open: overTransport((send) => async (request) => {
    const result = await send(request)
    return result._tag === 'Answered' ? result : { ...result, cause: Object.assign(result.cause, { request }) }
  }) },
])
