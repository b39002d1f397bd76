/** A variable in a text of a template, such as `{{1}}` or `{{first_name}}`. */
const VARIABLE = /\{\{([^{}]*)\}\}/g

/** What stands between the braces of each variable of a text, in the order of the text and as often as it appears. */
export const variablesIn = (text: string): ReadonlyArray<string> => [...text.matchAll(VARIABLE)].map(([, name]) => (name ?? '').trim())

/** Whether a text has braces that are no variable as far as this reads them, so that its variables cannot be known. */
export const hasOtherBraces = (text: string): boolean => text.replace(VARIABLE, '').includes('{{')

/** A text with its variables filled in; one without a value stays as it is. */
export const filledText = (text: string, valueOf: (variable: string) => string | undefined): string =>
  text.replace(VARIABLE, (written: string, name: string) => valueOf(name.trim()) ?? written)
