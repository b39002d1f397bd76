import type { Instant } from '../../core/kernel/time.js'
import type { CatalogueState, NamedTemplates, TemplateCatalogue } from '../../core/templates/catalogue.js'
import type { Template, TemplateChange, TemplateRecord } from '../../core/templates/template.js'
import { allPages, done } from './expect.js'
import { newDigits } from './ids.js'

/** A catalogue of templates. */
export type TemplateCatalogueFixture = {
  readonly templateCatalogue: TemplateCatalogue
  /** The same catalogue as another node sees it, if there are several nodes. */
  readonly elsewhere?: TemplateCatalogue
}

/** A timestamp with milliseconds that a coarser column would lose. */
export const NOON = Date.UTC(2026, 2, 1, 12, 0, 0, 1)

/** An approved template in English with one variable; `more` replaces parts of it. */
export const templateOf = (name: string, more: Partial<Template> = {}): Template => ({
  id: newDigits(16), name, language: 'en', category: 'utility', status: 'approved', quality: 'green', parameterFormat: 'positional',
  components: [{ type: 'BODY', text: 'Hello {{1}}' }], ...more,
})

/** A template that was listed at a given time and not changed since. */
export const recordOf = (template: Template, at: Instant = NOON): TemplateRecord =>
  ({ ...template, listedAt: at, statusAt: at, categoryAt: at, qualityAt: at })

/** A new id of a business account. */
export const newAccount = (): string => newDigits(15)

/** Stores the whole list of an account. */
export const replaceAll = (
  { templateCatalogue }: TemplateCatalogueFixture, account: string, listed: ReadonlyArray<Template>, at: Instant = NOON,
): Promise<void> => done('a list is taken in', templateCatalogue.replaceAll(account, listed, at))

/** Stores the templates of one name. */
export const replaceNamed = (
  { templateCatalogue }: TemplateCatalogueFixture, account: string, name: string, listed: ReadonlyArray<Template>, at: Instant = NOON,
): Promise<void> => done('the templates of a name are taken in', templateCatalogue.replaceNamed(account, name, listed, at))

/** Changes a template; returns whether the catalogue contains it. */
export const change = ({ templateCatalogue }: TemplateCatalogueFixture, account: string, changed: TemplateChange): Promise<boolean> =>
  done('a template is changed', templateCatalogue.change(account, changed))

/** Records why a list could not be read. */
export const noteFault = ({ templateCatalogue }: TemplateCatalogueFixture, account: string, sentence: string, at: Instant): Promise<void> =>
  done('a fault is noted', templateCatalogue.noteFault(account, sentence, at))

/** Finds the templates with a name. */
export const find = ({ templateCatalogue }: TemplateCatalogueFixture, account: string, name: string): Promise<NamedTemplates> =>
  done('a name is looked for', templateCatalogue.find(account, name))

/** The age of an account's catalogue. */
export const stateOf = ({ templateCatalogue }: TemplateCatalogueFixture, account: string): Promise<CatalogueState> =>
  done('the state of an account is read', templateCatalogue.stateOf(account))

/** Every template of an account, or of one name, read page by page; `between` runs after each page except the last. */
export const listOf = (
  { templateCatalogue }: TemplateCatalogueFixture, account: string, name?: string, limit = 100, between?: () => Promise<unknown>,
): Promise<ReadonlyArray<TemplateRecord>> =>
  allPages(
    'the templates are listed', (page) => templateCatalogue.list(account, { ...page, ...(name !== undefined && { name }) }), limit, between,
  )

/** The names of an account's templates. */
export const namesOf = ({ templateCatalogue }: TemplateCatalogueFixture, account: string): Promise<ReadonlyArray<string>> =>
  done('the names are read', templateCatalogue.names(account))

/** The names and languages of templates. */
export const placesOf = (templates: ReadonlyArray<Template>): ReadonlyArray<string> =>
  templates.map(({ name, language }) => `${name}/${language}`)

