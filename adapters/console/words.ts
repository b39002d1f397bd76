import { TEXTS } from './texts.js'

/** A word of the core or of the platform in the language of the request: of a state, a role, a category. One that is not in the catalogue is shown as it came. */
export const wordFor = (of: keyof typeof TEXTS.words, name: string): string => {
  const words: Readonly<Record<string, string>> = TEXTS.words[of]
  return (Object.hasOwn(words, name) ? words[name] : undefined) ?? name.replaceAll('_', ' ')
}
