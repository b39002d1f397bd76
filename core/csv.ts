/** A line of comma-separated values (RFC 4180), with its line end. */
export const csvLine = (cells: ReadonlyArray<string>): string => `${cells.map(cell).join(',')}\r\n`

/** A spreadsheet would run a cell that begins like a formula, and an attacker may choose her own email. */
const cell = (text: string): string => {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
