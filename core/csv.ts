/** A line of comma-separated values (RFC 4180), with its line end. */
export const csvLine = (cells: ReadonlyArray<string>): string => `${cells.map(cell).join(',')}\r\n`

/** Amounts and counts are of no use as texts, and none of them is a formula. */
const NUMBER = /^-?\d+(?:\.\d+)?$/

/**
 * Where a spreadsheet would see a formula: at the beginning of the cell, and, since spreadsheets of many countries part cells by semicolons or tabs
 * whatever the file says, behind each of these and behind a line break, even in quotes or after spaces. The full-width forms count as the plain ones
 * (OWASP, "CSV Injection").
 */
const FORMULA = /(^|[;\t\r\n])(?=[ \u00A0"']*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g

/** An attacker may choose texts that we write, her own email or the name of a template, so none begins as a formula: an apostrophe makes it a text. */
const cell = (text: string): string => {
  const inert = NUMBER.test(text) ? text : text.replace(/^(?=[\t\r])/, "'").replace(FORMULA, "$1'")
  return /[",;\t\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
