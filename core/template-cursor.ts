/** The place of a template in a list that is ordered by name and language. */
export type TemplatePlace = { readonly name: string; readonly language: string }

/** The cursor of the part of a list after a template. */
export const templateCursor = ({ name, language }: TemplatePlace): string => JSON.stringify([name, language])

/** The place that a cursor names. A text that is no cursor counts as a name. */
export const templatePlace = (cursor: string): TemplatePlace => {
  const [name, language] = partsOf(cursor)
  return typeof name === 'string' && typeof language === 'string' ? { name, language } : { name: cursor, language: '' }
}

const partsOf = (cursor: string): ReadonlyArray<unknown> => {
  try {
    const parts: unknown = JSON.parse(cursor)
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}
