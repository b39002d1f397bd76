/** The languages in which Postern writes to people, by their tags of BCP 47. English comes first: it is the default. */
export const LANGUAGES = ['en', 'de', 'es', 'pt-BR'] as const

/** A language of people. */
export type Language = (typeof LANGUAGES)[number]

/** Reads the tag of a language exactly as it stands in `LANGUAGES`. */
export const parseLanguage = (tag: string | undefined): Language | undefined => LANGUAGES.find((language) => language === tag)
