import * as E from 'fp-ts/lib/Either.js'
import type { PlatformError, PlatformUnreachable } from '../../core/kernel/failure.js'
import { isDeeperThan, type JsonObject } from '../../core/kernel/json.js'
import { type Instant, SECOND_MS } from '../../core/kernel/time.js'
import type { TemplateSource, TemplateSourceError } from '../../core/templates/catalogue.js'
import { isCatalogued, type Template } from '../../core/templates/template.js'
import { numberOf, readBody } from './read-answer.js'
import {
  type CloudApiDeps, hasProperty, isObject, makeTemplatesRequest, propertyOf, retryAfterOf, type TransportResult,
} from './transport.js'

/**
 * Reads an item of the platform's list of templates; `undefined` if the item does not identify a template.
 *
 * A state or a category that cannot be read is `unknown`, and components that cannot be read are `undefined`, so that no send is refused because of them.
 */
export const readTemplate = (item: unknown): Template | undefined => {
  const [name, language] = [propertyOf(item, 'name'), propertyOf(item, 'language')]
  if (typeof name !== 'string' || typeof language !== 'string' || !isCatalogued({ name, language })) return undefined
  return {
    id: idOf(propertyOf(item, 'id')),
    name,
    language,
    category: wordOf(propertyOf(item, 'category')) ?? UNKNOWN,
    status: wordOf(propertyOf(item, 'status')) ?? UNKNOWN,
    quality: qualityOf(propertyOf(item, 'quality_score')),
    parameterFormat: formatOf(propertyOf(item, 'parameter_format')),
    components: componentsOf(propertyOf(item, 'components')),
  }
}

const UNKNOWN = 'unknown'

const ID = /^[!-~]{1,64}$/
const WORD = /^[a-z0-9_]{1,64}$/

/** A word of the platform in lower case; `undefined` if the value is not a word. */
export const wordOf = (value: unknown): string | undefined => {
  const word = typeof value === 'string' ? value.toLowerCase() : ''
  return WORD.test(word) ? word : undefined
}

const idOf = (value: unknown): string => {
  const id = typeof value === 'number' ? String(value) : value
  return typeof id === 'string' && ID.test(id) ? id : ''
}

/** `{"score":"GREEN","date":…}`; in older answers only the word. */
const qualityOf = (value: unknown): string | undefined => wordOf(isObject(value) ? propertyOf(value, 'score') : value)

const formatOf = (value: unknown): Template['parameterFormat'] => {
  const word = wordOf(value)
  return word === 'positional' || word === 'named' ? word : undefined
}

/** The limits for the components of one template; the platform's largest, a carousel of ten cards, has six levels and sixty thousand characters. */
const DEEPEST = 20
const LONGEST = 262_144

const componentsOf = (value: unknown): ReadonlyArray<JsonObject> | undefined =>
  Array.isArray(value) && value.every(isObject) && !isDeeperThan(DEEPEST, value) && JSON.stringify(value).length <= LONGEST
    ? value
    : undefined

/** What the list of templates needs: the dependencies of a send, and time limits for all pages together. */
export type TemplateSourceDeps = CloudApiDeps & {
  /** How long one complete list may take, in milliseconds; the default is one minute. In addition, each call is limited to `timeoutMs`. */
  readonly listTimeoutMs?: number
  /** The same for the templates of one name; the default is 5 seconds, because a send waits for them. */
  readonly namedTimeoutMs?: number
}

const LIST_TIMEOUT_MS = 60 * SECOND_MS
const NAMED_TIMEOUT_MS = 5 * SECOND_MS

/** The limits of a list. The platform's own limit is 6,000 templates for an account. */
const MAX_TEMPLATES = 6_000
const MAX_PAGES = 100
const MAX_CHARACTERS = 64 * 1_048_576

/**
 * The templates of WhatsApp business accounts: <https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account/message_templates>.
 *
 * A list is read page by page, and none of its calls is repeated. An item that does not identify a template does not affect the others. A list is invalid if it is
 * longer than the platform allows, or if its pages form a cycle.
 */
