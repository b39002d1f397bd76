/** The same texts in another language: each is given what the English one is given. A language that lacks one does not compile. */
export type Translated<Text> =
  Text extends string ? string
  : Text extends RegExp ? RegExp
  : Text extends (...given: infer Given) => string ? (...given: Given) => string
  : { readonly [Name in keyof Text]: Translated<Text[Name]> }

/** Words for one and for many; where a language has more forms, those, too. */
type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/** Chooses the words for a count by the rules of a language, and puts the count into them, for `#`. */
export const countingIn = (locale: string): ((count: number, forms: Forms) => string) => {
  const [rules, numbers] = [new Intl.PluralRules(locale), new Intl.NumberFormat(locale)]
  return (count, forms) => (forms[rules.select(count)] ?? forms.other).replaceAll('#', numbers.format(count))
}

/** A sentence of the core, and what is said for it in another language. */
export type Rule = readonly [english: RegExp, said: string]

/** Says in another language what the core says in English. What no rule knows stays English, since a reason that cannot be read is better than none. */
export const sayingBy = (rules: ReadonlyArray<Rule>): ((sentence: string) => string) => (sentence) => {
  const [pattern, said] = rules.find(([known]) => known.test(sentence)) ?? []
  return pattern === undefined || said === undefined ? sentence : sentence.replace(pattern, said)
}
