/** A line of comma-separated values. A cell that a spreadsheet would take for a formula begins with an apostrophe. */
export const csvLine = (cells: ReadonlyArray<string>): string => cells.map(csvCell).join(',')

const csvCell = (text: string): string => {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
