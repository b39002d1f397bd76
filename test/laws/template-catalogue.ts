import type { Law } from './law.js'
import { templateChangeLaws } from './template-change.js'
import type { TemplateCatalogueFixture } from './template-fixture.js'
import { templateListLaws } from './template-list.js'
import { templateReadLaws } from './template-read.js'

export type { TemplateCatalogueFixture } from './template-fixture.js'

/** The promises of every `TemplateCatalogue`. */
export const templateCatalogueLaws: ReadonlyArray<Law<TemplateCatalogueFixture>> = [
  ...templateReadLaws, ...templateListLaws, ...templateChangeLaws,
]
