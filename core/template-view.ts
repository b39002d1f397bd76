import type { JsonObject } from './json.js'
import type { Placeholder } from './placeholder.js'
import { placeholdersOf } from './template-placeholders.js'
import type { TemplateRecord } from './template.js'

/** A template of the catalogue as JSON; components that could not be read are null, and so are placeholders that cannot be known. */
export type TemplateView = {
  readonly name: string
  readonly language: string
  readonly category: string
  readonly status: string
  readonly quality: string | null
  readonly components: ReadonlyArray<JsonObject> | null
  readonly placeholders: ReadonlyArray<Placeholder> | null
  readonly synced_at: string
}

/** Shows a template of the catalogue. */
export const templateView = (template: TemplateRecord): TemplateView => ({
  name: template.name,
  language: template.language,
  category: template.category,
  status: template.status,
  quality: template.quality ?? null,
  components: template.components ?? null,
  placeholders: placeholdersOf(template) ?? null,
  synced_at: new Date(template.listedAt).toISOString(),
})