export const makeTemplateSource = (
  { transport, now = Date.now, listTimeoutMs = LIST_TIMEOUT_MS, namedTimeoutMs = NAMED_TIMEOUT_MS, ...endpoint }: TemplateSourceDeps,
): TemplateSource => {
  const templatesRequest = makeTemplatesRequest(endpoint)
  return {
    list: async (account, name, reading) => {
      const limitMs = name === undefined ? listTimeoutMs : namedTimeoutMs
      const end = performance.now() + limitMs
      const found = new Map<string, Template>()
      const cursors = new Set<string>()
      let after: string | undefined
      let characters = 0
      do {
        const leftMs = end - performance.now()
        if (leftMs <= 0) return noList(`it was not whole within ${limitMs} ms`)
        if (reading?.isStopped() === true) return noList('it was stopped')
        // A call may take its timeout twice: once to connect, once for the answer.
        const answer = await transport(templatesRequest({ account, name, after }, Math.ceil(Math.min(endpoint.timeoutMs, leftMs / 2))))
        const page = readPage(answer, now())
        if (E.isLeft(page)) return page
        characters += page.right.characters
        for (const template of page.right.items.flatMap((item) => readTemplate(item) ?? [])) {
          if (name === undefined || template.name === name) keep(found, template)
        }
        reading?.onPage(found.size)
        after = page.right.after
        if (after !== undefined && cursors.has(after)) return noList('one of its pages leads back')
        if (after !== undefined) cursors.add(after)
        if (found.size > MAX_TEMPLATES || cursors.size >= MAX_PAGES || characters > MAX_CHARACTERS) return noList('it has no end')
      } while (after !== undefined)
      return E.right([...found.values()])
    },
  }
}

/** The platform has each name and language once. If it still lists one twice, the template that can be sent counts. */
const keep = (found: Map<string, Template>, template: Template): void => {
  const key = JSON.stringify([template.name, template.language])
  if (found.get(key)?.status !== 'approved') found.set(key, template)
}

type Page = { readonly items: ReadonlyArray<unknown>; readonly after: string | undefined; readonly characters: number }

/** `paging.next` means that there is another page. Its address is not used, because it may lead anywhere: the cursor identifies the page. */
const readPage = (answer: TransportResult, now: Instant): E.Either<TemplateSourceError, Page> => {
  const body = readBody(answer, now)
  if (E.isLeft(body)) return E.left(listErrorOf(body.left, answer, now))
  const { data, paging } = body.right
  if (!Array.isArray(data)) return noList('the platform gave an answer without templates')
  const page = { items: data, after: undefined, characters: answer._tag === 'Answered' ? answer.body.length : 0 }
  if (!hasProperty(paging, 'next')) return E.right(page)
  const after = propertyOf(propertyOf(paging, 'cursors'), 'after')
  return isCursor(after) ? E.right({ ...page, after }) : noList('one of its pages does not name the next one')
}

const isCursor = (value: unknown): value is string => typeof value === 'string' && /^[!-~]{1,2048}$/.test(value)

const noList = (cause: string): E.Either<PlatformUnreachable, never> => E.left({ _tag: 'PlatformUnreachable', cause })

/** An answer with status 429 but without the platform's error, from a server in front of the platform, is a limit too. */
const listErrorOf = (error: PlatformError, answer: TransportResult, now: Instant): TemplateSourceError => {
  if (answer._tag === 'Answered' && answer.status === 429 && error._tag !== 'PlatformThrottled') {
    const retryAfterSeconds = retryAfterOf(answer.headers, 0, now)
    return {
      _tag: 'PlatformThrottled', error: 'error' in error ? error.error : {}, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    }
  }
  switch (error._tag) {
    case 'PlatformRejected': case 'PlatformThrottled': case 'PlatformUnreachable': return error
    case 'CredentialsRefused': return numberOf(error.error['code']) === INVALID_PARAMETER ? { ...error, _tag: 'PlatformRejected' } : error
    case 'OutcomeUnknown': return { ...error, _tag: 'PlatformUnreachable' }
  }
}

/** With its subcode 33 it counts as wrong credentials of a send; here it means that the account does not exist. */
const INVALID_PARAMETER = 100
