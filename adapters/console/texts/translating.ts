/** The same texts in another language, with the same parameters as in English. A language that lacks one does not compile. */
export type Translated<Text> =
  Text extends string ? string
  : Text extends RegExp ? RegExp
  : Text extends (...given: infer Given) => string ? (...given: Given) => string
  : { readonly [Name in keyof Text]: Translated<Text[Name]> }

/** Words for singular and plural, and for further forms if a language has them. */
type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/** Chooses the words for a count by the rules of a language, and replaces `#` by the count. */
export const countingIn = (locale: string): ((count: number, forms: Forms) => string) => {
  const [rules, numbers] = [new Intl.PluralRules(locale), new Intl.NumberFormat(locale)]
  return (count, forms) => (forms[rules.select(count)] ?? forms.other).replaceAll('#', numbers.format(count))
}

/** A sentence of the core, and its translation. */
export type Rule = readonly [english: RegExp, said: string]

/** Translates the core's English sentences. A sentence without a rule stays English, because a reason in English is better than none. */
export const sayingBy = (rules: ReadonlyArray<Rule>): ((sentence: string) => string) => (sentence) => {
  const [pattern, said] = rules.find(([known]) => known.test(sentence)) ?? []
  return pattern === undefined || said === undefined ? sentence : sentence.replace(pattern, said)
}
