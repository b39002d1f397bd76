/** A line of comma-separated values (RFC 4180), with its line end. */
export const csvLine = (cells: ReadonlyArray<string>): string => `${cells.map(cell).join(',')}\r\n`

/** Amounts and counts must stay numbers, and no number is a formula. */
const NUMBER = /^-?\d+(?:\.\d+)?$/

/**
 * The places at which a spreadsheet would read a formula: the beginning of a cell, and the text after a semicolon, tab or line break, even in quotes or after
 * spaces. Spreadsheets of many countries separate cells at semicolons or tabs, whatever the file declares. The full-width forms count like the plain ones
 * (OWASP, "CSV Injection").
 */
const FORMULA = /(^|[;\t\r\n])(?=[ \u00A0"']*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g

/** An attacker may choose texts that we write, such as an email or the name of a template. So a cell that begins like a formula gets an apostrophe, which makes it a text. */
const cell = (text: string): string => {
  const inert = NUMBER.test(text) ? text : text.replace(/^(?=[\t\r])/, "'").replace(FORMULA, "$1'")
  return /[",;\t\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
