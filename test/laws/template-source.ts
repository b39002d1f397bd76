import assert from 'node:assert/strict'
import type { TemplateAccount } from '../../core/senders/sender.js'
import type { TemplateSource, TemplateSourceError } from '../../core/templates/catalogue.js'
import type { Template } from '../../core/templates/template.js'
import { done, holds, refused, same } from './expect.js'
import type { Law } from './law.js'

/** A source of templates, and control over the platform behind it. Each control stays in effect until another is used. */
export type TemplateSourceFixture = {
  readonly source: TemplateSource
  /** An account that the platform knows. */
  readonly account: TemplateAccount
  /**
   * All templates of the account, more than one response of the platform contains. Among the first thirty are a name in two languages, a name that begins with
   * another name, and a paused template.
   */
  readonly templates: ReadonlyArray<Template>
  /** The platform returns the account's templates, as it does at first. */
  readonly willList: () => Promise<void>
  /** The platform responds that it does not know the account. */
  readonly willForgetAccount: () => Promise<void>
  /** The platform refuses the access token. */
  readonly willRefuseCredentials: () => Promise<void>
  /** The platform responds that there are too many requests. Resolves to the seconds after which it may be asked again. */
  readonly willThrottle: () => Promise<number>
  /** The platform returns a part of the whole list, and fails when the rest is requested. */
  readonly willBreakOff: () => Promise<void>
  /** The platform accepts requests and never responds. */
  readonly willHang: () => Promise<void>
  /** The platform cannot be reached. */
  readonly goDown: () => Promise<void>
}

/** The promises of every `TemplateSource`. */
export const templateSourceLaws: ReadonlyArray<Law<TemplateSourceFixture>> = [
  {
    name: 'the whole list has every template once, of every status and in every language',
    check: async ({ source, account, templates }) =>
      same('the whole list', sorted(await done('the list is read', source.list(account))), sorted(templates)),
  },
  {
    name: 'a name lists its templates in every language, and those of no other name',
    check: async ({ source, account, templates }) => {
      for (const name of new Set(templates.slice(0, 30).map((template) => template.name))) {
        const named = await done('the list of a name is read', source.list(account, name))
        same(`the list of ${name}`, sorted(named), sorted(templates.filter((template) => template.name === name)))
      }
    },
  },
  {
    name: 'a name that no template has lists nothing',
    check: async ({ source, account, templates: [first] }) => {
      const known = first?.name ?? assert.fail('the fixture has a template')
      for (const name of [known.slice(0, -1), known.toUpperCase(), `${known}%`, '%', 'обновление', '订单&limit=1', 'x'.repeat(512)]) {
        same(`the list of ${name}`, await done('the list of a name is read', source.list(account, name)), [])
      }
    },
  },
  {
    name: 'an account that the platform does not know is answered so',
    check: async (fixture) => {
      await fixture.willForgetAccount()
      await refused('an unknown account', 'PlatformRejected', fixture.source.list(fixture.account))
    },
  },
  {
    name: 'a refused access token is answered so',
    check: async (fixture) => {
      await fixture.willRefuseCredentials()
      await refused('a refused token', 'CredentialsRefused', fixture.source.list(fixture.account))
    },
  },
  {
    name: 'a throttled question is answered so, with the wait that the platform states',
    check: async (fixture) => {
      const seconds = await fixture.willThrottle()
      const throttled = await refused('a throttled question', 'PlatformThrottled', fixture.source.list(fixture.account))
      same('the wait', throttled.retryAfterSeconds, seconds)
    },
  },
  {
    name: 'a list that breaks off is no list',
    check: async (fixture) => {
      await fixture.willBreakOff()
      await refused('a list that breaks off', 'PlatformUnreachable', fixture.source.list(fixture.account))
    },
  },
  {
    name: 'an answer comes within a deadline though the platform never gives one',
    check: async (fixture) => {
      await fixture.willHang()
      await refused('a platform that does not answer', 'PlatformUnreachable', fixture.source.list(fixture.account))
    },
  },
  {
    name: 'a platform that is down is unreachable',
    check: async (fixture) => {
      await fixture.goDown()
      await refused('a platform that is down', 'PlatformUnreachable', fixture.source.list(fixture.account))
    },
  },
  {
    name: 'a failure is no reason to refuse the next question',
    check: async (fixture) => {
      for (const power of [fixture.willRefuseCredentials, fixture.willThrottle, fixture.willBreakOff]) {
        await power()
        await failureOf(fixture)
        await fixture.willList()
        same(
          'the list after a failure', (await done('the list is read', fixture.source.list(fixture.account))).length,
          fixture.templates.length,
        )
      }
    },
  },
  {
    name: 'no failure carries the access token',
    check: async (fixture) => {
      const { willForgetAccount, willRefuseCredentials, willThrottle, willBreakOff, willHang, goDown } = fixture
      for (const power of [willForgetAccount, willRefuseCredentials, willThrottle, willBreakOff, willHang, goDown]) {
        await power()
        const failure = await failureOf(fixture)
        holds('a failure does not quote the access token', !quotes(fixture.account.accessToken, failure), failure._tag)
      }
    },
  },
]

const failureOf = async ({ source, account }: TemplateSourceFixture): Promise<TemplateSourceError> => {
  const answer = await source.list(account)
  return answer._tag === 'Left' ? answer.left : assert.fail('a list that cannot be read is answered with a left')
}

const sorted = (templates: ReadonlyArray<Template>): ReadonlyArray<Template> => templates.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))

const keyOf = ({ name, language, id }: Template): string => [name, language, id].join(' ')

/** Searches everything that is reachable from a value, including errors and their hidden properties, as a logger might. */
const quotes = (secret: string, value: unknown, seen: Set<unknown> = new Set()): boolean => {
  if (typeof value === 'string') return value.includes(secret)
  if (typeof value !== 'object' || value === null || seen.has(value)) return false
  seen.add(value)
  return Reflect.ownKeys(value).some((key) => quotes(secret, Reflect.get(value, key), seen))
}
